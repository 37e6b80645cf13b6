// What a business says of itself stands sealed in one value, bound to the account, the environment and the application. It is opened
// for principals of the account itself; everybody else, the operator's people included, is told that it is withheld.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { SealBroken } from '../../../platform/sealing.ts';
import { findAccount } from '../../accounts/index.ts';
import { bindingsOf } from '../../roles/index.ts';
import type { Details, OpenedApplication } from '../schema.ts';

const contextOf = (t: TenantTx, sid: string) => `managed application/${t.accountSid}/${t.livemode}/${sid}`;

export const sealDetails = (t: TenantTx, sid: string, details: Details): Buffer =>
  t.sealer.seal(JSON.stringify(details), contextOf(t, sid));

/** Null when they cannot be opened: sealed under a key that is gone, or changed by somebody. */
export function openDetails(t: TenantTx, sid: string, sealed: Buffer): Details | null {
  try {
    return JSON.parse(t.sealer.open(sealed, contextOf(t, sid)).toString('utf8'));
  } catch (error) {
    if (error instanceof SealBroken || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** To be changed they must be read first. */
export function requireDetails(t: TenantTx, sid: string, sealed: Buffer): Details {
  const details = openDetails(t, sid, sealed);
  if (details) return details;
  throw new ApiError('CONFLICT', {
    message: 'The details of this application cannot be opened, so nothing can be added to them.',
  });
}

type Shown = Pick<OpenedApplication, 'detailsState' | 'details'>;

const withheld: Shown = { detailsState: 'WITHHELD', details: null };

/** What the details look like to somebody for whom they are opened. */
export function shownDetails(t: TenantTx, sid: string, sealed: Buffer): Shown {
  const details = openDetails(t, sid, sealed);
  return details ? { detailsState: 'OPEN', details } : { detailsState: 'UNREADABLE', details: null };
}

/** As whoever asks is shown them; asked once for all applications. */
export async function detailsShowerFor(t: TenantTx): Promise<(sid: string, sealed: Buffer) => Shown> {
  const opens = await isOfAccount(t);
  return (sid, sealed) => (opens ? shownDetails(t, sid, sealed) : withheld);
}

/**
 * Whether whoever asks belongs to the account itself: one of its keys, or a person of its organization who has a role on it. A role
 * that reaches an account only from the one above it, or from the organization it hangs under, is no role on it.
 */
async function isOfAccount(t: TenantTx): Promise<boolean> {
  const { principal } = t;
  if (principal.kind === 'api_key') return principal.accountSid === t.accountSid;
  if (principal.kind !== 'user') return false;
  const account = (await findAccount(t, t.accountSid))!;
  if (principal.organizationId !== account.organizationId) return false;
  if (account.parentAccountSid === null) return true;
  const bindings = await bindingsOf(t, 'USER', principal.ref);
  return bindings.some(
    ({ accountSid, inboxSid, expiresAt }) =>
      accountSid === t.accountSid && inboxSid === null && (expiresAt === null || new Date(expiresAt) > t.now),
  );
}
