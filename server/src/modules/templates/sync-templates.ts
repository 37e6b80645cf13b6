// Brings the templates of a business account up to date with the provider's own list: new ones appear, known ones are
// corrected, and what is no longer listed is gone. A provider that answers is also told at once what it has not been told yet.
import { isDeepStrictEqual } from 'node:util';
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError, invalid } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import { Closed, Sid } from '../../platform/http/input/schema.ts';
import { newSid } from '../../platform/ids.ts';
import { defineJob, type TenantJobContext } from '../../platform/jobs/jobs.ts';
import { defineOperationType, startOperation } from '../operations/index.ts';
import {
  type Answered,
  answerOf,
  type Page,
  type ProviderTemplate,
  refuseWithout,
  spokenIn,
} from '../provider/index.ts';
import { connectionOf, onlyConnectedWaba, requireWaba } from '../wabas/index.ts';
import type { WireComponent } from './components.ts';
import { templateEvents } from './events.ts';
import { lockName } from './name-locks.ts';
import { readCategory, readQuality, readStatus } from './provider-words.ts';
import { queueSubmission } from './submit-template.ts';
import { type Aspect, changeTemplate, type TemplateRow, templateColumns, toTemplate } from './templates.ts';

export type Synced = { listed: number; added: number; changed: number; removed: number; resubmitted: number };

/** Reads the list whole before anything is written: half a list would delete the other half. */
export async function syncTemplates(context: TenantJobContext, wabaSid: string): Promise<Synced | null> {
  const startedAt = context.now();
  const reached = await context.read(async (t) => {
    const connection = await connectionOf(t, wabaSid);
    return connection && { connection, wabaId: (await requireWaba(t, wabaSid)).providerWabaId };
  });
  if (!reached) return null;
  const listed: ProviderTemplate[] = [];
  let after: string | null = null;
  do {
    const answered: Answered<Page<ProviderTemplate>> = await context.ports.provider.listTemplates(
      reached.connection,
      reached.wabaId,
      after,
    );
    const page = answerOf(answered);
    listed.push(...page.items);
    after = page.after;
  } while (after !== null);
  return context.write((t) => storeList(t, wabaSid, listed, startedAt));
}

export async function storeList(
  t: TenantTx,
  wabaSid: string,
  listed: readonly ProviderTemplate[],
  saidAt: Date,
): Promise<Synced> {
  const known = await t.many<TemplateRow>(sql`
    select ${templateColumns} from templates
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and waba_sid = ${wabaSid} and deleted_at is null
     order by sid for update`);
  const byName = new Map(known.map((row) => [nameOf(row), row]));
  const fresh = listed.filter((template) => !byName.has(nameOf(template)));
  await insertListed(t, wabaSid, fresh, { saidAt });
  let changed = 0;
  for (const template of listed) {
    const row = byName.get(nameOf(template));
    if (row && (await correct(t, row, template, saidAt))) changed += 1;
  }
  const removed = await removeUnlisted(t, known, listed, saidAt);
  const untold = known.filter(({ pendingChange }) => pendingChange !== null);
  for (const row of untold) queueSubmission(t, row);
  return { listed: listed.length, added: fresh.length, changed, removed, resubmitted: untold.length };
}

const nameOf = ({ name, language }: { name: string; language: string }) => `${name}\n${language}`;

