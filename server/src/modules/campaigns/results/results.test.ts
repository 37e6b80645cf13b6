import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { TestApp } from '../../../../test/harness/app.ts';
import { failing } from '../../../../test/harness/messages.ts';
import { ownAccounts } from '../../../../test/harness/own-account.ts';
import { silentLog } from '../../../platform/observability/logging.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { applyStatuses, type Message, receiveMessages } from '../../messages/index.ts';
import type { ProviderStatus } from '../../provider/index.ts';
import { hello, offerTo, sceneOf } from '../campaigns.test-data.ts';
import type { CampaignResults } from './schema.ts';

const newApp = ownAccounts();

const inTenant = (app: TestApp, work: Parameters<typeof app.database.write<unknown>>[2]) =>
  app.database.write(
    { accountSid: app.accountSid, livemode: false },
    { principal: systemPrincipal('test', false), now: app.clock.now(), requestId: 'test', log: silentLog },
    work,
  );

/** What the provider reports of a message, each step after the ones before it. */
function reportsOf(app: TestApp, { sid, from }: Message, end: string): ProviderStatus[] {
  const said = (status: ProviderStatus['status'], more: Partial<ProviderStatus> = {}): ProviderStatus =>
    ({
      providerMessageId: `wamid.${sid}`,
      status,
      opaque: sid,
      occurredAt: app.clock.now(),
      recipient: { waId: null, bsuid: null, parentBsuid: null },
      pricing: { type: 'regular', category: 'utility', model: 'pmp', billable: true },
      conversation: null,
      failure: null,
      senderSid: from!,
      wabaSid: null,
      ...more,
    }) as ProviderStatus;
  if (end === 'queued') return [];
  if (end === 'failed')
    return [said('sent'), said('failed', { failure: failing('PROVIDER_TEMPORARY_ERROR').failure })];
  const steps = ['sent', 'delivered', 'read'] as const;
  return steps.slice(0, steps.indexOf(end as 'sent') + 1).map((status) => said(status));
}

const ends = ['queued', 'sent', 'delivered', 'read', 'failed', 'read', 'delivered'];

suite('the results of a campaign', () => {
  test('are what a count of its messages says, in all and by variant', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const sids = await scene.contacts(20);
    for (const sid of sids.slice(2)) await scene.people.consent(sid);
    const { sid } = await scene.launched(sids, {
      message: undefined,
      variants: [
        { message: hello, weight: 50 },
        { message: offerTo('you'), weight: 50 },
      ],
    });
    await scene.run(sid);
    const messages: Message[] = await scene.messages(sid);
    for (const [at, message] of messages.entries()) {
      const reports = reportsOf(app, message, ends[at % ends.length]!);
      if (reports.length > 0) await inTenant(app, (t) => applyStatuses(t, reports));
    }
    app.clock.advance(60_000);
    const read = messages.filter((_, at) => ends[at % ends.length] === 'read');
    await inTenant(app, (t) =>
      receiveMessages(
        t,
        [read[0]!, read[1]!].map(({ to, from }, at) => ({
          providerMessageId: `wamid.in.${at}`,
          occurredAt: app.clock.now(),
          from: {
            waId: to.value.slice(1),
            bsuid: null,
            parentBsuid: null,
            profileName: 'Ines',
            username: null,
          },
          content: { type: 'text', body: at === 0 ? 'Thanks' : 'STOP' },
          replyTo: null,
          forwarded: 'no' as const,
          referredProduct: null,
          referral: null,
          senderSid: from!,
          wabaSid: null,
        })) as never,
      ),
    );
    // What is said a week later is said to something else.
    app.clock.advance(8 * 86_400_000);
    await scene.people.suppress(read[2]!.to.contactSid!, { scope: 'ALL' });
    const reply = await app.get(`${scene.all}/${sid}/results`);
    assert.equal(reply.status, 200, reply.text);
    const results: CampaignResults = reply.body;
    const recipients = await scene.recipients(sid);
    const told: Message[] = await scene.messages(sid);
    const recount = (variant: number | null) => {
      const own = recipients.filter((one) => variant === null || one.variant === variant);
      const sent = own.flatMap(({ messageSid }) => told.find((one) => one.sid === messageSid) ?? []);
      const having = (field: 'sentAt' | 'deliveredAt' | 'readAt') =>
        sent.filter((one) => one[field] !== null && one.status !== 'failed').length;
      const whose = (at: number) => (sent.some((one) => one.sid === read[at]!.sid) ? 1 : 0);
      return {
        messages: sent.length,
        queued: sent.filter(({ status }) => status === 'queued').length,
        sent: sent.filter(({ sentAt }) => sentAt !== null).length,
        delivered: having('deliveredAt'),
        read: having('readAt'),
        replied: whose(0) + whose(1),
        optedOut: whose(1),
        failed: sent.filter(({ status }) => status === 'failed').length,
        refused: own.filter(({ outcome }) => outcome === 'REFUSED').length,
        cost: sent.reduce((sum, { price }) => sum + BigInt(price?.final?.amountMinor ?? 0), 0n).toString(),
      };
    };
    const counted = ({ messages: all, cost, ...one }: CampaignResults['total']) => ({
      messages: all,
      queued: one.queued,
      sent: one.sent,
      delivered: one.delivered,
      read: one.read,
      replied: one.replied,
      optedOut: one.optedOut,
      failed: one.failed,
      refused: one.refused,
      cost: cost.amountMinor,
    });
    assert.deepEqual(counted(results.total), recount(null));
    assert.deepEqual([results.total.replied, results.total.optedOut], [2, 1]);
    assert.ok(BigInt(results.total.cost.amountMinor) > 0n && BigInt(results.total.held.amountMinor) > 0n);
    for (const variant of [0, 1]) assert.deepEqual(counted(results.variants[variant]!), recount(variant));
    const { failures, failed } = results.total;
    assert.equal(
      failures.reduce((sum, { count }) => sum + count, 0),
      failed,
    );
    const { share, low, high } = results.total.rates.delivered;
    assert.equal(share, Math.round((results.total.delivered / results.total.sent) * 1e6) / 1e6);
    assert.ok(low! < share! && share! < high!);
  });

  test('of a draft are nothing yet, and of another account not found', async () => {
    const app = await newApp();
    const scene = await sceneOf(app);
    const { sid } = await scene.draft(await scene.contacts(1));
    const { body, text } = await app.get(`${scene.all}/${sid}/results`);
    assert.ok(body.total, text);
    assert.deepEqual([body.recipients, body.total.messages, body.variants], [0, 0, []]);
    assert.deepEqual(body.total.rates.read, { share: null, low: null, high: null });
    const other = await newApp();
    assert.equal((await other.get(`${other.at}/campaigns/${sid}/results`)).status, 404);
  });
});
