// Signing secrets: shown once, sealed at rest. During a rotation two of them sign.
import { randomToken } from '../../../platform/ids.ts';
import type { Sealer } from '../../../platform/sealing.ts';

const contextOf = (endpointSid: string) => `webhook secret:${endpointSid}`;

export const newSecret = (): string => `whsec_${randomToken(32)}`;
export const sealSecret = (sealer: Sealer, endpointSid: string, secret: string): Buffer =>
  sealer.seal(secret, contextOf(endpointSid));

export type SealedSecrets = {
  sid: string;
  sealedSecret: Buffer;
  sealedPreviousSecret: Buffer | null;
  previousSecretExpiresAt: string | null;
};

/** Those that sign at this instant, the current one first. */
export function activeSecrets(sealer: Sealer, sealed: SealedSecrets, now: Date): string[] {
  const { sid, sealedSecret, sealedPreviousSecret, previousSecretExpiresAt: until } = sealed;
  const overlaps = until !== null && now < new Date(until);
  return [sealedSecret, ...(overlaps ? [sealedPreviousSecret!] : [])].map((one) =>
    sealer.open(one, contextOf(sid)).toString('utf8'),
  );
}
