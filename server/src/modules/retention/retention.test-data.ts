// Accounts with messages of many ages, and a way to let their run happen.
import assert from 'node:assert/strict';
import { bearer, type Reply, type TestApp } from '../../../test/harness/app.ts';
import { runCron, runJob, write } from '../../../test/harness/jobs.ts';
import { messagesOf } from '../../../test/harness/messages.ts';
import { type Person, person } from '../../../test/harness/people.ts';
import { privacyOf } from '../../../test/harness/privacy.ts';
import { sql } from '../../platform/db/query.ts';
import { newSid } from '../../platform/ids.ts';
import { insertReadyMedia } from '../media/fixtures.ts';
import { noteMediaUses } from '../media/index.ts';
import { startRetention } from './crons.ts';
import { retentionRun } from './run.ts';

export const day = 24 * 60 * 60 * 1000;

export type Keeping = Awaited<ReturnType<typeof keepingIn>>;

type Old = {
  daysAgo: number;
  contactSid: string;
  campaignSid?: string | null;
  waiting?: boolean;
  unsettled?: boolean;
  mediaSid?: string | null;
};

/** An account of its own, in its sandbox. */
export async function keepingIn(app: TestApp) {
  const { account, accountSid, senderSid, newSender } = await messagesOf(app);
  const at = `/v1/accounts/${accountSid}`;
  const key = bearer(account.sandboxKey);
  const place = { app, accountSid };
  let owner: Person | undefined;
  const stepUp = async (action: string) => {
    owner ??= await person(app, { accountSid });
    const { headers } = await owner.signInAgain();
    return { headers, stepUpToken: await owner.stepUp(action, headers) };
  };
  const contact = async () => {
    const sid = newSid('CT', app.clock.now());
    await write(place, (t) =>
      t.run(sql`
        insert into contacts (account_sid, livemode, sid, search, created_at, updated_at)
        values (${t.accountSid}, false, ${sid}, '', ${t.now}, ${t.now})`),
    );
    return sid;
  };
  const senders = [senderSid, await newSender()];
  /** A message of that age, finished unless said otherwise. */
  const old = (given: Old & { sender?: number }): Promise<string> => {
    const {
      daysAgo,
      contactSid,
      campaignSid = null,
      waiting = false,
      unsettled = false,
      mediaSid = null,
    } = given;
    const madeAt = new Date(app.clock.now().getTime() - daysAgo * day);
    const sid = newSid('SM', madeAt);
    const sender = senders[given.sender ?? 0]!;
    return write(place, async (t) => {
      await t.run(sql`
        insert into messages (account_sid, livemode, sid, direction, type, sender_sid, contact_sid, identifier_type, address, content,
          extras, campaign_sid, created_by, created_at)
        values (${t.accountSid}, false, ${sid}, 'outbound', 'text', ${sender}, ${contactSid}, 'phone_e164', '+33612345678',
          ${JSON.stringify({ body: 'Hello \u0000' })}::json, ${JSON.stringify({ metadata: { order: '7' }, context: { forwarded: '\u0000' } })}::json,
          ${campaignSid}, 'test', ${madeAt})`);
      await t.run(sql`
        insert into message_states (account_sid, livemode, sid, sender_sid, status, rank, waiting, due_at, turn_at, updated_at)
        values (${t.accountSid}, false, ${sid}, ${sender}, ${waiting ? 'queued' : 'read'}, ${waiting ? 0 : 40}, ${waiting},
          ${waiting ? new Date('2099-01-01') : null}, ${waiting ? new Date('2099-01-01') : null}, ${madeAt})`);
      await t.run(sql`
        insert into provider_messages (account_sid, livemode, provider_message_id, message_sid)
        values (${t.accountSid}, false, ${`wamid.${sid}`}, ${sid})`);
      if (unsettled)
        await t.run(sql`
          insert into message_holds (account_sid, livemode, message_sid, wallet_id, amount_minor, held_at)
          select account_sid, livemode, ${sid}, id, 0, ${madeAt} from wallets where account_sid = ${t.accountSid} and not livemode limit 1`);
      if (mediaSid) {
        await noteMediaUses({ ...t, now: madeAt } as typeof t, [
          { mediaSid, messageSid: sid, contactSid, senderSid: sender, campaignSid },
        ]);
      }
      return sid;
    });
  };
  const put = async (body: object): Promise<Reply> => {
    const { headers, stepUpToken } = await stepUp('RETENTION_POLICY_CHANGE');
    return app.send('PUT', `${at}/privacy/retention-policy`, { body: { ...body, stepUpToken }, headers });
  };
  /** The run begins, and does not go on. */
  const begin = async (): Promise<string> => {
    await app.sql('update retention_policies set next_run_at = $2 where account_sid = $1', [
      accountSid,
      app.clock.now(),
    ]);
    await runCron(app, startRetention);
    const [row] = await app.sql<{ operation_sid: string }>(
      'select operation_sid from retention_policies where account_sid = $1',
      [accountSid],
    );
    return row!.operation_sid;
  };
  const goOn = (operationSid: string) => runJob(place, retentionRun.job, { operationSid });
  return {
    ...place,
    at,
    key,
    place,
    contact,
    senders,
    old,
    put,
    stepUp,
    get: (path: string) => app.get(`${at}${path}`, key),
    post: (path: string, body: object) => app.post(`${at}${path}`, body, key),
    async hold(scope: object): Promise<string> {
      const reply = await app.post(`${at}/legal-holds`, { caseRef: 'Case', scope }, key);
      assert.equal(reply.status, 201, reply.text);
      return reply.body.id;
    },
    async release(id: string): Promise<void> {
      const { headers, stepUpToken } = await stepUp('LEGAL_HOLD_RELEASE');
      const reply = await app.post(`${at}/legal-holds/${id}/release`, { caseRef: 'x', stepUpToken }, headers);
      assert.equal(reply.status, 200, reply.text);
    },
    restrict: (contactSid: string) => privacyOf(app, { accountSid, livemode: false }).restrict(contactSid),
    file: () => insertReadyMedia(app, { accountSid, days: 3650 }),
    /** Sets the policy and waits until it counts. */
    async keepFor(messageContentDays: number | null, messageMetadataMonths: number | null) {
      const reply = await put({ messageContentDays, messageMetadataMonths });
      assert.equal(reply.status, 200, reply.text);
      await app.sql('update retention_policies set effective_from = null where account_sid = $1', [
        accountSid,
      ]);
    },
    begin,
    goOn,
    /** What the last run removed. */
    async run() {
      const operationSid = await begin();
      await goOn(operationSid);
      const { body } = await app.get(`${at}/operations/${operationSid}`, key);
      assert.equal(body.state, 'SUCCEEDED', JSON.stringify(body));
      return body.result;
    },
    preview: async (days: number | null, months: number | null) => {
      const query = new URLSearchParams();
      if (days !== null) query.set('messageContentDays', String(days));
      if (months !== null) query.set('messageMetadataMonths', String(months));
      const reply = await app.get(`${at}/privacy/retention-policy/preview?${query}`, key);
      assert.equal(reply.status, 200, reply.text);
      return reply.body;
    },
    /** Every message with whether its content is there. */
    async left(): Promise<Map<string, boolean>> {
      const rows = await app.sql<{ sid: string; whole: boolean }>(
        'select sid, content_removed_at is null as whole from messages where account_sid = $1',
        [accountSid],
      );
      return new Map(rows.map(({ sid, whole }) => [sid, whole]));
    },
  };
}
