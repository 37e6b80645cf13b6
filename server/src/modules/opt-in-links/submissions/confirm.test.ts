// People who opted out, a form in their name, and what their own phone says to it.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type Messages, messagesOf } from '../../../../test/harness/messages.ts';
import { newPhone } from '../../contacts/fixtures.ts';
import { formsOf } from '../opt-in.test-data.ts';

type Account = ReturnType<typeof formsOf> & { messages: Messages };

let account: Account;
let key: string;
let app: Awaited<ReturnType<typeof startTestApp>>;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { env: { TRUSTED_PROXIES: '127.0.0.1,::1' } });
  const messages = await messagesOf(app);
  key = (
    await app.key(['contacts:read', 'contacts:write', 'messages:send'], { accountSid: messages.accountSid })
  ).key;
  const own = {
    ...app,
    at: `/v1/accounts/${messages.accountSid}`,
    get: (path: string, headers: object = {}) => app.get(path, { ...bearer(key), ...headers }),
    post: (path: string, body?: unknown, headers: object = {}) =>
      app.post(path, body, { ...bearer(key), ...headers }),
  };
  account = { ...formsOf(own), messages };
});

/** They write, from that phone. */
const writes = (phone: string, body: string, occurredAt = app.clock.now()) => {
  const { messages } = account;
  const from = { waId: phone.slice(1), bsuid: null, parentBsuid: null, profileName: 'Ines', username: null };
  return messages.receive(messages.inbound({ type: 'text', body }, { from, occurredAt }));
};

const at = () => `/v1/accounts/${account.messages.accountSid}`;

/** What stands against writing marketing to them: the codes of the gates that ask the person's own wishes. */
async function refusals(phone: string): Promise<string[]> {
  const [offer] = await app.sql<{ name: string; language: string; sender: string }>(
    `select t.name, t.language, s.sid as sender from templates t join senders s on s.waba_sid = t.waba_sid
      where t.account_sid = $1 and t.category = 'MARKETING' limit 1`,
    [account.messages.accountSid],
  );
  const { name, language, sender } = offer!;
  const body = { from: sender, to: phone, type: 'template', template: { name, language } };
  const { body: verdict } = await app.post(`${at()}/messages/preflight`, body, bearer(key));
  return verdict.checks
    .filter(({ gate }: { gate: string }) => gate === 'suppression' || gate === 'consent')
    .flatMap(({ code }: { code: string | null }) => code ?? []);
}

const active = async (phone: string) =>
  (await account.consents(phone)).suppressions
    .filter((one: { active: boolean }) => one.active)
    .map((one: { reason: string }) => one.reason);

const codeOf = (reply: { body: { confirmation: { text: string } } }) => reply.body.confirmation.text;

