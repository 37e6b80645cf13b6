// A no outlives the person who said it, on every way by which somebody could be written to or become a contact again.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { consentsOf, keepOptOuts } from '../../src/modules/consent/index.ts';
import { newPhone } from '../../src/modules/contacts/fixtures.ts';
import { contactsFor, erasedOptOuts } from '../../src/modules/contacts/index.ts';
import type { Identifier } from '../../src/modules/contacts/schema.ts';
import { OwnTransactionNeeded } from '../../src/platform/db/database.ts';
import { sha256 } from '../../src/platform/hashing.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import { systemPrincipal } from '../../src/platform/principal.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { peopleOf, phone } from '../harness/contacts.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { dispatcherOf, fakeProvider, messagesOf } from '../harness/messages.ts';
import { operationsOf } from '../harness/operations.ts';
import { countingStatements } from '../harness/statements.ts';
import { until } from '../harness/until.ts';
import { inAccount } from '../harness/webhooks.ts';

let app: TestApp;
let people: ReturnType<typeof peopleOf>;
let from: string;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { role: 'all', simulator: true });
  people = peopleOf(app);
  from = (await app.get(`${app.at}/senders`)).body.data[0].sid;
});

const phoneOf = (value: string): Identifier => ({ identifierType: 'phone_e164', value, scopeRef: null });
const hello = (to: string) => ({
  from,
  to,
  type: 'template',
  template: { name: 'hello_world', language: 'en' },
});
const send = (to: string) => app.post(`${app.at}/messages`, hello(to));
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  body.error?.code ?? status;
const forget = (...sids: string[]) => inAccount(app, (t) => keepOptOuts(t, sids));
const byPhone = async (value: string) =>
  (await app.get(`${app.at}/contacts?identifier=${encodeURIComponent(value)}`)).body.data[0];
const inForceOf = async (sid: string) =>
  (await people.suppressions(sid))
    .filter(({ active }: { active: boolean }) => active)
    .map(({ reason, scope }: { reason: string; scope: string }) => [reason, scope]);

/** Somebody who forbade something and was forgotten: their number. */
async function forgotten(terms: object = { scope: 'ALL' }, consent?: object): Promise<string> {
  const number = newPhone();
  const { sid } = await people.contact({ identifiers: [phone(number)], displayName: 'Marguerite' });
  await people.suppress(sid, terms);
  if (consent) await people.consent(sid, consent);
  await forget(sid);
  assert.equal(await byPhone(number), undefined);
  return number;
}
const complaint = { reason: 'COMPLAINT', scope: 'MARKETING' };

