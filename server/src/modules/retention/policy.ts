// The policy of an account and environment. A shorter window counts a day after it was set, a longer one at once.
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { emit } from '../../platform/events.ts';
import { audit } from '../audit/index.ts';
import { retentionPolicyEvents } from './events.ts';
import { estimate } from './preview.ts';
import type {
  ChangedPolicy,
  NewPolicy,
  PreviewQuery,
  RetentionPolicy,
  RetentionPreview,
  Windows,
} from './schema.ts';
import {
  cutoffsAt,
  graceMs,
  isSame,
  keptForEver,
  longerOf,
  nextSlot,
  removesNothing,
  shortens,
} from './windows.ts';

type Row = {
  contentDays: number | null;
  metadataMonths: number | null;
  analyticsMonths: number | null;
  effectiveFrom: string | null;
  contentDaysBefore: number | null;
  metadataMonthsBefore: number | null;
  analyticsMonthsBefore: number | null;
  nextRunAt: string | null;
  operationSid: string | null;
  contentGoneBefore: string;
  updatedAt: string;
};

export type Policy = {
  windows: Windows;
  /** What counts now, or until `effectiveFrom`. */
  inForce: Windows;
  effectiveFrom: Date | null;
  nextRunAt: string | null;
  operationSid: string | null;
  contentGoneBefore: string;
  updatedAt: string | null;
};

const unset: Policy = {
  windows: keptForEver,
  inForce: keptForEver,
  effectiveFrom: null,
  nextRunAt: null,
  operationSid: null,
  contentGoneBefore: '',
  updatedAt: null,
};

/** As it stands now. Whoever removes reads it `for share`: it does not change before they are done. */
export async function readPolicy(t: TenantTx, lock: Sql = sql``): Promise<Policy> {
  const row = await t.maybe<Row>(sql`
    select content_days as "contentDays", metadata_months as "metadataMonths", analytics_months as "analyticsMonths",
      effective_from as "effectiveFrom", content_days_before as "contentDaysBefore", metadata_months_before as "metadataMonthsBefore",
      analytics_months_before as "analyticsMonthsBefore", next_run_at as "nextRunAt", operation_sid as "operationSid",
      content_gone_before as "contentGoneBefore", updated_at as "updatedAt"
      from retention_policies where account_sid = ${t.accountSid} and livemode = ${t.livemode} ${lock}`);
  return row ? toPolicy(t, row) : unset;
}

function toPolicy({ now }: TenantTx, row: Row): Policy {
  const { contentDays, metadataMonths, analyticsMonths, effectiveFrom: from, ...rest } = row;
  const windows = { messageContentDays: contentDays, messageMetadataMonths: metadataMonths, analyticsMonths };
  const effectiveFrom = from !== null && new Date(from) > now ? new Date(from) : null;
  const before = {
    messageContentDays: row.contentDaysBefore,
    messageMetadataMonths: row.metadataMonthsBefore,
    analyticsMonths: row.analyticsMonthsBefore,
  };
  const { nextRunAt, operationSid, contentGoneBefore, updatedAt } = rest;
  const inForce = effectiveFrom ? before : windows;
  return { windows, inForce, effectiveFrom, nextRunAt, operationSid, contentGoneBefore, updatedAt };
}

export const getPolicy = async (t: TenantTx): Promise<RetentionPolicy> => told(t, await readPolicy(t));

function told({ accountSid, livemode }: TenantTx, policy: Policy): RetentionPolicy {
  const { windows, inForce, effectiveFrom, nextRunAt, operationSid, updatedAt } = policy;
  return {
    object: 'retention_policy',
    accountSid,
    livemode,
    ...windows,
    effectiveFrom: effectiveFrom?.toISOString() ?? null,
    inForce,
    nextRunAt,
    operationSid,
    updatedAt,
  };
}

/** `confirm` asks for a second factor: only what removes something needs it. */
export async function setPolicy(
  t: TenantTx,
  body: NewPolicy,
  confirm: () => Promise<void>,
): Promise<ChangedPolicy> {
  const { messageContentDays, messageMetadataMonths, analyticsMonths = null } = body;
  const windows = { messageContentDays, messageMetadataMonths, analyticsMonths };
  await makeRow(t);
  const policy = await readPolicy(t, sql`for update`);
  const waits = shortens(windows, policy.inForce);
  if (waits) await confirm();
  if (!isSame(windows, policy.windows)) await store(t, windows, policy.inForce, waits);
  const changed = await readPolicy(t);
  if (!isSame(windows, policy.windows)) announce(t, told(t, changed));
  return { ...told(t, changed), nextRun: await nextRun(t, changed) };
}

/** So that two who set it for the first time follow one another. */
async function makeRow(t: TenantTx): Promise<void> {
  await t.run(sql`
    insert into retention_policies (account_sid, livemode, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${t.now}, ${t.now}) on conflict do nothing`);
}

async function store(t: TenantTx, windows: Windows, inForce: Windows, waits: boolean): Promise<void> {
  const effectiveFrom = waits ? new Date(t.now.getTime() + graceMs) : null;
  const until = longerOf(windows, inForce);
  const nextRunAt = removesNothing(windows) ? null : nextSlot(t, effectiveFrom ?? t.now);
  await t.run(sql`
    update retention_policies set content_days = ${windows.messageContentDays}, metadata_months = ${windows.messageMetadataMonths},
      analytics_months = ${windows.analyticsMonths}, effective_from = ${effectiveFrom},
      content_days_before = ${until.messageContentDays}, metadata_months_before = ${until.messageMetadataMonths},
      analytics_months_before = ${until.analyticsMonths}, next_run_at = ${nextRunAt}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}`);
}

function announce(t: TenantTx, policy: RetentionPolicy): void {
  const { messageContentDays, messageMetadataMonths, analyticsMonths, effectiveFrom } = policy;
  const facts = { messageContentDays, messageMetadataMonths, analyticsMonths, effectiveFrom };
  audit(t, { action: retentionPolicyEvents.changed.name, resource: t.accountSid, facts });
  emit(t, retentionPolicyEvents.changed, policy);
}

/** No run comes before the windows count: so this is what the next one removes. */
async function nextRun(
  t: TenantTx,
  { windows, nextRunAt, contentGoneBefore }: Policy,
): Promise<ChangedPolicy['nextRun']> {
  if (nextRunAt === null) return null;
  return {
    at: nextRunAt,
    ...(await estimate(t, cutoffsAt(new Date(nextRunAt), windows), contentGoneBefore)),
  };
}

/** What a run would remove at this moment under other windows. Analytics are asked for under the account's own. */
export async function previewPolicy(t: TenantTx, query: PreviewQuery): Promise<RetentionPreview> {
  const { messageContentDays = null, messageMetadataMonths = null } = query;
  const { inForce, contentGoneBefore } = await readPolicy(t);
  const { analyticsMonths } = inForce;
  const cutoffs = cutoffsAt(t.now, { messageContentDays, messageMetadataMonths, analyticsMonths });
  const told = (cutoff: Date | null) => cutoff?.toISOString() ?? null;
  return {
    object: 'retention_preview',
    accountSid: t.accountSid,
    livemode: t.livemode,
    cutoffs: {
      messageContent: told(cutoffs.messageContent),
      messageMetadata: told(cutoffs.messageMetadata),
      analytics: told(cutoffs.analytics),
    },
    ...(await estimate(t, cutoffs, contentGoneBefore)),
    asOf: t.now.toISOString(),
  };
}
