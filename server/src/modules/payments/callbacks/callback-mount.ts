// Where the payment service calls. A webhook is a hint: proven by its signature, kept, acknowledged, and looked into later.
import { databaseFailure } from '../../../platform/db/failures.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { StoredAnswer } from '../../../platform/http/operations/idempotency.ts';
import type { Serving } from '../../../platform/http/operations/serving.ts';
import { oncePer } from '../../../platform/once-per.ts';
import { callbackMetrics } from './metrics.ts';
import { eventStore } from './store-callbacks.ts';

const prefix = '/payments/callbacks';
const environments: Record<string, boolean | undefined> = { '/live': true, '/sandbox': false };

const answer = (status: number, body: string, headers: Record<string, string> = {}): StoredAnswer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', ...headers },
  body,
});

/** One for each server: whoever calls at the same time is stored together. */
const storeOf = oncePer(({ database }: Serving) => eventStore(database));

export const paymentCallbackMount: Mount = {
  name: 'paymentCallbacks',
  prefix,
  async answer(serving, incoming, rawBody) {
    const livemode = environments[incoming.url.split('?')[0]!.slice(prefix.length)];
    if (livemode === undefined) return answer(404, 'There is nothing here.');
    if (!serving.ports.payments.takesCallbacks(livemode))
      return answer(404, 'Live callbacks are not set up: the operator sets PAYMENT_WEBHOOK_SECRET.');
    if (incoming.method !== 'POST') return answer(405, 'POST only.', { allow: 'POST' });
    const signature = incoming.headers['stripe-signature'];
    const receivedAt = serving.clock.now();
    const { callbacks } = callbackMetrics(serving.metrics);
    const count = (outcome: string) => callbacks.inc({ environment: livemode ? 'live' : 'sandbox', outcome });
    const proof = typeof signature === 'string' ? signature : '';
    const event = await serving.ports.payments.readCallback(livemode, rawBody, proof, receivedAt);
    if (!event) {
      count('refused');
      return answer(400, 'The signature does not prove the body, or is too old.');
    }
    const isNew = await storeOf(serving)({ event, livemode, receivedAt, listed: false });
    count(isNew ? 'stored' : 'repeated');
    return answer(200, 'Stored.');
  },
  refuse(error) {
    const passing = error instanceof ApiError ? error : databaseFailure(error);
    if (passing?.code === 'VALIDATION_ERROR') return answer(400, passing.message);
    return passing?.code === 'INTERNAL_TEMPORARY_ERROR'
      ? answer(503, 'Not stored. Try again.', { 'retry-after': '2' })
      : null;
  },
  failed: answer(500, 'Not stored. Try again.'),
};
