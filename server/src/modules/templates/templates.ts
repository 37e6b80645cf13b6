// Templates as rows: reading them, moving them from status to status, writing each move down. Who asks for a move, and what
// the provider says about it, stands in the files beside this one.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { isNews, withSaidAt } from '../provider/index.ts';
import type { WireComponent } from './components.ts';
import { eventOfStatus, templateEvents } from './events.ts';
import type { TemplateCategory, TemplateStatus } from './find-template.ts';
import type { Template, TemplateQuery, TemplateStatusChange } from './schema.ts';
import { fromWire } from './wire-names.ts';

export type Failure = { code: string; message: string; providerCode: number | null };
/** What a template is to become, or what it was before it began to go. */
export type Proposed = {
  components?: WireComponent[];
  category?: TemplateCategory;
  messageSendTtlSeconds?: number | null;
  statusBefore?: TemplateStatus;
};

export type TemplateRow = Omit<Template, 'components'> & {
  components: WireComponent[];
  revision: number;
  proposed: Proposed | null;
  /** Since when `pendingChange` waits. */
  pendingSince: string | null;
};

export const templateColumns = sql`'template' as object, sid, account_sid as "accountSid", livemode, waba_sid as "wabaSid",
  provider_template_id as "providerTemplateId", name, language, category, status, status_changed_at as "statusChangedAt",
  quality, parameter_format as "parameterFormat", components, message_send_ttl_seconds as "messageSendTtlSeconds",
  rejected_reason as "rejectedReason", pending_change as "pendingChange", failure, approved_at as "approvedAt",
  deleted_at as "deletedAt", created_at as "createdAt", updated_at as "updatedAt", revision, proposed, pending_since as "pendingSince"`;

export function toTemplate(stored: TemplateRow): Template {
  const { revision: _, proposed: __, pendingSince: ___, components, ...row } = stored;
  return { ...row, components: fromWire(components) };
}

export async function findRow(t: TenantTx, sid: string, lock = false): Promise<TemplateRow | undefined> {
  return t.maybe<TemplateRow>(sql`
    select ${templateColumns} from templates
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and deleted_at is null
     ${lock ? sql`for update` : sql``}`);
}

export async function getTemplate(t: TenantTx, sid: string): Promise<Template> {
  const row = await findRow(t, sid);
  if (!row) throw new ApiError('NOT_FOUND');
  return toTemplate(row);
}

/** Locks the template, so that two changes to it follow one another. */
export async function lockTemplate(t: TenantTx, sid: string): Promise<TemplateRow> {
  const row = await findRow(t, sid, true);
  if (!row) throw new ApiError('NOT_FOUND');
  return row;
}

export async function listTemplates(t: TenantTx, query: TemplateQuery, pager: Pager) {
  const before = pager.after?.[0] ?? null;
  const { wabaSid = null, name = null, language = null, status = null, category = null } = query;
  const rows = await t.many<TemplateRow>(sql`
    select ${templateColumns} from templates
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and deleted_at is null
       and (${wabaSid}::text is null or waba_sid = ${wabaSid}) and (${name}::text is null or name = ${name})
       and (${language}::text is null or language = ${language}) and (${status}::text is null or status = ${status})
       and (${category}::text is null or category = ${category}) and (${before}::text is null or sid < ${before})
     order by sid desc limit ${pager.fetch}`);
  return pager.page(rows, ({ sid }) => [sid], toTemplate);
}

