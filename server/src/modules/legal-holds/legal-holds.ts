// The life of a legal hold.
//
//   PENDING ──somebody of the platform agrees──▶ STANDING ──release──▶ RELEASED
//      └──────refused, or nobody agrees──▶ REFUSED
//
// One of the account stands at once; one of the platform waits for a second person, and keeps what it reaches meanwhile: data must
// not go while somebody decides. One that the customer may not see is known to the platform alone.
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { type EventType, emit } from '../../platform/events.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { newUuid } from '../../platform/ids.ts';
import { principalName } from '../../platform/principal.ts';
import { audit, auditUnseen } from '../audit/index.ts';
import { legalHoldEvents } from './events.ts';
import type { LegalHoldHooks } from './hooks.ts';
import { keepMarks, mark, placing, removeMarks } from './marks.ts';
import type { LegalHold, Scope } from './schema.ts';
import { reachOf } from './scopes.ts';

const columns = ({
  now,
}: TenantTx) => sql`'legal_hold' as object, id, account_sid as "accountSid", livemode, placed_by as "placedBy",
  case when state = 'PENDING' and expires_at <= ${now} then 'REFUSED' else state end as state, scope, case_ref as "caseRef",
  customer_visible as "customerVisible", approval_sid as "approvalSid", created_by as "createdBy", placed_at as "placedAt",
  released_at as "releasedAt", released_by as "releasedBy", release_case_ref as "releaseCaseRef", created_at as "createdAt",
  updated_at as "updatedAt"`;

const mine = (t: TenantTx) => sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}`;

const platformScopes = ['platform:staff', 'platform:compliance'];

const holds = (t: TenantTx, scope: string) => t.principal.scopesOn(t.accountSid)?.has(scope) ?? false;

/** Whoever acts for the platform, and not for the account. */
export const isPlatform = (t: TenantTx) => platformScopes.some((scope) => holds(t, scope));

/** Those that whoever asks may know of. */
const knownTo = (t: TenantTx): Sql => (isPlatform(t) ? sql`true` : sql`customer_visible`);

export type NewHold = Pick<LegalHold, 'placedBy' | 'caseRef' | 'customerVisible'> & {
  scope: Scope;
  /** Somebody of the platform must agree until then. */
  awaits?: { approvalSid: string; until: Date };
};

/** From the commit on nothing it reaches is removed, whether it stands or waits. */
export async function placeHold(hooks: LegalHoldHooks, t: TenantTx, hold: NewHold): Promise<LegalHold> {
  await placing(t);
  const reach = await reachOf(hooks, t, hold.scope);
  const { placedBy, caseRef, customerVisible, scope, awaits } = hold;
  const row = await t.one<LegalHold>(sql`
    insert into legal_holds (account_sid, livemode, id, placed_by, state, scope, case_ref, customer_visible, approval_sid, expires_at,
      created_by, placed_at, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${newUuid(t.now)}, ${placedBy}, ${awaits ? 'PENDING' : 'STANDING'},
      ${JSON.stringify(scope)}::json, ${caseRef}, ${customerVisible}, ${awaits?.approvalSid ?? null}, ${awaits?.until ?? null},
      ${principalName(t.principal)}, ${awaits ? null : t.now}, ${t.now}, ${t.now})
    returning ${columns(t)}`);
  await mark(t, { holdId: row.id, visible: customerVisible, until: awaits?.until ?? null }, reach);
  if (!awaits) announce(t, row, legalHoldEvents.placed);
  return row;
}

/** Somebody agreed to one that waited. */
export async function confirmHold(t: TenantTx, approvalSid: string): Promise<LegalHold> {
  const row = await t.one<LegalHold>(sql`
    update legal_holds set state = 'STANDING', placed_at = ${t.now}, expires_at = null, updated_at = ${t.now}
     where ${mine(t)} and approval_sid = ${approvalSid} and state = 'PENDING'
    returning ${columns(t)}`);
  await keepMarks(t, row.id);
  announce(t, row, legalHoldEvents.placed);
  return row;
}

/** Nobody agreed: what it kept may go. */
export async function dropHold(hooks: LegalHoldHooks, t: TenantTx, approvalSid: string): Promise<void> {
  const { id } = await t.one<{ id: string }>(sql`
    update legal_holds set state = 'REFUSED', expires_at = null, updated_at = ${t.now}
     where ${mine(t)} and approval_sid = ${approvalSid} and state = 'PENDING' returning id`);
  await letGo(hooks, t, id);
}

export async function findByApproval(t: TenantTx, approvalSid: string): Promise<LegalHold | null> {
  const row = await t.maybe<LegalHold>(sql`
    select ${columns(t)} from legal_holds where ${mine(t)} and approval_sid = ${approvalSid}`);
  return row ?? null;
}

export async function listHolds(t: TenantTx, pager: Pager) {
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<LegalHold>(sql`
    select ${columns(t)} from legal_holds
     where ${mine(t)} and ${knownTo(t)} and (${before}::uuid is null or id < ${before}::uuid)
     order by id desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ id }) => [id],
    (row) => row,
  );
}

/** By whoever may: the account releases what it placed, the platform's compliance what the platform placed. Again changes nothing. */
export async function releaseHold(
  hooks: LegalHoldHooks,
  t: TenantTx,
  id: string,
  caseRef: string,
): Promise<LegalHold> {
  const found = await t.maybe<LegalHold>(sql`
    select ${columns(t)} from legal_holds where ${mine(t)} and ${knownTo(t)} and id = ${id} for update`);
  if (!found) throw new ApiError('NOT_FOUND');
  refuseOthers(t, found);
  if (found.state === 'RELEASED') return found;
  if (found.state !== 'STANDING')
    throw new ApiError('CONFLICT', { message: `The hold is ${found.state}: it does not stand.` });
  const row = await t.one<LegalHold>(sql`
    update legal_holds set state = 'RELEASED', released_at = ${t.now}, released_by = ${principalName(t.principal)},
      release_case_ref = ${caseRef}, updated_at = ${t.now}
     where ${mine(t)} and id = ${id} returning ${columns(t)}`);
  await letGo(hooks, t, id);
  announce(t, row, legalHoldEvents.released);
  return row;
}

function refuseOthers(t: TenantTx, { placedBy }: LegalHold): void {
  const may = placedBy === 'PLATFORM' ? holds(t, 'platform:compliance') : !isPlatform(t);
  if (may) return;
  const issue = placedBy === 'PLATFORM' ? 'was placed by the platform' : 'was placed by the account';
  throw new ApiError('AUTHORIZATION_ERROR', { details: [{ path: 'holdId', issue }] });
}

async function letGo(hooks: LegalHoldHooks, t: TenantTx, id: string): Promise<void> {
  await removeMarks(t, id);
  for (const ended of hooks.ended) await ended(t);
}

function announce(t: TenantTx, hold: LegalHold, type: EventType<LegalHold>): void {
  const { id, placedBy, scope, caseRef, releaseCaseRef, customerVisible } = hold;
  const facts = { placedBy, scope, caseRef: releaseCaseRef ?? caseRef };
  (customerVisible ? audit : auditUnseen)(t, { action: type.name, resource: id, facts });
  if (customerVisible) emit(t, type, hold);
}
