// A worker that dies at any moment, before or after any commit and any call: whoever takes over ends with one charge at the
// service and one in the ledger.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { write } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { newSid } from '../../platform/ids.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { moveMoney } from '../billing/index.ts';
import { chargeSavedCard, type PaymentHooks, type PaymentService } from './index.ts';
import { look } from './look/look.ts';
import type { Means } from './look/means.ts';
import { type PayApp, startPayApp } from './payments.test-data.ts';

let app: PayApp;
const lifetime = sharedLifetime();
before(async () => {
  // Without a worker: the test is the only one.
  app = await startPayApp(lifetime, { role: 'api' });
});

/** Stands in for invoices: there are none here, so what is paid for one is kept as credit. */
const hooks: PaymentHooks = {
  followers: [
    {
      async succeeded(t, { purpose, walletId, id, amountMinor }) {
        const moves = { invoice_overpayment: amountMinor * 10_000n };
        if (purpose === 'invoice') await moveMoney(t, { walletId, reference: id, moves });
      },
    },
  ],
};
class Death extends Error {}

/** Dies at the so-manieth moment; never at 0. Tells how many there were. */
function worker(diesAt: number): Means & { moments(): number } {
  let moments = 0;
  let dead = false;
  const moment = () => {
    moments += 1;
    dead ||= moments === diesAt;
    if (dead) throw new Death();
  };
  const around = async <T>(work: () => Promise<T>): Promise<T> => {
    moment();
    const result = await work();
    moment();
    return result;
  };
  const tenant = { accountSid: app.accountSid, livemode: false };
  const context = () => ({
    principal: systemPrincipal('test', false),
    now: app.clock.now(),
    requestId: 'test',
    log: app.log,
  });
  const service = (livemode: boolean, url: string) =>
    new Proxy(app.ports.payments.service(livemode, url)!, {
      get:
        (target, name: keyof PaymentService) =>
        (...given: never[]) =>
          around(() => Reflect.apply(target[name], target, given) as Promise<unknown>),
    });
  return {
    ports: { ...app.ports, payments: { ...app.ports.payments, service } },
    site: app.site(),
    log: app.log,
    now: () => app.clock.now(),
    write: (work: (t: TenantTx) => Promise<never>) =>
      around(() => app.database.write(tenant, context(), work)),
    read: (work: (t: TenantTx) => Promise<never>) => app.database.read(tenant, context(), work),
    moments: () => moments,
  };
}

const unlessDead = (error: unknown) => {
  if (!(error instanceof Death)) throw error;
};

/** Everything that happens to a top-up, by workers of which one dies; the next begins where it left off. */
async function topUpBy(by: Means): Promise<string> {
  const { paymentIntentId: id } = await app.topUp();
  const healthy = worker(0);
  await look(by, hooks, id).catch(unlessDead);
  await look(healthy, hooks, id);
  await app.pay(id);
  await look(by, hooks, id).catch(unlessDead);
  await look(healthy, hooks, id);
  return id;
}

suite('a worker that dies', () => {
  test('at any moment of a top-up leaves one charge, one credit and one receipt', async () => {
    const whole = worker(0);
    await topUpBy(whole);
    assert.ok(whole.moments() >= 8);
    for (let moment = 1; moment <= whole.moments(); moment += 1) {
      const id = await topUpBy(worker(moment));
      assert.equal(app.control.charges(id).length, 1, `moment ${moment}`);
      assert.deepEqual(await app.moves(id), { top_up: '50000000', processor_fee: '1750000' });
      assert.equal(await app.count(`receipts where intent_id = '${id}'`), 1);
    }
    await app.wallet.balances();
  });
  test('at any moment of a charge leaves one charge at the service and one in the ledger', async () => {
    const { paymentIntentId: saved } = await app.topUp({ saveCardForInvoices: true });
    await look(worker(0), hooks, saved);
    await app.pay(saved);
    await look(worker(0), hooks, saved);
    const { id: walletId } = await app.wallet.wallet();
    const asked = {
      walletId,
      currency: 'USD',
      netMinor: 990n,
      taxMinor: 0n,
      taxLines: [],
      description: 'Invoice',
    };
    const chargeBy = async (by: Means) => {
      const invoiceSid = newSid('IN', app.clock.now());
      const made = await write({ app }, (t) =>
        chargeSavedCard(t, { ...asked, invoiceSid, paymentIntentId: saved }),
      );
      await look(by, hooks, made!.id).catch(unlessDead);
      await look(worker(0), hooks, made!.id);
      return made!.id;
    };
    const whole = worker(0);
    await chargeBy(whole);
    for (let moment = 1; moment <= whole.moments(); moment += 1) {
      const id = await chargeBy(worker(moment));
      assert.equal(app.control.charges(id).length, 1, `moment ${moment}`);
      assert.equal((await app.payment(id)).state, 'succeeded');
      assert.equal((await app.moves(id)).invoice_overpayment, '9900000', `moment ${moment}`);
    }
  });
});
