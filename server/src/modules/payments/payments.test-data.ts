// A whole service with its payment simulator, and somebody who tops up and pays.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { PaymentSimulatorOptions } from '@godwit/simulator/payments';
import { startTestApp } from '../../../test/harness/app.ts';
import { billingOf } from '../../../test/harness/billing.ts';
import type { Lifetime } from '../../../test/harness/lifetime.ts';
import { type Person, person } from '../../../test/harness/people.ts';
import { until } from '../../../test/harness/until.ts';
import type { Role } from '../../main/process/service.ts';

export type PayApp = Awaited<ReturnType<typeof startPayApp>>;
export type TopUp = { paymentIntentId: string; hostedUrl: string; operationSid: string };

type Options = {
  role?: Role;
  payments?: Partial<PaymentSimulatorOptions>;
  /** The simulated provider, too. */
  simulator?: boolean;
  env?: Record<string, string>;
  /** The simulated service forgets what it did: nobody compares it with the books. */
  forgetful?: boolean;
};

export async function startPayApp(
  lifetime: Lifetime,
  { role = 'all', payments = {}, simulator = false, env = {}, forgetful = false }: Options = {},
) {
  const app = await startTestApp(lifetime, {
    role,
    payments,
    simulator,
    wrongBooks: forgetful,
    env: { SIMULATOR_URL: 'http://127.0.0.1:1', ...env },
  });
  const { control } = app.paymentSimulator;
  const owner: Person = await person(app);

  // A test may have moved the clock beyond the end of a session.
  const stepUp = async () => owner.stepUp('TOP_UP_CREATE', (await owner.signInAgain()).headers);

  const ask = async (more: object = {}, headers: object = {}) =>
    app.post(
      `${app.at}/billing/top-ups`,
      {
        amountMinor: '5000',
        currency: 'USD',
        idempotencyKey: randomUUID(),
        stepUpToken: await stepUp(),
        ...more,
      },
      headers,
    );
  const payment = async (id: string) => {
    const { body } = await app.get(`${app.at}/billing/payments?limit=100`);
    return body.data.find((one: { id: string }) => one.id === id);
  };
  const rows = <T extends object>(text: string, ...values: unknown[]) => app.sql<T & object>(text, values);
  const sessionOf = (id: string) =>
    until('the page is there', async () => {
      const [row] = await rows<{ object_id: string | null }>(
        `select object_id from payment_attempts where intent_id = $1 and step = 'session' and object_id is not null
          order by attempt desc limit 1`,
        id,
      );
      return row?.object_id;
    });
  return {
    ...app,
    control,
    owner,
    ask,
    payment,
    sessionOf,
    wallet: billingOf(app, { livemode: false }),
    async topUp(more: object = {}): Promise<TopUp> {
      const reply = await ask(more);
      assert.equal(reply.status, 202, reply.text);
      return { ...reply.body.result, operationSid: reply.body.sid };
    },
    /** Somebody types a card into the service's page. */
    async pay(id: string, number = '4242424242424242', authenticate = true): Promise<void> {
      control.pay(await sessionOf(id), { number, authenticate });
      await control.settle();
    },
    becomes: (id: string, state: string) =>
      until(`payment ${id} is ${state}`, async () => {
        const found = await payment(id);
        return found?.state === state ? found : null;
      }),
    /** What the service kept is known. */
    feeIsKnown: (id: string) =>
      until('the fee is known', async () => {
        const [row] = await rows<{ fee_minor: string | null }>(
          'select fee_minor from payment_intents where id = $1',
          id,
        );
        return row?.fee_minor;
      }),
    /** The moves of the ledger for a payment, by kind. */
    moves: async (reference: string) =>
      Object.fromEntries(
        (
          await rows<{ kind: string; amount_minor: string }>(
            'select kind, amount_minor from ledger_transfers where reference = $1 order by kind',
            reference,
          )
        ).map(({ kind, amount_minor: amount }) => [kind, amount]),
      ),
  };
}
