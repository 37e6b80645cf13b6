// The campaign a message is sent by follows it from the door of the module to the line of an invoice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closePeriods } from '../../src/modules/invoices/closing/jobs.ts';
import { submitInvoice } from '../../src/modules/invoices/issuing/submit-invoice.ts';
import { admitEach, applyStatuses, judgeMessage, type Message } from '../../src/modules/messages/index.ts';
import { newSid } from '../../src/platform/ids.ts';
import { startTestApp } from '../harness/app.ts';
import { billingOf } from '../harness/billing.ts';
import { charged, owing } from '../harness/invoices.ts';
import { runJob, write } from '../harness/jobs.ts';
import { sharedLifetime } from '../harness/lifetime.ts';

const lifetime = sharedLifetime();

test('the campaign stands on the message, its charge and the messages of the invoice line, and both lists find it by that', async () => {
  const app = await startTestApp(lifetime);
  const billing = billingOf(app, { livemode: false });
  const walletId = await owing(billing, { mode: 'postpaid', limit: 10n ** 12n });
  const sender = (await app.get(`${app.at}/senders?limit=1`)).body.data[0];
  const campaignSid = newSid('CP', app.clock.now());
  const body = (to: string) => ({
    from: sender.sid,
    to,
    type: 'template',
    template: { name: 'hello_world', language: 'en' },
  });
  const [mine, other] = (await write({ app }, (t) =>
    admitEach(t, [
      { body: judgeMessage(body('+33612003411')), author: t.principal, campaignSid },
      { body: judgeMessage(body('+33612003412')), author: t.principal },
    ]),
  )) as [Message, Message];
  assert.deepEqual([mine.campaignSid, other.campaignSid], [campaignSid, null]);
  const delivered = (sid: string) => ({
    providerMessageId: `wamid.${sid}`,
    status: 'delivered',
    opaque: sid,
    occurredAt: app.clock.now(),
    recipient: { waId: null, bsuid: null, parentBsuid: null },
    pricing: { billable: true, model: 'PMP', type: 'regular', category: 'utility' },
    conversation: null,
    failure: null,
    senderSid: sender.sid,
    wabaSid: sender.wabaSid,
  });
  await write({ app }, (t) => applyStatuses(t, [mine, other].map(({ sid }) => delivered(sid)) as never));
  const found = async (path: string) => {
    const { status, body: page, text } = await app.get(`${app.at}/${path}`);
    assert.equal(status, 200, text);
    return page.data;
  };
  const named = (items: { messageSid?: string; sid?: string; campaignSid: string }[]) =>
    items.map(({ messageSid, sid, campaignSid: of }) => [messageSid ?? sid, of]);
  assert.deepEqual(named(await found(`messages?campaignSid=${campaignSid}`)), [[mine.sid, campaignSid]]);
  assert.deepEqual(named(await found(`billing/charges?campaignSid=${campaignSid}`)), [
    [mine.sid, campaignSid],
  ]);
  assert.equal((await found('billing/charges')).length, 2);

  await charged(billing, 5_000_000n, { category: 'marketing' }); // less than that is not invoiced
  app.clock.advance(32 * 86_400_000);
  await runJob({ app }, closePeriods, { walletId });
  for (const { sid } of await found('billing/invoices?state=draft'))
    await runJob({ app }, submitInvoice, { invoiceSid: sid });
  const [invoice] = await found('billing/invoices');
  // What one campaign costs is one price: lines are by price, and the messages of a line say whose they are.
  const line = invoice.lines.find(({ quantity }: { quantity: number }) => quantity === 2);
  const charges = await found(`billing/invoices/${invoice.sid}/lines/${line.n}/charges`);
  assert.deepEqual(
    charges.map((charge: { campaignSid: string | null }) => charge.campaignSid).sort(),
    [campaignSid, null].sort(),
  );
  const explained = await found(`billing/charges?campaignSid=${campaignSid}`);
  assert.equal(explained[0].invoiceSid, invoice.sid);
});