suite('whoever forbade something and was forgotten', () => {
  test('is not written to by a number that no contact has: alone, in a batch, and in preflight', async () => {
    const number = await forgotten();
    assert.equal(codeOf(await send(number)), 'CONTACT_SUPPRESSED');
    const batch = await app.post(`${app.at}/messages/batch`, {
      messages: [hello(newPhone()), hello(number)],
    });
    assert.ok(batch.text.includes('CONTACT_SUPPRESSED'), batch.text);
    const preflight = await app.post(`${app.at}/messages/preflight`, hello(number));
    assert.ok(preflight.text.includes('CONTACT_SUPPRESSED'), preflight.text);
    assert.equal(await byPhone(number), undefined, 'nobody was made of it');
  });

  test('is not written to after a no to a purpose alone', async () => {
    const number = await forgotten(complaint, { purpose: 'TRANSACTIONAL', status: 'REVOKED' });
    assert.equal(codeOf(await send(number)), 'CONSENT_REQUIRED');
  });

  test('gets the no back with a message they did not forbid', async () => {
    const number = await forgotten(complaint, { purpose: 'MARKETING', status: 'OPTED_OUT' });
    assert.equal(codeOf(await send(number)), 201);
    const { sid, consent } = await byPhone(number);
    assert.deepEqual(await inForceOf(sid), [['COMPLAINT', 'MARKETING']]);
    assert.equal(consent.MARKETING.status, 'OPTED_OUT');
    const [record] = await people.consents(sid);
    assert.equal(record.evidence.reason, 'Said before their data was erased.');
  });

  test('gets it back when they are found or made by hand, and the answer tells it', async () => {
    const number = await forgotten(complaint, { purpose: 'MARKETING', status: 'OPTED_OUT' });
    const made = await app.post(`${app.at}/contacts`, { identifiers: [phone(number)] });
    assert.deepEqual([made.status, made.body.consent.MARKETING.status], [201, 'OPTED_OUT']);
    assert.deepEqual(await inForceOf(made.body.sid), [['COMPLAINT', 'MARKETING']]);
  });

  test('gets it back from an import', async () => {
    const number = await forgotten({ scope: 'ALL' });
    const given = { format: 'csv', content: `phone\n${number}\n${newPhone()}\n` };
    const { body } = await app.post(`${app.at}/contacts/import`, given);
    assert.equal((await operationsOf(app).ended(body.sid)).state, 'SUCCEEDED');
    assert.deepEqual(await inForceOf((await byPhone(number)).sid), [['CUSTOMER_OPT_OUT', 'ALL']]);
  });

  test('is not written to once the no is back, and is after they take it back themselves', async () => {
    const number = await forgotten({ scope: 'ALL' });
    const { sid } = await people.contact({ identifiers: [phone(number)] });
    assert.equal(codeOf(await send(number)), 'CONTACT_SUPPRESSED');
    assert.equal((await app.delete(`${app.at}/suppressions`, { contactSid: sid })).status, 200);
    assert.equal(codeOf(await send(number)), 201);
    await forget(sid);
    assert.equal(codeOf(await send(number)), 201, 'there was nothing left to keep');
  });

  test('is written to again once it is lifted by their number, of the scope that was meant', async () => {
    const number = await forgotten({ scope: 'ALL' });
    const lift = (body: object) => app.delete(`${app.at}/suppressions`, { identifier: number, ...body });
    assert.deepEqual((await lift({ scope: 'MARKETING' })).body.data, []);
    assert.equal(codeOf(await send(number)), 'CONTACT_SUPPRESSED');
    assert.deepEqual((await lift({ reason: 'asked to return' })).body.data, []);
    assert.equal(codeOf(await send(number)), 201);
    const { body } = await app.get(`${app.at}/audit-events?action=erased_opt_out.lifted`);
    assert.deepEqual([body.data.length, body.data[0].facts.reason], [1, 'asked to return']);
  });

  test('is known by everything they were known by, and gets the no back once', async () => {
    const [number, other, scopeRef] = [newPhone(), newPhone(), 'portfolio-1'];
    const bsuid = { identifierType: 'bsuid', value: `FR.${Date.now()}`, scopeRef };
    const { sid } = await people.contact({ identifiers: [phone(number), bsuid] });
    await people.suppress(sid, complaint);
    await forget(sid);
    const back = await people.contact({ identifiers: [phone(number)] });
    assert.equal((await app.delete(`${app.at}/suppressions`, { contactSid: back.sid })).status, 200);
    const same = await people.contact({ identifiers: [phone(number), bsuid] });
    assert.equal(same.sid, back.sid);
    assert.deepEqual(await inForceOf(back.sid), [], 'what they took back stays taken back');

    const second = await people.contact({ identifiers: [phone(other), { ...bsuid, value: 'FR.2' }] });
    await people.suppress(second.sid, complaint);
    await forget(second.sid);
    const [one, two] = [
      await people.contact({ identifiers: [phone(other)] }),
      await people.contact({ identifiers: [{ ...bsuid, value: 'FR.2' }] }),
    ];
    for (const { sid } of [one, two]) assert.deepEqual(await inForceOf(sid), [['COMPLAINT', 'MARKETING']]);
  });

  test('does not get back what ran out meanwhile', async () => {
    const expiresAt = new Date(app.clock.now().getTime() + 60_000).toISOString();
    const number = await forgotten({ scope: 'ALL', expiresAt });
    assert.equal(codeOf(await send(number)), 'CONTACT_SUPPRESSED');
    app.clock.advance(60_000);
    assert.equal(codeOf(await send(number)), 201);
    assert.deepEqual(await inForceOf((await byPhone(number)).sid), []);
  });

  test('is nobody to another account and in the other environment', async () => {
    const number = await forgotten();
    const elsewhere = await messagesOf(app);
    const [sid] = await elsewhere.write((t) => contactsFor(t, { consentsOf }, [phoneOf(number)]));
    assert.equal(await app.count(`suppressions where contact_sid = '${sid}'`), 0);
  });

  test('can be found in what is kept neither by reading nor by guessing', async () => {
    const number = await forgotten();
    const rows = await app.sql<{ row: string; hash: Buffer }>(
      'select e::text as row, hash from erased_opt_outs e where account_sid = $1',
      [app.accountSid],
    );
    const guesses = [number, number.slice(1), `phone_e164  ${number}`].map((text) => sha256(text));
    for (const { row, hash } of rows) {
      assert.ok(!row.includes(number.slice(1)) && !row.includes('Marguerite'), row);
      assert.ok(!guesses.some((guess) => guess.equals(hash)));
    }
    assert.ok(rows.length > 0);
  });
});

