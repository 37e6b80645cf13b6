// What the provider's answers mean for the work on a switch: try again later, or give up.
import type { ErrorCode } from '../../platform/errors/errors.ts';
import type { Ports, Site } from '../../platform/ports.ts';
import type { OperationContext, StepOutcome } from '../operations/index.ts';
import type { Answered, Connection, ProviderFailure } from '../provider/index.ts';
import { connectionWith } from '../wabas/index.ts';

export type Partner = { connection: Connection; businessId: string };

/** As whom credit lines are read and changed; null where the operator is no partner of the provider. */
export function partnerOf(
  { ports, site }: { site: Site; ports: Pick<Ports, 'providerPartner'> },
  livemode: boolean,
): Partner | null {
  const partner = ports.providerPartner[livemode ? 'live' : 'sandbox'];
  return (
    partner && {
      businessId: partner.businessId,
      connection: connectionWith({ livemode, site }, partner.accessToken),
    }
  );
}

export const later = ({ now }: OperationContext, ms: number): StepOutcome => ({
  waitUntil: new Date(now().getTime() + ms),
});

const retryMs = 5_000;

/** Thrown where the work can only be tried again later. */
export class Later extends Error {
  readonly ms: number;

  constructor(failure: ProviderFailure) {
    super(failure.reason);
    this.ms = failure.retryAfterMs ?? retryMs;
  }
}

/** Thrown where the switch cannot go on at all. */
export class Refused extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The answer's value. What the provider refused for good ends the work; everything else is asked again. */
export function answered<T>(answer: Answered<T>): T {
  if (answer.ok) return answer.value;
  const { failure } = answer;
  if (failure.retryable || failure.code === 'PROVIDER_RESULT_UNKNOWN') throw new Later(failure);
  throw new Refused(failure.code, failure.reason);
}
