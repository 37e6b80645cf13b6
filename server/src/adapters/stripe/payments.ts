// The payment service of both environments: one adapter, and only the address and the keys differ.
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type Stripe from 'stripe';
import type { PaymentService, Payments } from '../../modules/payments/index.ts';
import { paymentEvent } from './from-wire.ts';
import { stripeService } from './stripe-service.ts';

export type PaymentKeys = {
  secretKey: string | null;
  /** With which webhooks are signed: two while one is rolled. */
  webhookSecrets: string[];
};

// One deadline for a call; what did not answer by then is asked again by the job that asked, under the same key.
const callMs = 20_000;
const toleranceS = 300;

export function createPayments(keys: { live: PaymentKeys; sandbox: PaymentKeys }): Payments {
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
  const services = new Map<string, PaymentService>();
  const keysOf = (livemode: boolean) => (livemode ? keys.live : keys.sandbox);

  const clientFor = (secretKey: string, baseUrl: string) => {
    const { hostname, port, protocol } = new URL(baseUrl);
    const scheme = protocol === 'http:' ? 'http' : 'https';
    let client: Stripe | null = null;
    return async () => {
      const { default: StripeClient } = await import('stripe');
      client ??= new StripeClient(secretKey, {
        host: hostname,
        port: port || (scheme === 'http' ? 80 : 443),
        protocol: scheme,
        httpAgent: agents[scheme] as HttpAgent,
        timeout: callMs,
        // Jobs ask again, and by then they have looked at what there is.
        maxNetworkRetries: 0,
        telemetry: false,
      });
      return client;
    };
  };

  return {
    service(livemode, baseUrl) {
      const { secretKey } = keysOf(livemode);
      if (secretKey === null) return null;
      const name = `${livemode} ${baseUrl}`;
      const known = services.get(name) ?? stripeService(clientFor(secretKey, baseUrl));
      services.set(name, known);
      return known;
    },
    takesCallbacks: (livemode) => keysOf(livemode).webhookSecrets.length > 0,
    async readCallback(livemode, body, signature, now) {
      const { default: StripeClient } = await import('stripe');
      for (const secret of keysOf(livemode).webhookSecrets) {
        const event = provenBy(StripeClient, body, signature, secret, now);
        if (event) return event.livemode === livemode ? paymentEvent(event) : null;
      }
      return null;
    },
    async close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function provenBy(
  { webhooks }: Pick<typeof Stripe, 'webhooks'>,
  body: Buffer,
  signature: string,
  secret: string,
  now: Date,
): Stripe.Event | null {
  try {
    const event = webhooks.constructEvent(body, signature, secret, toleranceS, undefined, now.getTime());
    return isEvent(event) ? event : null;
  } catch {
    return null;
  }
}

/** The package believes whatever is signed to be an event. */
const isEvent = (event: Partial<Stripe.Event> | null): boolean =>
  typeof event?.id === 'string' &&
  typeof event.type === 'string' &&
  typeof event.created === 'number' &&
  typeof event.data?.object === 'object' &&
  event.data.object !== null;