suite('a form after an opt-out', () => {
  test('is recorded and releases nobody who wrote STOP; START with its code from that phone does, from another it does not', async () => {
    const link = await account.link();
    const [phone, other] = [newPhone(), newPhone()];
    await writes(phone, 'STOP');
    app.clock.advance(60_000);
    const answer = await account.submit(link.path, { phone });
    assert.match(answer.body.confirmation.url, /^https:\/\/wa\.me\/\d+\?text=START%20[0-9A-Z]{8}$/);
    const { consents } = await account.consents(phone);
    assert.deepEqual(
      consents.map((one: { source: string; status: string }) => [one.source, one.status]),
      [
        ['FORM', 'OPTED_IN'],
        ['KEYWORD', 'OPTED_OUT'],
      ],
    );
    assert.deepEqual(
      [await active(phone), await refusals(phone)],
      [['KEYWORD_OPT_OUT'], ['RECIPIENT_OPTED_OUT']],
    );

    app.clock.advance(60_000);
    await writes(other, codeOf(answer));
    await writes(phone, 'START AAAAAAAA');
    assert.deepEqual(await active(phone), ['KEYWORD_OPT_OUT']);
    assert.deepEqual((await account.consents(other)).consents, []);

    await writes(phone, ` ${codeOf(answer).toLowerCase()} `);
    assert.deepEqual([await active(phone), await refusals(phone)], [[], []]);
    const [newest] = (await account.consents(phone)).consents;
    assert.deepEqual(
      [newest.source, newest.status, newest.evidence.wording, newest.evidence.wordingVersion],
      ['KEYWORD', 'OPTED_IN', link.consentText, `${link.wordingVersion}:en`],
    );
    assert.match(newest.evidenceRef, /^SM/);
    await account.submit(link.path, { phone });
    assert.equal((await account.consents(phone)).consents.length, 3, 'a form after it is a repeat');
  });

  test('of which only the ledger knows leaves a CUSTOMER_OPT_OUT until the code comes, which works once', async () => {
    const link = await account.link();
    const phone = newPhone();
    await account.submit(link.path, { phone });
    const { contact } = await account.consents(phone);
    const optOut = { purpose: 'MARKETING', source: 'DASHBOARD', status: 'REVOKED' };
    await app.post(`${at()}/contacts/${contact.sid}/consents`, optOut, bearer(key));
    app.clock.advance(60_000);
    const answer = await account.submit(link.path, { phone });
    assert.deepEqual(
      [await active(phone), await refusals(phone)],
      [['CUSTOMER_OPT_OUT'], ['RECIPIENT_OPTED_OUT']],
    );
    const { consents, suppressions } = await account.consents(phone);
    assert.deepEqual([consents[0].source, suppressions[0].source], ['FORM', 'opt-in form']);
    await writes(phone, 'START');
    assert.deepEqual(await active(phone), ['CUSTOMER_OPT_OUT']);
    await writes(phone, codeOf(answer));
    assert.deepEqual(await active(phone), []);
    app.clock.advance(60_000);
    await writes(phone, 'STOP');
    app.clock.advance(60_000);
    await writes(phone, codeOf(answer));
    assert.deepEqual(await active(phone), ['KEYWORD_OPT_OUT']);
  });

  test('a code that was sent before a later STOP and arrives after it changes nothing', async () => {
    const link = await account.link();
    const phone = newPhone();
    const answer = await account.submit(link.path, { phone });
    const said = app.clock.now();
    app.clock.advance(60_000);
    await writes(phone, 'STOP');
    await writes(phone, codeOf(answer), said);
    assert.deepEqual(await active(phone), ['KEYWORD_OPT_OUT']);
  });

  test('leaves what others decided: blocks of the business, complaints, the switch at the provider', async () => {
    const link = await account.link();
    const phone = newPhone();
    await account.submit(link.path, { phone });
    const { contact } = await account.consents(phone);
    for (const reason of [
      'TENANT_BLOCKLIST',
      'COMPLAINT',
      'PROVIDER_MARKETING_OPT_OUT',
      'CUSTOMER_OPT_OUT',
    ]) {
      const terms = { reason, scope: 'ALL', source: 'test' };
      await app.post(`${at()}/contacts/${contact.sid}/suppressions`, terms, bearer(key));
    }
    const answer = await account.submit(link.path, { phone });
    await writes(phone, codeOf(answer));
    assert.deepEqual((await active(phone)).sort(), [
      'COMPLAINT',
      'PROVIDER_MARKETING_OPT_OUT',
      'TENANT_BLOCKLIST',
    ]);
  });

  test('from anything but marketing waits with its record for the phone, and silences nothing else meanwhile', async () => {
    const link = await account.link({ purpose: 'TRANSACTIONAL' });
    const phone = newPhone();
    await account.submit(link.path, { phone });
    const { contact } = await account.consents(phone);
    const optOut = { purpose: 'TRANSACTIONAL', source: 'API', status: 'OPTED_OUT' };
    await app.post(`${at()}/contacts/${contact.sid}/consents`, optOut, bearer(key));
    const answer = await account.submit(link.path, { phone });
    const status = async () => (await account.consents(phone)).contact.consent.TRANSACTIONAL.status;
    assert.deepEqual([await status(), await active(phone)], ['OPTED_OUT', []]);
    await writes(phone, codeOf(answer));
    assert.equal(await status(), 'OPTED_IN');
  });

  test('a code is too old after 30 days, and goes along when contacts are merged', async () => {
    const link = await account.link();
    const [phone, other] = [newPhone(), newPhone()];
    await writes(phone, 'STOP');
    app.clock.advance(60_000);
    const old = await account.submit(link.path, { phone });
    app.clock.advance(30 * 86_400_000);
    await writes(phone, codeOf(old));
    assert.deepEqual(await active(phone), ['KEYWORD_OPT_OUT']);
    const answer = await account.submit(link.path, { phone });
    await account.submit(link.path, { phone: other });
    const [merged, survivor] = [await account.consents(phone), await account.consents(other)];
    const body = { mergeContactSid: merged.contact.sid, reason: 'The same person' };
    await app.post(`${at()}/contacts/${survivor.contact.sid}/merge`, body, bearer(key));
    await writes(phone, codeOf(answer));
    assert.deepEqual(await active(phone), []);
  });
});
