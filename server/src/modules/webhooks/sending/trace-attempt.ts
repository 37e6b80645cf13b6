// The attempts of one delivery stand in one trace. The endpoint is told by its SID: its URL is the customer's.
import type { Tracing } from '../../../platform/observability/tracing.ts';
import type { Outcome } from './attempt.ts';
import type { Lane } from './lane.ts';
import type { Due } from './load-due.ts';

declare module '../../../platform/observability/tracing.ts' {
  interface SpanAttributes {
    'godwit.delivery'?: string;
    'godwit.event'?: string;
    'godwit.endpoint'?: string;
  }
}

/** Begins the span of an attempt; what is returned ends it, with null for one that was called off. */
export function traceAttempt(tracing: Tracing, { lease }: Lane, { deliverySid, eventSid, tries }: Due) {
  const span = tracing.start('webhook attempt', 'client', { of: deliverySid, first: tries === 0 });
  if (!span) return null;
  return (outcome: Outcome | null): void =>
    span.end(
      {
        'http.request.method': 'POST',
        'http.response.status_code': outcome?.status ?? null,
        'godwit.account': lease.accountSid,
        'godwit.livemode': lease.livemode,
        'godwit.delivery': deliverySid,
        'godwit.event': eventSid,
        'godwit.endpoint': lease.endpointSid,
        'godwit.attempt': tries + 1,
      },
      outcome ? outcome.failure : 'called_off',
    );
}
