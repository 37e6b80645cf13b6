// A payment simulator for a test, somebody who receives its webhooks, and the public client that calls it.
import Stripe from 'stripe';
import type { Wire } from '../../src/http/shape.ts';
import {
  exactWebhooks,
  type PaymentSimulatorOptions,
  startPaymentSimulator,
} from '../../src/payments/index.ts';
import { type Lifetime, startReceiver, stillClock } from '../harness.ts';

export const apiKey = 'sk_test_godwit_simulated_0001';
export const secret = 'whsec_newest';

export type PaymentKit = Awaited<ReturnType<typeof startPaymentKit>>;

export async function startPaymentKit(lifetime: Lifetime, options: Partial<PaymentSimulatorOptions> = {}) {
  const receiver = await startReceiver(lifetime);
  const clock = stillClock();
  const simulator = await startPaymentSimulator({
    port: 0,
    apiKeys: [apiKey],
    webhooks: [{ url: receiver.url, secrets: [secret] }],
    seed: 'seed',
    clock,
    instant: true,
    ...options,
    settings: { ...exactWebhooks, ...options.settings },
  });
  lifetime.after(() => simulator.stop());
  const { control } = simulator;
  const stripe = clientOf(simulator.url);
  const nowS = () => Math.floor(control.now().getTime() / 1000);
  const session = (more: Partial<Stripe.Checkout.SessionCreateParams> = {}) =>
    stripe.checkout.sessions.create({ ...topUp, ...more });
  return {
    simulator,
    control,
    receiver,
    stripe,
    nowS,
    session,
    /** A request as it goes over the wire. */
    call: (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
      fetch(simulator.url + path, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/x-www-form-urlencoded',
          ...headers,
        },
        body,
        redirect: 'manual',
      }),
    /** The control API, as others call it. */
    tell: async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${simulator.url}/_control/${path}`, {
        method,
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as Wire };
    },
    /** A customer who has saved this card by paying with it. */
    saved: async (number: string) => {
      const customer = await stripe.customers.create({ name: 'Depot' });
      const { id } = await session({
        customer: customer.id,
        payment_intent_data: { setup_future_usage: 'off_session' },
      });
      const intent = control.pay(id, { number });
      return { customer: customer.id, method: intent.payment_method!, intent: intent.id, session: id };
    },
    /** The types of the webhooks that came since they were last asked for. */
    told: async (): Promise<string[]> => {
      await control.settle();
      return receiver.received.splice(0).map(({ body }) => body.type);
    },
  };
}

export function clientOf(url: string, key = apiKey): Stripe {
  const { hostname, port } = new URL(url);
  return new Stripe(key, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false });
}

export const topUp = {
  mode: 'payment',
  success_url: 'https://console.example/paid?session={CHECKOUT_SESSION_ID}',
  cancel_url: 'https://console.example/cancelled',
  client_reference_id: 'AC1',
  metadata: { intent: 'PI1' },
  payment_intent_data: { metadata: { intent: 'PI1' } },
  line_items: [
    {
      quantity: 2,
      price_data: { currency: 'eur', unit_amount: 1250, product_data: { name: 'Top-up' } },
    },
  ],
} satisfies Stripe.Checkout.SessionCreateParams;

/** What a call that must fail is refused with. */
export async function refusalOf(work: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}
