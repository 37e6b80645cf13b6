// Every hand-off of a message stands in the message's own trace, to which the request that sent it is linked.
import type { Tracing } from '../../../platform/observability/tracing.ts';
import type { Accepted, Answered } from '../../provider/index.ts';
import type { LiveMessage } from '../states/live-messages.ts';
import type { LeasedLane } from './lanes.ts';

declare module '../../../platform/observability/tracing.ts' {
  interface SpanAttributes {
    'godwit.message'?: string;
    'godwit.message_type'?: string;
    'godwit.sender'?: string;
    'godwit.provider_code'?: number | null;
  }
}

/** Begins the span of a hand-off; what is returned ends it. The provider's words are not told, only its codes. */
export function traceHandOff(tracing: Tracing, lane: LeasedLane, { sid, type, attempts }: LiveMessage) {
  const span = tracing.start('message hand-off', 'client', { of: sid, first: attempts === 1 });
  if (!span) return null;
  return (answered: Answered<Accepted>): void => {
    const failure = answered.ok ? null : answered.failure;
    span.end(
      {
        'godwit.account': lane.accountSid,
        'godwit.livemode': lane.livemode,
        'godwit.message': sid,
        'godwit.message_type': type,
        'godwit.sender': lane.senderSid,
        'godwit.attempt': attempts,
        'godwit.provider_code': failure?.providerCode ?? null,
      },
      failure?.code ?? null,
    );
  };
}
