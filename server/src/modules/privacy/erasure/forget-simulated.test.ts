import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { phone } from '../../../../test/harness/contacts.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import type { SimulatedPeople } from '../ports.ts';
import { erasingIn, hour } from './erasure.test-data.ts';

const lifetime = sharedLifetime();
let app: TestApp;
before(async () => {
  app = await startTestApp(lifetime, { simulator: true });
});

type Scene = Awaited<ReturnType<typeof erasingIn>>;

/** The person writes to the account at the simulated provider, whose number this tells. */
async function writesTo(scene: Scene, from: string): Promise<string> {
  const [at] = await scene.rows<{ id: string; wabaId: string; businessId: string; number: string }>(
    `select s.provider_phone_number_id as id, s.phone_number as number, w.provider_waba_id as "wabaId", p.provider_business_id as "businessId"
       from senders s join wabas w on w.sid = s.waba_sid join portfolios p on p.id = w.portfolio_id where s.account_sid = $1`,
  );
  const { id, number, wabaId, businessId } = at!;
  const phoneNumbers = [{ id, number: number.slice(1), name: 'Shop' }];
  const made = await fetch(`${app.simulator.url}/_control/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ businessId, wabaId, phoneNumbers }),
  });
  const { token } = (await made.json()) as { token: string };
  await app.simulator.control.inbound({ from, to: id, text: 'zqmarkzq' });
  const sent = await fetch(`${app.simulator.url}/v25.0/${id}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      messaging_product: 'whatsapp',
      to: from,
      type: 'text',
      text: { body: 'zqmarkzq' },
    }),
  });
  assert.equal(sent.status, 200, await sent.text());
  await app.simulator.control.settle();
  return id;
}

/** How many messages to the person the simulator knows, sent by this number. */
const knownOf = (numberId: string, from: string) =>
  app.simulator.control
    .messages(0, 10_000)
    .data.filter(({ phoneNumberId, waId }) => phoneNumberId === numberId && waId === from.slice(1)).length;

const providerIn = async ({ app: own }: Scene, { sid }: { sid: string }): Promise<string> => {
  const { body, text } = await own.get(`${own.at}/privacy/requests/${sid}/certificate`);
  return body.claims?.provider ?? text;
};

const away: SimulatedPeople = { forget: async () => ({ ok: false, reason: 'It is away.' }) };

suite('in a sandbox an erasure', () => {
  test('has the simulator forget the person as the account knows them, and nobody else', async () => {
    const [scene, other] = [await erasingIn(app), await erasingIn(app)];
    const numberId = await writesTo(scene, scene.number);
    const neighbour = await writesTo(scene, other.number);
    const elsewhere = await writesTo(other, scene.number);
    await scene.run(await scene.erase());
    assert.equal(knownOf(numberId, scene.number), 0);
    assert.equal(knownOf(neighbour, other.number), 1);
    assert.equal(knownOf(elsewhere, scene.number), 1);
  });

  test('has it forget what came while the erasure settled, and says so in the certificate', async () => {
    const scene = await erasingIn(app);
    await writesTo(scene, scene.number);
    const request = await scene.erase();
    await scene.run(request);
    const numberId = await writesTo(scene, scene.number);
    assert.equal(knownOf(numberId, scene.number), 1);
    app.clock.advance(26 * hour);
    await scene.run(request);
    assert.equal(knownOf(numberId, scene.number), 0);
    assert.match(await providerIn(scene, request), /has forgotten/);
  });

  test('leaves whoever has come by the number since', async () => {
    const scene = await erasingIn(app);
    const request = await scene.erase();
    await scene.run(request);
    const numberId = await writesTo(scene, scene.number);
    await scene.people.contact({ identifiers: [phone(scene.number)] });
    app.clock.advance(26 * hour);
    await scene.run(request);
    assert.equal((await scene.privacy.get(request.sid)).state, 'COMPLETED');
    assert.equal(knownOf(numberId, scene.number), 1);
  });

  test('settles without a simulator that is away, and tells it in the second look', async () => {
    const scene = await erasingIn(app);
    const numberId = await writesTo(scene, scene.number);
    const request = await scene.erase();
    const ports = { ...app.ports, simulatedPeople: away };
    await scene.run(request, ports);
    assert.equal((await scene.privacy.get(request.sid)).state, 'SETTLING');
    app.clock.advance(26 * hour);
    await scene.run(request, ports);
    assert.equal((await scene.privacy.get(request.sid)).state, 'SETTLING', 'it waits for the simulator');
    app.clock.advance(hour);
    await scene.run(request);
    assert.equal((await scene.privacy.get(request.sid)).state, 'COMPLETED');
    assert.equal(knownOf(numberId, scene.number), 0);
  });

  test('does not wait for ever for a simulator that stays away, and its certificate admits it', async () => {
    const scene = await erasingIn(app);
    const request = await scene.erase();
    const ports = { ...app.ports, simulatedPeople: away };
    await scene.run(request, ports);
    app.clock.advance(26 * hour);
    await scene.run(request, ports);
    app.clock.advance(24 * hour);
    await scene.run(request, ports);
    assert.equal((await scene.privacy.get(request.sid)).state, 'COMPLETED');
    assert.match(await providerIn(scene, request), /did not answer/);
  });
});
