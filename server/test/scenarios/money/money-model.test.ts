// The whole life of money: any sequence of what can happen to it, on a real service, against books kept in memory.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../harness/app.ts';
import { sharedLifetime } from '../../harness/lifetime.ts';
import { type Act, actKinds, beginning, life, type PricedAs, seldom } from './acts.ts';
import { newBooks } from './books.ts';
import { limitMinor, newLife, publishPrices, type TaxCode, taxRates } from './life.ts';
import { walkLines } from './lines.ts';
import type { World } from './paying.ts';
import { plans } from './plans.ts';
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
const seed = Number(process.env.MONEY_SEED ?? (process.env.MONEY_RUNS ? Date.now() : 20260821));

const done = new Map<Act['kind'], number>();

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
  else {
    await plan.effect?.();
    done.set(act.kind, (done.get(act.kind) ?? 0) + 1);
  }
  books.note(app.clock.now());
  assert.deepEqual(await life.stored(), {
    balances: books.balances,
    billing: books.isSuspended() ? 'suspended' : 'active',
    dunning: books.dunningState(),
  });
}

test('whatever happens to money, the books are those that were kept by hand, and every proof holds', async (context) => {
  const taxCodes = fc.constantFrom(...(Object.keys(taxRates) as TaxCode[]));
  await fc.assert(
    fc.asyncProperty(taxCodes, life, async (taxCode, acts) => {
      const world = { life: await newLife(app, taxCode), books: newBooks(limitMinor), taxCode };
      for (const [n, one] of [...beginning, ...acts].entries())
        await perform(world, one).catch((error) => {
          throw new Error(`act ${n}, ${one.kind}: ${error.message}`, { cause: error });
        });
      await proveEverything(world);
    }),
    { numRuns: runs, examples: [['two_rates', seldom]], seed },
  );
  await cashAgrees(app);
  context.diagnostic([...done].map(([kind, times]) => `${kind} ${times}`).join(', '));
  // What never happens proves nothing.
  if (process.env.MONEY_RUNS === undefined) assert.deepEqual(new Set(done.keys()), new Set(actKinds));
});

test('each line of an invoice leads to its charges and their messages, which add up to it, and each charge back to its line', async () => {
  const world = {
    life: await newLife(app, 'two_rates'),
    books: newBooks(limitMinor),
    taxCode: 'two_rates',
  } as const;
  const send = { kind: 'send', amount: 0n } as const;
  const settle = (as: PricedAs): Act[] => [send, { kind: 'settle', which: 0, as }];
  const story: Act[] = [
    ...(['utility', 'utility', 'utility', 'marketing', 'free'] as const).flatMap(settle),
    { kind: 'mode', mode: 'partner' },
    ...(['utility', 'utility', 'authentication'] as const).flatMap(settle),
    { kind: 'topUp', cents: 300, card: 'pays' },
    send,
    { kind: 'close', months: 1 },
    // A message of the month before that arrives only now, a correction, and a payment that is taken back.
    { kind: 'settle', which: 0, as: 'marketing' },
    { kind: 'priceLate', which: 3, as: 'free' },
    { kind: 'dispute', which: 0, part: 100 },
    { kind: 'close', months: 1 },
    ...settle('utility'),
  ];
  for (const act of story) await perform(world, act);
  const pageSize = 2;
  const walked = await walkLines(world, pageSize);
  const kinds = walked.map(({ line }) => line.kind);
  for (const kind of ['usage', 'adjustment', 'payment_reversal', 'balance_applied'] as const)
    assert.ok(kinds.includes(kind), `there is a line of the kind ${kind}`);
  assert.ok(walked.some(({ charges }) => charges.length > pageSize));
  const { headers, accountSid } = world.life;
  for (const { line, charges } of walked)
    for (const { id, kind, messageSid, amount } of charges) {
      const explained = await app.get(`/v1/accounts/${accountSid}/billing/charges/${id}`, headers);
      assert.equal(explained.body.invoiceLine, line.n, explained.text);
      const { status, body } = await app.get(`/v1/accounts/${accountSid}/messages/${messageSid}`, headers);
      assert.deepEqual([status, body.sid], [200, messageSid]);
      if (kind === 'MESSAGE') assert.deepEqual([body.price.final, amount], [amount, line.unitPrice]);
    }
  // Sent after the last invoice, and on none.
  const { sid: last } = world.books.messages.at(-1)!;
  assert.ok(walked.every(({ charges }) => charges.every(({ messageSid }) => messageSid !== last)));
});
