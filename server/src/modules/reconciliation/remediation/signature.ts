// The operator's consent to a new price: a signature over the case as it stands and the pricing, word for word. It fits no other
// account, environment, case or pricing, and none once the case has changed.
import { timingSafeEqual } from 'node:crypto';
import { canonicalJson, hmacSha256, sha256Hex } from '../../../platform/hashing.ts';
import type { Sealer } from '../../../platform/sealing.ts';
import type { ReconciliationCase } from '../cases/schema.ts';
import { remediationPurpose } from '../settings.ts';

type Signed = Pick<ReconciliationCase, 'accountSid' | 'livemode' | 'sid' | 'version'>;

/** The first signs, both are believed: the old one too while keys or secrets are changed. */
export const remediationKeys = (sealer: Sealer): Buffer[] =>
  sealer.deriveEach(remediationPurpose).slice(0, 2);

export function signRemediation(
  key: Buffer,
  { accountSid, livemode, sid, version }: Signed,
  pricing: object,
): string {
  const environment = livemode ? 'live' : 'sandbox';
  const lines = ['v1', accountSid, environment, sid, String(version), sha256Hex(canonicalJson(pricing))];
  return `v1=${hmacSha256(key, lines.join('\n')).toString('hex')}`;
}

export function isSigned(keys: Buffer[], signed: Signed, pricing: object, signature: string): boolean {
  const given = Buffer.from(signature, 'utf8');
  return keys.some((key) => {
    const right = Buffer.from(signRemediation(key, signed, pricing), 'utf8');
    return right.length === given.length && timingSafeEqual(right, given);
  });
}
