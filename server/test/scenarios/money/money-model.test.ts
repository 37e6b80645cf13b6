// The whole life of money: any sequence of what can happen to it, on a real service, against books kept in memory.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../harness/app.ts';
import { sharedLifetime } from '../../harness/lifetime.ts';
import { type Act, act, beginning } from './acts.ts';
import { newBooks } from './books.ts';
import { limitMinor, newLife, publishPrices, type TaxCode, taxRates } from './life.ts';
import { plans, type World } from './plans.ts';
import { cashAgrees, proveEverything } from './proof.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { payments: true });
  // Nobody works on webhooks here: the service is asked what happened whenever something did.
  const { control } = app.paymentSimulator;
  for (const { id } of control.endpoints()) control.removeEndpoint(id);
  await publishPrices(app);
});

// The suite always sees the same few lives. `MONEY_RUNS=40` lives as many others, and a failure says by which MONEY_SEED it is seen
// again.
const runs = Number(process.env.MONEY_RUNS ?? 7);
const seed = process.env.MONEY_SEED ?? (process.env.MONEY_RUNS ? null : 20260821);

const codeOf = (error: unknown) => (error as { code?: string }).code ?? null;

async function perform(world: World, act: Act): Promise<void> {
  const { life, books } = world;
  app.clock.advance(1_000);
  // biome-ignore lint/suspicious/noExplicitAny: the plan of a kind takes what that kind is given
  const plan = await plans[act.kind](world, act as any);
  if (!plan) return;
  const untouched = plan.refusal === null ? null : await life.everything();
  const refused = await plan.run().then(
    () => null,
    (error) => {
      if (codeOf(error) === plan.refusal) return plan.refusal;
      throw error;
    },
  );
  assert.equal(refused, plan.refusal, 'it should have been refused');
  if (untouched !== null) assert.equal(await life.everything(), untouched, 'a refusal leaves all as it was');
  else await plan.effect?.();
  books.note(app.clock.now());
  assert.deepEqual(await life.stored(), {
    balances: books.balances,
    billing: books.isSuspended() ? 'suspended' : 'active',
    dunning: books.dunningState(),
  });
}

test('whatever happens to money, the books are those that were kept by hand, and every proof holds', async () => {
  const taxCodes = fc.constantFrom(...(Object.keys(taxRates) as TaxCode[]));
  await fc.assert(
    fc.asyncProperty(
      taxCodes,
      fc.array(act, { minLength: 12, maxLength: 36, size: 'max' }),
      async (taxCode, acts) => {
        const world = { life: await newLife(app, taxCode), books: newBooks(limitMinor), taxCode };
        for (const [n, one] of [...beginning, ...acts].entries())
          await perform(world, one).catch((error) => {
            throw new Error(`act ${n}, ${one.kind}: ${error.message}`, { cause: error });
          });
        await proveEverything(world);
      },
    ),
    { numRuns: runs, ...(seed !== null && { seed: Number(seed) }) },
  );
  await cashAgrees(app);
});
