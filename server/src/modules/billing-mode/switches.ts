// The rows of switches: read, moved and shown. A row moves only from the state it was read in.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { type EventType, emit } from '../../platform/events.ts';
import { requireWaba } from '../wabas/index.ts';
import type { BillingModeResource, SwitchError } from './schema.ts';
import { followers, type SwitchState } from './states.ts';

export type Switch = {
  id: string;
  wabaSid: string;
  state: SwitchState;
  currency: string;
  termsVersion: string;
  receivingBusinessId: string;
  providerWabaId: string;
  operationSid: string;
  creditLineId: string | null;
  allocationId: string | null;
  receivingCredentialId: string | null;
  sharingSince: string | null;
  acceptedBy: string | null;
  acceptedAt: string | null;
  verifyingSince: string | null;
  activatedAt: string | null;
  error: SwitchError | null;
  revertOperationSid: string | null;
  revertedFrom: SwitchState | null;
  deletingSince: string | null;
  requestStatus: string | null;
  revokedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export const columns = sql`id, waba_sid as "wabaSid", state, currency, terms_version as "termsVersion",
  receiving_business_id as "receivingBusinessId", provider_waba_id as "providerWabaId", operation_sid as "operationSid",
  credit_line_id as "creditLineId", allocation_id as "allocationId", receiving_credential_id as "receivingCredentialId",
  sharing_since as "sharingSince", accepted_by as "acceptedBy", accepted_at as "acceptedAt",
  verifying_since as "verifyingSince", activated_at as "activatedAt", error,
  revert_operation_sid as "revertOperationSid", reverted_from as "revertedFrom", deleting_since as "deletingSince",
  request_status as "requestStatus", revoked_at as "revokedAt", created_at as "createdAt", updated_at as "updatedAt"`;

export const readSwitch = (t: TenantTx, id: string): Promise<Switch> =>
  t.one<Switch>(sql`
    select ${columns} from billing_mode_switches
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id}`);

/** The one that is under way, or else the newest. */
export const newestSwitch = (t: TenantTx, wabaSid: string): Promise<Switch | undefined> =>
  t.maybe<Switch>(sql`
    select ${columns} from billing_mode_switches
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and waba_sid = ${wabaSid}
     order by state not in ('failed', 'direct') desc, id desc limit 1`);

/** Until the transaction ends nobody else moves it. */
export const lockSwitch = (t: TenantTx, id: string): Promise<Switch> =>
  t.one<Switch>(sql`
    select ${columns} from billing_mode_switches
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id} for update`);

export type NewSwitch = Pick<
  Switch,
  'id' | 'wabaSid' | 'currency' | 'termsVersion' | 'receivingBusinessId' | 'providerWabaId' | 'operationSid'
>;

export const insertSwitch = (t: TenantTx, made: NewSwitch): Promise<Switch> =>
  t.one<Switch>(sql`
    insert into billing_mode_switches (account_sid, livemode, id, waba_sid, state, currency, terms_version,
      receiving_business_id, provider_waba_id, operation_sid, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${made.id}, ${made.wabaSid}, 'requested', ${made.currency},
      ${made.termsVersion}, ${made.receivingBusinessId}, ${made.providerWabaId}, ${made.operationSid}, ${t.now}, ${t.now})
    returning ${columns}`);

/** Facts that change with its state. */
export type Change = Partial<
  Omit<Switch, keyof NewSwitch | 'state' | 'createdAt' | 'updatedAt' | 'deletingSince'>
>;

/** Moves it on, or writes facts down where it stands. Whoever read it before somebody else moved it must look again. */
export async function moveSwitch(
  t: TenantTx,
  from: Switch,
  state: SwitchState,
  change: Change = {},
): Promise<Switch> {
  if (state !== from.state && !followers[from.state].includes(state))
    throw new Error(`a switch that is ${from.state} cannot become ${state}`);
  const next = { ...from, ...change };
  const moved = await t.maybe<Switch>(sql`
    update billing_mode_switches set state = ${state}, credit_line_id = ${next.creditLineId},
      allocation_id = ${next.allocationId}, receiving_credential_id = ${next.receivingCredentialId},
      sharing_since = ${next.sharingSince}, accepted_by = ${next.acceptedBy}, accepted_at = ${next.acceptedAt},
      verifying_since = ${next.verifyingSince}, activated_at = ${next.activatedAt},
      error = ${next.error && JSON.stringify(next.error)}::json, revert_operation_sid = ${next.revertOperationSid},
      reverted_from = ${next.revertedFrom}, request_status = ${next.requestStatus}, revoked_at = ${next.revokedAt},
      deleting_since = case when ${state} in ('revoking', 'confirming') then deleting_since end, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${from.id} and state = ${from.state}
    returning ${columns}`);
  if (!moved) throw new Error(`the switch ${from.id} is no longer ${from.state}`);
  return moved;
}

export async function getBillingMode(t: TenantTx, wabaSid: string): Promise<BillingModeResource> {
  const waba = await requireWaba(t, wabaSid);
  const newest = await newestSwitch(t, wabaSid);
  return {
    object: 'billing_mode',
    wabaSid,
    accountSid: t.accountSid,
    livemode: t.livemode,
    mode: waba.billingMode,
    effectiveFrom: waba.billingModeSince ?? waba.createdAt,
    switch: newest ? switchOf(newest) : null,
  };
}

const switchOf = (row: Switch): BillingModeResource['switch'] => ({
  id: row.id,
  state: row.state,
  termsVersion: row.termsVersion,
  currency: row.currency,
  acceptedBy: row.acceptedBy,
  acceptedAt: row.acceptedAt,
  error: row.error,
  operationSid: row.operationSid,
  revertOperationSid: row.revertOperationSid,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

/** Tells of the mode as it is now. */
export async function tell(
  t: TenantTx,
  event: EventType<BillingModeResource>,
  wabaSid: string,
): Promise<BillingModeResource> {
  const mode = await getBillingMode(t, wabaSid);
  emit(t, event, mode);
  return mode;
}
