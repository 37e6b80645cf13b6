// Lifting ends what is in force and keeps the record. What is lifted or expired already stays as it is, and nothing new
// is announced.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError, type ErrorDetail, invalid } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import { principalName } from '../../platform/principal.ts';
import { audit } from '../audit/index.ts';
import {
  findOwners,
  type IdentifierFilter,
  identifierFilter,
  liftErased,
  lockContact,
  lockSurvivor,
} from '../contacts/index.ts';
import { suppressionEvents } from './events.ts';
import { queueMirroring } from './mirror-suppressions.ts';
import type { Suppression, SuppressionsToLift } from './schema.ts';
import { getSuppression, suppressionColumns } from './suppressions.ts';

/** Lifts every one that matches and answers with those it lifted. */
export async function liftSuppressions(
  t: TenantTx,
  input: SuppressionsToLift,
  toldAt?: Date,
): Promise<Suppression[]> {
  const details = judgeTarget(input);
  if (details.length > 0) throw invalid(...details);
  const { suppressionSid, scope, reason } = input;
  const contactSid = await targetOf(t, input);
  if (contactSid === null) {
    await liftOfErased(t, input);
    return [];
  }
  if (suppressionSid !== undefined) {
    const { contactSid: holder } = await getSuppression(t, suppressionSid);
    if (holder !== contactSid) throw new ApiError('NOT_FOUND');
  }
  return lift(t, { contactSid, suppressionSid, scope, reason }, toldAt);
}

function judgeTarget({ contactSid, identifier, suppressionSid }: SuppressionsToLift): ErrorDetail[] {
  if (contactSid !== undefined && identifier !== undefined) {
    return [{ path: 'identifier', issue: 'must not be given beside contactSid' }];
  }
  if (contactSid ?? identifier ?? suppressionSid) return [];
  const issue = 'one of contactSid, identifier and suppressionSid must be given';
  return (['contactSid', 'identifier', 'suppressionSid'] as const).map((path) => ({ path, issue }));
}

/** The contact whose suppressions are meant, locked; null for an identifier nobody has. */
async function targetOf(t: TenantTx, input: SuppressionsToLift): Promise<string | null> {
  const { contactSid, suppressionSid } = input;
  if (contactSid !== undefined) {
    await lockContact(t, contactSid);
    return contactSid;
  }
  const filter = identifierFilter(input);
  if (filter && 'details' in filter) throw invalid(...filter.details);
  if (filter === null) {
    return lockSurvivor(t, (await getSuppression(t, suppressionSid!)).contactSid);
  }
  const owners = await findOwners(t, filter);
  if (owners.length > 1) {
    const issue = 'belongs to several contacts: say which by identifierType and scopeRef';
    throw invalid({ path: 'identifier', issue });
  }
  return owners[0] === undefined ? null : lockSurvivor(t, owners[0]);
}

/** Nobody has the identifier; somebody who had it and was erased may have left a no. There is no record to answer with. */
async function liftOfErased(t: TenantTx, input: SuppressionsToLift): Promise<void> {
  const suppressions = await liftErased(t, identifierFilter(input) as IdentifierFilter, input.scope);
  if (suppressions === 0) return;
  const facts = { suppressions, scope: input.scope ?? null, reason: input.reason ?? null };
  audit(t, { action: 'erased_opt_out.lifted', facts, words: ['reason'] });
}

type Target = { contactSid: string; suppressionSid?: string; scope?: string; reason?: string };

async function lift(
  t: TenantTx,
  { contactSid, suppressionSid, scope, reason }: Target,
  toldAt?: Date,
): Promise<Suppression[]> {
  const rows = await t.many<Suppression>(sql`
    update suppressions set lifted_at = ${t.now}, lifted_by = ${principalName(t.principal)},
      lift_reason = ${reason ?? null}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid}
       and (${suppressionSid ?? null}::text is null or sid = ${suppressionSid ?? null})
       and (${scope ?? null}::text is null or scope = ${scope ?? null})
       and lifted_at is null and (expires_at is null or expires_at > ${t.now})
    returning ${suppressionColumns(t.now)}`);
  if (rows.some(({ mirrorToProvider }) => mirrorToProvider)) queueMirroring(t, contactSid);
  const lifted = rows.sort((a, b) => (a.sid < b.sid ? 1 : -1));
  for (const suppression of lifted) {
    const { sid, scope: of } = suppression;
    audit(t, {
      action: 'suppression.lifted',
      resource: sid,
      facts: { contactSid, scope: of, reason: reason ?? null },
      words: ['reason'],
    });
    emit(t, suppressionEvents.removed, suppression, toldAt);
  }
  return lifted;
}

/** Lifts one, and answers with it as it is then, also when it was lifted before. */
export async function liftSuppression(
  t: TenantTx,
  { contactSid, suppressionSid }: { contactSid: string; suppressionSid: string },
  reason?: string,
  toldAt?: Date,
): Promise<Suppression> {
  await lockContact(t, contactSid);
  const found = await getSuppression(t, suppressionSid);
  if (found.contactSid !== contactSid) throw new ApiError('NOT_FOUND');
  const [lifted] = await lift(t, { contactSid, suppressionSid, reason }, toldAt);
  return lifted ?? found;
}
