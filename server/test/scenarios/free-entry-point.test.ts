// Somebody comes from an advertisement: what is asked, sent, held and in the end charged, against a provider that keeps its
// own books.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../harness/app.ts';
import { billingOf } from '../harness/billing.ts';
import { until } from '../harness/until.ts';

const hour = 3_600_000;

test('whoever comes from an advertisement is written to for nothing until 72 hours after the answer, and the provider agrees', async (context) => {
  const app = await startTestApp(context, { role: 'all', simulator: true });
  const { control } = app.simulator;
  const pass = async (ms: number) => {
    app.clock.advance(ms);
    await control.advance(0); // the provider's clock is ours: it does what has fallen due
  };
  const settled = <T>(look: () => Promise<T | undefined>) =>
    until('what the provider tells', async () => {
      await pass(1_000);
      return look();
    });
  const [sender] = (await app.get(`${app.at}/senders`)).body.data;
  const customer = '33612003400';
  const template = {
    from: sender.sid,
    to: `+${customer}`,
    type: 'template',
    template: { name: 'hello_world', language: 'en' },
  };
  const held = async () => (await app.get(`${app.at}/billing/wallets`)).body.data[0].held.amountMinor;
  /** Asks, sends and waits until it has arrived: what was promised, held and charged. */
  const send = async (body: object) => {
    const asked = (await app.post(`${app.at}/messages/preflight`, body)).body;
    const sent = await app.post(`${app.at}/messages`, body);
    assert.equal(sent.status, 201, sent.text);
    const { price } = sent.body;
    assert.deepEqual([asked.cost.pricingType, asked.cost.total], [price.pricingType, price.estimate]);
    assert.equal(await held(), price.estimate.amountMinor);
    const arrived = await settled(async () => {
      const message = (await app.get(`${app.at}/messages/${sent.body.sid}`)).body;
      return message.price.final === null ? undefined : message;
    });
    assert.equal(arrived.price.pricingType, price.pricingType, 'the provider agrees');
    assert.deepEqual(arrived.price.final, price.estimate);
    assert.equal(await held(), '0');
    return price.pricingType;
  };
  const writes = (more: object) =>
    control.inbound({ from: customer, to: sender.phoneNumber.slice(1), text: 'Hello', ...more });
  const windowOf = async (contactSid: string) =>
    (await app.get(`${app.at}/senders/${sender.sid}/contacts/${contactSid}/window`)).body;

  // The simulator learns of the sandbox's number with the first call that uses it.
  assert.equal(await send(template), 'REGULAR');
  await writes({ referral: { source_type: 'ad', source_id: '77' } });
  const contactSid = (await app.get(`${app.at}/messages?direction=outbound`)).body.data[0].to.contactSid;
  await settled(async () => ((await windowOf(contactSid)).freeUntil === null ? undefined : true));

  assert.equal(
    await send({ ...template, type: 'text', template: undefined, text: { body: 'Hi' } }),
    'FREE_ENTRY_POINT',
  );
  const { freeUntil } = await windowOf(contactSid);
  assert.ok(new Date(freeUntil).getTime() - app.clock.now().getTime() > 71 * hour, freeUntil);
  await pass(60 * hour);
  assert.equal(await send(template), 'FREE_ENTRY_POINT', 'long after the service window has closed');
  const marketing = { category: 'MARKETING', identifierType: 'PHONE_E164', senderSid: sender.sid };
  const quote = () => app.post(`${app.at}/billing/message-quote`, { ...marketing, recipient: template.to });
  assert.equal((await quote()).body.pricingType, 'FREE_ENTRY_POINT');
  await pass(13 * hour);
  assert.equal((await quote()).body.pricingType, 'REGULAR');
  assert.equal(await send(template), 'REGULAR');

  // Answered too late: nothing is free, and nobody promises it.
  await writes({ referral: { source_type: 'ad', source_id: '78' } });
  await settled(async () => ((await windowOf(contactSid)).freeUntil > freeUntil ? true : undefined));
  await pass(25 * hour);
  assert.equal(await send(template), 'REGULAR');
  await billingOf(app, { livemode: false }).balances();
});