export async function listTemplateHistory(t: TenantTx, templateSid: string, pager: Pager) {
  await getTemplate(t, templateSid);
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<TemplateStatusChange & { sequence: string }>(sql`
    select 'template_status_change' as object, template_sid as "templateSid", account_sid as "accountSid", livemode, status,
      previous_status as "previousStatus", category, reason, occurred_at as "occurredAt", created_at as "createdAt", sequence
      from template_status_history
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and template_sid = ${templateSid}
       and (${before}::bigint is null or sequence < ${before})
     order by sequence desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ sequence }) => [sequence],
    ({ sequence: _, ...change }) => change,
  );
}

/** The approved templates of one business account that another does not have approved, by name and language. */
export const templatesMissing = (
  t: TenantTx,
  { from, to, most }: { from: string; to: string; most: number },
): Promise<(Pick<TemplateRow, 'name' | 'language'> & { total: number })[]> =>
  t.many(sql`
    select f.name, f.language, (count(*) over ())::integer as total from templates f
     where f.account_sid = ${t.accountSid} and f.livemode = ${t.livemode} and f.waba_sid = ${from}
       and f.status = 'APPROVED' and f.deleted_at is null and not exists (
         select from templates o
          where o.account_sid = f.account_sid and o.livemode = f.livemode and o.waba_sid = ${to} and o.name = f.name
            and o.language = f.language and o.status = 'APPROVED' and o.deleted_at is null)
     order by f.name, f.language limit ${most}`);

export async function templateCounts(t: TenantTx, wabaSids: readonly string[]): Promise<Map<string, number>> {
  const rows = await t.many<{ wabaSid: string; count: number }>(sql`
    select waba_sid as "wabaSid", count(*)::integer as count from templates
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and waba_sid = any(${[...wabaSids]}::text[])
       and deleted_at is null
     group by 1`);
  return new Map(rows.map(({ wabaSid, count }) => [wabaSid, count]));
}

export async function rememberStatus(
  t: TenantTx,
  row: Pick<TemplateRow, 'sid' | 'status' | 'category'>,
  previous: TemplateStatus | null,
  reason: string | null,
  occurredAt: Date,
): Promise<void> {
  await t.run(sql`
    insert into template_status_history (account_sid, livemode, template_sid, status, previous_status, category, reason,
      occurred_at, created_at)
    values (${t.accountSid}, ${t.livemode}, ${row.sid}, ${row.status}, ${previous}, ${row.category}, ${reason},
      ${occurredAt}, ${t.now})`);
}

export type Aspect = 'status' | 'quality' | 'category' | 'components';
export type RowChange = Partial<
  Pick<
    TemplateRow,
    | 'status'
    | 'category'
    | 'quality'
    | 'components'
    | 'parameterFormat'
    | 'providerTemplateId'
    | 'rejectedReason'
    | 'messageSendTtlSeconds'
    | 'failure'
    | 'pendingChange'
    | 'proposed'
    | 'revision'
    | 'deletedAt'
  >
>;
export type Word = {
  /** What it speaks of, when it comes from the provider: an older word about the same changes nothing. */
  about?: readonly Aspect[];
  saidAt: Date;
  reason: string | null;
};

/**
 * Writes a change, remembers a new status and announces it by its own name. Null when the provider said something newer
 * about any of the aspects before.
 */
export async function changeTemplate(
  t: TenantTx,
  row: TemplateRow,
  change: RowChange,
  { about = [], saidAt, reason }: Word,
): Promise<TemplateRow | null> {
  const next = { ...row, ...change };
  const news = about.map((aspect) => isNews(aspect, saidAt));
  const changed = await t.maybe<TemplateRow>(sql`
    update templates set status = ${next.status}, category = ${next.category}, quality = ${next.quality},
      components = ${JSON.stringify(next.components)}::jsonb, parameter_format = ${next.parameterFormat},
      provider_template_id = ${next.providerTemplateId}, rejected_reason = ${next.rejectedReason},
      message_send_ttl_seconds = ${next.messageSendTtlSeconds}, failure = ${json(next.failure)}::jsonb,
      pending_change = ${next.pendingChange}, pending_since = case when ${next.pendingChange}::text is null then null
        when revision = ${next.revision} then pending_since else ${t.now}::timestamptz end, proposed = ${json(next.proposed)}::jsonb, revision = ${next.revision},
      deleted_at = ${next.deletedAt}, updated_at = ${t.now}, said_at = ${withSaidAt(about, saidAt)},
      status_changed_at = case when status = ${next.status} then status_changed_at else ${saidAt}::timestamptz end,
      approved_at = case when ${next.status} = 'APPROVED' then coalesce(approved_at, ${saidAt}::timestamptz)
        else approved_at end
     where account_sid = ${t.accountSid} and sid = ${row.sid} and ${sql.join([sql`true`, ...news], sql` and `)}
    returning ${templateColumns}`);
  if (!changed) return null;
  if (changed.status !== row.status) await rememberStatus(t, changed, row.status, reason, saidAt);
  announce(t, row, changed, saidAt);
  return changed;
}

const json = (value: object | null) => (value === null ? null : JSON.stringify(value));

/** What people see of a template; what only says when something was heard is not worth an event. */
const visible = (row: TemplateRow) => {
  const { updatedAt: _, ...template } = toTemplate(row);
  return JSON.stringify(template);
};

function announce(t: TenantTx, before: TemplateRow, after: TemplateRow, saidAt: Date): void {
  const template = toTemplate(after);
  if (after.status !== before.status) emit(t, eventOfStatus(after.status), template, saidAt);
  else if (visible(after) !== visible(before)) emit(t, templateEvents.updated, template, saidAt);
}
