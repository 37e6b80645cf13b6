// What is told to a service that dies meanwhile: a person is erased, a run of retention removes what is old, a hold is released. Each ends
// by proving that everything happened once, and to nobody else.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { newPhone } from '../../src/modules/contacts/fixtures.ts';
import { day, type Keeping, keepingIn } from '../../src/modules/retention/retention.test-data.ts';
import { firstSid } from '../../src/platform/ids.ts';
import type { TestApp } from '../harness/app.ts';
import { phone } from '../harness/contacts.ts';
import { privacyOf } from '../harness/privacy.ts';
import { type RestartedService, type Story, waitFor } from './killed-work.ts';

// More than a page of each.
const many = 1_100;

export function removalStories({ app, service }: { app: TestApp; service: RestartedService }) {
  const wait = (what: string, condition: () => Promise<unknown>) =>
    waitFor({ app, service }, what, condition);
  const told = async (accountSid: string, type: string) =>
    (await app.sql('select from events where account_sid = $1 and type = $2', [accountSid, type])).length;

  /** So many finished messages of that age, with what the provider calls them; every fifth to `fifth`. */
  async function seed(
    { accountSid, senders }: Keeping,
    daysAgo: number,
    { contactSid, fifth = contactSid, mark = '0' }: { contactSid: string; fifth?: string; mark?: string },
  ) {
    const at = new Date(app.clock.now().getTime() - daysAgo * day);
    const prefix = `${firstSid('SM', at).slice(0, 17)}${mark}`;
    await app.sql(
      `with item as (
         select $3 || lpad(n::text, 10, '0') as sid, case when n % 5 = 0 then $5 else $6 end as contact
           from generate_series(1, $7::integer) n),
       stored as (
         insert into messages (account_sid, livemode, sid, direction, type, sender_sid, contact_sid, identifier_type, address, content,
           extras, created_by, created_at)
         select $1, false, sid, 'outbound', 'text', $2, contact, 'phone_e164', '+33612345678', '{"body":"x"}', '{}', 'test', $4 from item),
       named as (
         insert into provider_messages (account_sid, livemode, provider_message_id, message_sid)
         select $1, false, 'wamid.' || sid, sid from item)
       insert into message_states (account_sid, livemode, sid, sender_sid, status, rank, waiting, updated_at)
       select $1, false, sid, $2, 'read', 40, false, $4 from item`,
      [accountSid, senders[0], prefix, at, fifth, contactSid, many],
    );
  }

  /** Sent to the service that dies, by somebody who signed in, until it is answered. */
  const sent = (path: string, headers: object, body: object) => {
    // A signed-in person brings no key.
    const cookies = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    return service.send('POST', path, { headers: cookies, body, key: randomUUID() });
  };

  /** Somebody of whom every kind of thing is known. */
  async function somebody({ at, key }: Keeping): Promise<string> {
    const post = async (path: string, body: object): Promise<string> => {
      const reply = await app.post(`${at}/contacts${path}`, body, key);
      assert.equal(reply.status, 201, reply.text);
      return reply.body.sid;
    };
    const contactSid = await post('', { identifiers: [phone(newPhone())], displayName: 'Marguerite' });
    await post(`/${contactSid}/consents`, { purpose: 'MARKETING', source: 'FORM', status: 'OPTED_IN' });
    await post(`/${contactSid}/suppressions`, { reason: 'COMPLAINT', scope: 'ALL', source: 'They called' });
    return contactSid;
  }

  /** What an erasure counts that nothing disturbs. */
  let undisturbed: Promise<object> | undefined;

  async function erasure(): Promise<Story<object>> {
    const keeping = await keepingIn(app);
    const { accountSid } = keeping;
    const [erased, other] = [await somebody(keeping), await somebody(keeping)];
    await seed(keeping, 0, { contactSid: erased, mark: '1' });
    await seed(keeping, 0, { contactSid: other, mark: '2' });
    const privacy = privacyOf(app, { accountSid, livemode: false });
    const { headers, stepUpToken } = await privacy.confirmed('PRIVACY_REQUEST_CREATE');
    const asked = { kind: 'ERASURE', reason: 'Asked', subject: { contactSid: erased }, stepUpToken };
    return async () => {
      const reply = await sent(privacy.all, headers, asked);
      assert.equal(reply.status, 202, JSON.stringify(reply.body));
      const { sid } = reply.body;
      const request = async () => {
        const rows = await app.sql<{ state: string; counts: Record<string, number>; certificate: string }>(
          'select state, counts, certificate from privacy_requests where sid = $1',
          [sid],
        );
        return rows[0]!;
      };
      await wait('it settles', async () => (await request()).state === 'SETTLING');
      await app.sql('update erasures set settled_at = created_at where request_sid = $1', [sid]);
      await wait('it has ended', async () => (await request()).state === 'COMPLETED');
      const { counts, certificate } = await request();
      const claims = JSON.parse(Buffer.from(certificate.split('.')[1]!, 'base64url').toString());
      assert.deepEqual(claims.counts, counts);
      await erasedOnce(accountSid, { erased, other }, counts);
      return counts;
    };
  }

  async function erasedOnce(
    accountSid: string,
    { erased, other }: { erased: string; other: string },
    counts: Record<string, number>,
  ): Promise<void> {
    const count = async (from: string, whose: string) =>
      (await app.sql(`select from ${from} and account_sid = $1 and contact_sid = $2`, [accountSid, whose]))
        .length;
    assert.deepEqual([counts.messages, counts.provider_messages], [many, many]);
    assert.equal(await count('messages where address is null', erased), many);
    assert.equal(await count('messages where address is not null and content is not null', other), many);
    assert.equal(await count('contact_identifiers where true', other), 1);
    const named = await app.sql('select from provider_messages where account_sid = $1', [accountSid]);
    assert.equal(named.length, many);
    const requests = await app.sql('select from privacy_requests where account_sid = $1', [accountSid]);
    assert.equal(requests.length, 1);
    for (const type of ['contact.erased', 'privacy_request.created', 'privacy_request.completed'])
      assert.equal(await told(accountSid, type), 1, type);
  }

  return {
    /** Whoever is killed has counted what was counted where nobody was. */
    async erasing(): Promise<Story> {
      undisturbed ??= erasure().then((story) => story());
      const expected = await undisturbed;
      const story = await erasure();
      return async () => assert.deepEqual(await story(), expected);
    },

    async retention(): Promise<Story> {
      const keeping = await keepingIn(app);
      const [held, contactSid] = [await keeping.contact(), await keeping.contact()];
      await seed(keeping, 100, { contactSid, fifth: held });
      await seed(keeping, 40, { contactSid, fifth: held });
      await keeping.hold({ type: 'CONTACT', contactSid: held });
      await keeping.keepFor(30, 2);
      const { removes } = await keeping.preview(30, 2);
      return async () => {
        const operationSid = await keeping.begin();
        const operation = async () => (await keeping.get(`/operations/${operationSid}`)).body;
        await wait('the run has ended', async () => (await operation()).finishedAt !== null);
        const { state, result } = await operation();
        const going = (many * 4) / 5;
        assert.deepEqual([state, result], ['SUCCEEDED', removes]);
        assert.deepEqual([result.messages, result.messageContents], [going, going]);
        const left = [...(await keeping.left()).values()];
        assert.deepEqual([left.length, left.filter((whole) => !whole).length], [2 * many - going, going]);
        assert.equal(await told(keeping.accountSid, 'retention.completed'), 1);
        assert.deepEqual((await keeping.preview(30, 2)).removes, {
          messageContents: 0,
          messages: 0,
          mediaFiles: 0,
          mediaBytes: 0,
          analyticsDays: 0,
        });
      };
    },

    /** What the hold kept goes with its release: a file that was deleted meanwhile, and somebody whose erasure was parked. */
    async release(): Promise<Story> {
      const keeping = await keepingIn(app);
      const { accountSid } = keeping;
      const mediaSid = await keeping.file();
      const contactSid = await keeping.contact();
      await keeping.old({ daysAgo: 1, contactSid, mediaSid });
      const id = await keeping.hold({ type: 'CONTACT', contactSid });
      await app.send('DELETE', `${keeping.at}/media/${mediaSid}`, { headers: keeping.key });
      const privacy = privacyOf(app, { accountSid, livemode: false });
      const { sid } = await privacy.asked('ERASURE', { contactSid });
      const isIn = (state: string) =>
        app.sql('select from privacy_requests where sid = $1 and state = $2', [sid, state]);
      await wait('the erasure is parked', async () => (await isIn('PARKED')).length > 0);
      const { headers, stepUpToken } = await keeping.stepUp('LEGAL_HOLD_RELEASE');
      const filesKept = () => app.sql('select from media where sid = $1 and file_id is not null', [mediaSid]);
      assert.equal((await filesKept()).length, 1);
      return async () => {
        const reply = await sent(`${keeping.at}/legal-holds/${id}/release`, headers, {
          caseRef: 'x',
          stepUpToken,
        });
        assert.deepEqual([reply.status, reply.body.state], [200, 'RELEASED'], JSON.stringify(reply.body));
        await wait('the file is let go', async () => (await filesKept()).length === 0);
        await wait('the erasure goes on', async () => (await isIn('SETTLING')).length > 0);
        for (const type of ['legal_hold.released', 'privacy_request.parked', 'privacy_request.resumed'])
          assert.equal(await told(accountSid, type), 1, type);
      };
    },
  };
}