/** For templates known to be there: the samples of a new sandbox, or what a list told of a new business account. */
export async function insertListed(
  t: TenantTx,
  wabaSid: string,
  templates: readonly ProviderTemplate[],
  { saidAt, announced = true }: { saidAt: Date; announced?: boolean },
): Promise<void> {
  if (templates.length === 0) return;
  const rows = templates.map((template) => ({
    sid: newSid('TM', t.now),
    providerTemplateId: template.id,
    name: template.name,
    language: template.language,
    category: readCategory(template.category) ?? 'MARKETING',
    status: readStatus(template.status),
    quality: readQuality(template.qualityScore),
    format: template.parameterFormat,
    components: template.components,
    rejectedReason: template.rejectedReason,
  }));
  const found = await t.many<TemplateRow>(sql`
    with listed as (
      insert into templates (account_sid, livemode, sid, waba_sid, provider_template_id, name, language, category, status,
        quality, parameter_format, components, rejected_reason, approved_at, status_changed_at, created_at, updated_at)
      select ${t.accountSid}, ${t.livemode}, x.sid, ${wabaSid}, x."providerTemplateId", x.name, x.language, x.category,
        x.status, x.quality, x.format, x.components, x."rejectedReason",
        case when x.status = 'APPROVED' then ${saidAt}::timestamptz end, ${saidAt}, ${t.now}, ${t.now}
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x (sid text, "providerTemplateId" text, name text,
          language text, category text, status text, quality text, format text, components jsonb, "rejectedReason" text)
      returning *),
    remembered as (
      insert into template_status_history (account_sid, livemode, template_sid, status, category, reason, occurred_at,
        created_at)
      select ${t.accountSid}, ${t.livemode}, sid, status, category, 'listed by the provider', ${saidAt}, ${t.now}
        from listed)
    select ${templateColumns} from listed order by sid`);
  if (announced) for (const row of found) emit(t, templateEvents.created, toTemplate(row), saidAt);
}

const allAspects: readonly Aspect[] = ['status', 'quality', 'category', 'components'];

/** A list is as old as the moment it was asked for: what a callback told since then stands. */
async function correct(
  t: TenantTx,
  row: TemplateRow,
  listed: ProviderTemplate,
  saidAt: Date,
): Promise<boolean> {
  if (row.pendingChange !== null) return false;
  const next = {
    providerTemplateId: listed.id,
    status: readStatus(listed.status),
    category: readCategory(listed.category) ?? row.category,
    quality: readQuality(listed.qualityScore),
    parameterFormat: listed.parameterFormat,
    components: listed.components as WireComponent[],
    rejectedReason: listed.rejectedReason,
  };
  // The database keeps the keys of an object in an order of its own.
  const same = (Object.keys(next) as (keyof typeof next)[]).every((field) =>
    isDeepStrictEqual(next[field], row[field]),
  );
  if (same) return false;
  const word = { about: allAspects, saidAt, reason: 'listed by the provider' };
  return (await changeTemplate(t, row, next, word)) !== null;
}

/** Only what the provider once had, and what was not made while the list was read. */
async function removeUnlisted(
  t: TenantTx,
  known: readonly TemplateRow[],
  listed: readonly ProviderTemplate[],
  saidAt: Date,
): Promise<number> {
  const names = new Set(listed.map(nameOf));
  const gone = known.filter(
    (row) =>
      !names.has(nameOf(row)) &&
      row.providerTemplateId !== null &&
      row.pendingChange === null &&
      Date.parse(row.updatedAt) <= saidAt.getTime(),
  );
  for (const row of gone) {
    const change = { status: 'DELETED', deletedAt: t.now.toISOString() } as const;
    await changeTemplate(t, row, change, {
      about: ['status'],
      saidAt,
      reason: 'no longer listed by the provider',
    });
    await lockName(t, row);
  }
  return gone.length;
}

/** Reads the list because something hinted at it: a new business account, or a callback about an unknown template. */
export const readTemplates = defineJob({
  name: 'templates.read',
  payload: Closed({ wabaSid: Sid('WB') }),
  attempts: 10,
  async run(context, { wabaSid }) {
    await syncTemplates(context, wabaSid);
  },
});

/** The list is read again, whole, however often this runs. */
export const syncOperation = defineOperationType({
  type: 'templates.sync',
  input: Closed({ wabaSid: Sid('WB') }),
  cancelable: false,
  async run(context, { input: { wabaSid } }) {
    const synced = await syncTemplates(context, wabaSid);
    if (!synced) throw new ApiError('WABA_NOT_CONNECTED');
    return { result: { wabaSid, ...synced } };
  },
});

export async function startSync(t: TenantTx, wabaSid?: string) {
  const waba = wabaSid ? await requireWaba(t, wabaSid, 'wabaSid') : await onlyConnectedWaba(t);
  if (!waba) {
    const issue = 'is required, for the account does not have exactly one that is connected';
    throw invalid({ path: 'wabaSid', issue });
  }
  refuseWithout('TEMPLATE_MANAGEMENT', { waba, ...spokenIn(t) });
  return startOperation(t, syncOperation, { wabaSid: waba.sid });
}
