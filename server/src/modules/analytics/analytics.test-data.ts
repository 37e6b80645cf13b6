// An account whose messages are counted in a test: they are sent through the API, and the provider's words are the test's.
import assert from 'node:assert/strict';
import { bearer, type TestApp } from '../../../test/harness/app.ts';
import type { Lifetime } from '../../../test/harness/lifetime.ts';
import { messagesOf } from '../../../test/harness/messages.ts';
import { loopContext } from '../../../test/harness/webhooks.ts';
import { beginConsuming } from '../../platform/event-consumers/consume.ts';
import { silentLog } from '../../platform/observability/logging.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { newPhone } from '../contacts/fixtures.ts';
import type { ProviderStatus } from '../provider/index.ts';
import { analyticsConsumer } from './counting/consume.ts';
import { verifyDay } from './counting/verify.ts';

export const regular = { billable: true, model: 'PMP', type: 'regular', category: 'utility' };

export type Counting = Awaited<ReturnType<typeof countingIn>>;

export async function countingIn(app: TestApp, lifetime: Lifetime) {
  const context = await loopContext(app, lifetime);
  const messages = await messagesOf(app);
  const { accountSid, account, tenant } = messages;
  const headers = bearer(account.sandboxKey);
  const at = `/v1/accounts/${accountSid}`;
  const { body } = await app.send('GET', `${at}/senders`, { headers });
  const senders: { sid: string; wabaSid: string | null }[] = body.data;
  const from = senders.find(({ sid, wabaSid }) => wabaSid !== null && sid !== messages.senderSid)!.sid;
  const ask = async (question: string) => {
    const reply = await app.send('GET', `${at}/analytics/messages?${question}`, { headers });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };
  const asSystem = () => ({
    principal: systemPrincipal('test', false),
    now: app.clock.now(),
    requestId: 'test',
    log: silentLog,
  });
  return {
    ...messages,
    at,
    headers,
    from,
    ask,
    /** A template to somebody new, as a client sends it. Tells its SID. */
    async send(more: object = {}): Promise<string> {
      const template = { name: 'hello_world', language: 'en' };
      const message = { from, to: newPhone(), type: 'template', template, ...more };
      const reply = await app.send('POST', `${at}/messages`, { headers, body: message });
      assert.equal(reply.status, 201, reply.text);
      return reply.body.sid;
    },
    report: (sid: string, status: ProviderStatus['status'], more: Partial<ProviderStatus> = {}) =>
      messages.apply(messages.status(sid, status, more)),
    /** Counts everything that happened up to this moment. */
    async count(): Promise<void> {
      const turns = beginConsuming(analyticsConsumer, context, { waitsMs: Number.POSITIVE_INFINITY });
      while (await turns.turn());
    },
    /** How many messages of a day stand where, by the answers of the API. */
    async statuses(day: string): Promise<Record<string, number>> {
      const rows: { status: string; messages: number }[] = await ask(`from=${day}&to=${day}&groupBy=status`);
      return Object.fromEntries(rows.map(({ status, messages: count }) => [status, count]));
    },
    /** Every difference between the numbers of a day and its messages. */
    differences: (day: string) =>
      app.database.write(tenant, asSystem(), (t) => verifyDay(t, day), { readsOnly: true }),
    /** The same, counted by the test itself from the messages alone. */
    async recounted(day: string): Promise<Record<string, number>> {
      const rows = await app.sql<{ status: string; n: number }>(
        `select s.status, count(*)::integer as n from messages m join message_states s using (account_sid, sid)
          where m.account_sid = $1 and not m.livemode and (m.created_at at time zone 'UTC')::date = $2::date group by 1`,
        [accountSid, day],
      );
      return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
    },
  };
}
