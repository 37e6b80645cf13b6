// A campaign as its row keeps it, and as it is told.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { money, toWire } from '../../../platform/money.ts';
import type { Definition } from '../draft/definition.ts';
import type { Campaign } from '../schema.ts';
import type { CampaignState } from '../states.ts';

export type CampaignRow = {
  sid: string;
  name: string;
  state: CampaignState;
  reason: string | null;
  version: number;
  segmentSid: string | null;
  contactCount: number | null;
  definition: Definition;
  fallbackTimezone: string | null;
  budgetMinor: string | null;
  budgetCurrency: string | null;
  budgetScale: number | null;
  approvalSid: string | null;
  operationSid: string | null;
  recipients: number;
  admitted: number;
  refused: number;
  reservedMinor: string;
  paceFrom: string | null;
  paceTaken: number;
  restsUntil: string | null;
  cutAt: string | null;
  createdBy: string;
  launchedBy: string | null;
  launchedAt: string | null;
  startedAt: string | null;
  finishedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

/** Without the contacts it names, which may be thousands. */
export const columns = sql`sid, name, state, reason, version, segment_sid as "segmentSid", cardinality(contact_sids) as "contactCount",
  definition, fallback_timezone as "fallbackTimezone", budget_minor as "budgetMinor", budget_currency as "budgetCurrency",
  budget_scale as "budgetScale", approval_sid as "approvalSid", operation_sid as "operationSid", recipients, admitted, refused,
  reserved_minor as "reservedMinor", pace_from as "paceFrom", pace_taken as "paceTaken", rests_until as "restsUntil",
  cut_at as "cutAt", created_by as "createdBy", launched_by as "launchedBy", launched_at as "launchedAt",
  started_at as "startedAt", finished_at as "finishedAt", created_at as "createdAt", updated_at as "updatedAt"`;

export const here = (t: TenantTx, sid: string) =>
  sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid}`;

export async function findCampaign(t: TenantTx, sid: string): Promise<CampaignRow> {
  const row = await t.maybe<CampaignRow>(sql`select ${columns} from campaigns where ${here(t, sid)}`);
  if (!row) throw new ApiError('NOT_FOUND');
  return row;
}

/** Whoever holds it decides alone what becomes of the campaign, and everybody who admits for it holds it. */
export async function lockCampaign(t: TenantTx, sid: string): Promise<CampaignRow> {
  const row = await t.maybe<CampaignRow>(
    sql`select ${columns} from campaigns where ${here(t, sid)} for update`,
  );
  if (!row) throw new ApiError('NOT_FOUND');
  return row;
}

export async function contactSidsOf(t: TenantTx, sid: string): Promise<string[] | null> {
  const { contactSids } = await t.one<{ contactSids: string[] | null }>(sql`
    select contact_sids as "contactSids" from campaigns where ${here(t, sid)}`);
  return contactSids;
}

export function toCampaign(
  { accountSid, livemode }: Pick<TenantTx, 'accountSid' | 'livemode'>,
  row: CampaignRow,
  contactSids: string[] | null = null,
): Campaign {
  const {
    message,
    variants,
    variables,
    from,
    senderPoolSid,
    sendAt,
    localTime,
    quietHours,
    messagesPerMinute,
    budget,
  } = row.definition;
  const { recipients, admitted, refused } = row;
  return {
    object: 'campaign',
    sid: row.sid,
    accountSid,
    livemode,
    name: row.name,
    state: row.state,
    reason: row.reason,
    version: row.version,
    audience: { segmentSid: row.segmentSid, contactSids, contactCount: row.contactCount },
    message: message ?? null,
    variants: variants ?? null,
    variables: variables ?? {},
    from: from ?? null,
    senderPoolSid: senderPoolSid ?? null,
    sendAt: sendAt ?? null,
    localTime: localTime ?? false,
    quietHours: quietHours ?? null,
    messagesPerMinute: messagesPerMinute ?? null,
    budget: budget ?? null,
    budgetUsed:
      row.budgetMinor === null
        ? null
        : toWire(money(BigInt(row.reservedMinor), row.budgetCurrency!, row.budgetScale!)),
    approvalSid: row.approvalSid,
    operationSid: row.operationSid,
    progress: { recipients, pending: recipients - admitted - refused, admitted, refused },
    createdBy: row.createdBy,
    launchedBy: row.launchedBy,
    launchedAt: row.launchedAt,
    startedAt: row.startedAt,
    finishedAt: row.finishedAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
