// Refusals worth remembering: somebody known tried what they may not.
import type { RequestContext, Tenant } from '../../db/database.ts';
import { principalName } from '../../principal.ts';
import type { Buckets, Policy } from './rate-limit.ts';

export type Denial = RequestContext & Tenant & { operationId: string };

// Enough to see that somebody tries doors; not enough to fill the record by trying.
const onceAMinute: Policy = { name: 'denials', perSecond: 1 / 60, burst: 1 };

/** Writes each refusal down, at most once a minute for a principal and operation. A failure never changes the answer. */
export function noteDenials(buckets: Buckets, write: (denial: Denial) => Promise<void>) {
  return async (denial: Denial): Promise<void> => {
    const { accountSid, livemode, principal, operationId, now, log } = denial;
    const bucket = `denied:${accountSid}:${livemode}:${principalName(principal)}:${operationId}`;
    try {
      const verdict = await buckets.take(bucket, onceAMinute, now.getTime());
      if (verdict.allowed) await write(denial);
    } catch (error) {
      log.error({ err: error, operation: operationId }, 'could not write down a refusal');
    }
  };
}
