import type { TenantTx } from '../../../platform/db/database.ts';
import { personOf } from '../people.ts';
import { refuseUnknownAction } from '../step-up-actions.ts';
import { countRecoveryCodes } from './recovery-codes.ts';
import { factorsOf, startCeremony } from './verify-factor.ts';
import { ceremonyMs } from './webauthn.ts';

/** What a person can prove themselves with, and a challenge for their passkeys, good for one action. */
export async function offerVerification(t: TenantTx, action: string) {
  const person = personOf(t.principal);
  refuseUnknownAction(action);
  const { accountSid, livemode, now, site, sealer } = t;
  const factors = await factorsOf(t, person.userSid);
  const publicKey = await startCeremony(t, { ...person, accountSid, action, now, site, sealer });
  return {
    object: 'mfa_verification_options',
    accountSid,
    livemode,
    action,
    factors,
    recoveryCodesLeft: await countRecoveryCodes(t, person.userSid),
    publicKey,
    challenge: publicKey?.challenge ?? null,
    expiresAt: publicKey && new Date(now.getTime() + ceremonyMs).toISOString(),
  };
}