suite('on the way out and in', () => {
  test('what is in line is handed to nobody who gets a no back', async () => {
    const messages = await messagesOf(app);
    const number = newPhone();
    const terms = { reason: 'KEYWORD_OPT_OUT', scope: 'MARKETING', source: 'test' } as const;
    const { suppressContact } = await import('../../src/modules/consent/index.ts');
    await messages.write(async (t) => {
      const [sid] = await contactsFor(t, { consentsOf }, [phoneOf(number)]);
      await suppressContact(t, sid!, terms);
      await keepOptOuts(t, [sid!]);
    });
    // Past the gates, as if it had been judged before.
    const sid = await messages.accepted({ to: number, category: 'marketing', type: 'template' });
    const dispatcher = await dispatcherOf(app, { provider: fakeProvider() });
    await until('it is decided', async () => {
      await dispatcher.sweep();
      return (await messages.state(sid)).waiting === false;
    });
    const { status, error } = (await messages.state(sid)) as { status: string; error: { code: string } };
    assert.deepEqual([status, error.code], ['failed', 'RECIPIENT_OPTED_OUT']);
  });

  test('whoever writes to us gets it back, and a message of theirs changes nothing', async () => {
    const messages = await messagesOf(app);
    const number = newPhone();
    const { suppressContact } = await import('../../src/modules/consent/index.ts');
    await messages.write(async (t) => {
      const [sid] = await contactsFor(t, { consentsOf }, [phoneOf(number)]);
      await suppressContact(t, sid!, { reason: 'COMPLAINT', scope: 'ALL', source: 'test' });
      await keepOptOuts(t, [sid!]);
    });
    const who = { waId: number.slice(1), bsuid: null, parentBsuid: null, profileName: 'M', username: null };
    await messages.receive(messages.inbound({ type: 'text', body: 'Hello?' }, { from: who }));
    const rows = await app.sql(
      `select s.reason, s.scope from suppressions s join contact_identifiers i using (account_sid, contact_sid)
        where i.value = $1 and s.account_sid = $2 and s.lifted_at is null`,
      [number, messages.accountSid],
    );
    assert.deepEqual(rows, [{ reason: 'COMPLAINT', scope: 'ALL' }]);
  });

  const context = () => ({
    principal: systemPrincipal('test', false),
    now: app.clock.now(),
    requestId: 'test',
    log: silentLog,
  });

  test('an account in which nobody was forgotten pays no statement for it', async () => {
    const { tenant } = await messagesOf(app);
    const asked = () =>
      app.database.write(
        tenant,
        context(),
        async (t) => {
          const counted = countingStatements(t);
          await erasedOptOuts(counted.t, [phoneOf(newPhone())]);
          return counted.count();
        },
        { usesKeptFacts: true },
      );
    assert.equal(await asked(), 1, 'the first time it is looked up');
    assert.deepEqual([await asked(), await asked()], [0, 0]);
  });

  test('an account in which others were forgotten makes contacts of strangers beside other accounts, without a statement more', async () => {
    const other = await messagesOf(app);
    const number = await forgotten();
    const entrants = [{ accountSid: app.accountSid, livemode: false }, other.tenant].map((tenant) => ({
      tenant,
      requestContext: context(),
    }));
    const makes = (...numbers: string[]) =>
      app.database.writeTogether(
        entrants,
        async (t) => {
          const { t: own, count } = countingStatements(t);
          let together = 0;
          const merged: typeof t.merged = (statement, items) => {
            together += 1;
            return t.merged(statement, items);
          };
          const whom = t.accountSid === app.accountSid ? numbers : [newPhone()];
          const sids = await contactsFor({ ...own, merged }, { consentsOf }, whom.map(phoneOf));
          return { made: sids.length, asked: count() + together };
        },
        { usesKeptFacts: true },
      );
    await makes(newPhone());
    const [mine, theirs] = await makes(newPhone(), newPhone());
    assert.deepEqual([mine, theirs], [{ ...(theirs as object), made: 2 }, theirs]);
    // One of whom something may have to be given back is nobody others wait for.
    const [alone, beside] = await makes(newPhone(), number);
    assert.ok(alone instanceof OwnTransactionNeeded);
    assert.deepEqual(beside, theirs);
  });
});
