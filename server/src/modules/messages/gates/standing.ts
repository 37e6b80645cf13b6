// What stands against writing to people: suppressions, and privacy requests by which they are restricted, which forbid everything.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Standing, standingSuppressions, suppressionsOfAudience } from '../../consent/index.ts';
import { restrictionsNow, restrictionsOf } from '../../contacts/index.ts';

/** Either a suppression, or a restriction with the privacy request it comes from. */
export type Against = Standing & { requestSid?: string };
type ByContact = ReadonlyMap<string, readonly Against[]>;

function both(
  suppressions: ReadonlyMap<string, Standing[]>,
  restrictions: ReadonlyMap<string, string>,
): ByContact {
  if (restrictions.size === 0) return suppressions;
  const against = new Map<string, readonly Against[]>(suppressions);
  for (const [contactSid, requestSid] of restrictions)
    against.set(contactSid, [restriction(contactSid, requestSid), ...(suppressions.get(contactSid) ?? [])]);
  return against;
}

const restriction = (contactSid: string, requestSid: string): Against => ({
  sid: null,
  contactSid,
  reason: 'PROCESSING_RESTRICTED',
  scope: 'ALL',
  senderSid: null,
  requestSid,
});

export const standingAgainst = async (t: TenantTx, contactSids: string[]): Promise<ByContact> =>
  both(...(await Promise.all([standingSuppressions(t, contactSids), restrictionsOf(t, contactSids)])));

/** For a part of a large audience. */
export const standingAgainstAudience = async (t: TenantTx, contactSids: string[]): Promise<ByContact> =>
  both(...(await Promise.all([suppressionsOfAudience(t, contactSids), restrictionsOf(t, contactSids)])));

/** For whoever is about to write, and may have looked before: as it stands now, whatever was kept. */
export const standingAgainstNow = async (t: TenantTx, contactSids: string[]): Promise<ByContact> =>
  both(...(await Promise.all([standingSuppressions(t, contactSids), restrictionsNow(t, contactSids)])));
