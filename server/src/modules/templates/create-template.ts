// A template is written down first (DRAFT) and submitted by a job; the provider's answer and its callbacks move it on. An
// edit waits beside the template until the provider took it: until then what was approved is what can be sent.
//
//   DRAFT ──submitted──▶ PENDING ──review──▶ APPROVED ⇄ PAUSED ──▶ DISABLED
//                           ▲                  │  └──edit──▶ PENDING
//                           └────── edit ── REJECTED          any of them ──delete──▶ PENDING_DELETION ──▶ DELETED
import type { TenantTx } from '../../platform/db/database.ts';
import { isUniqueViolation } from '../../platform/db/failures.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError, invalid } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import { newSid } from '../../platform/ids.ts';
import { audit } from '../audit/index.ts';
import { refuseWithout, spokenIn } from '../provider/index.ts';
import { lockWaba, onlyConnectedWaba, type Waba } from '../wabas/index.ts';
import { templateEvents } from './events.ts';
import { judgeTemplate } from './judge-template.ts';
import { refuseLockedName } from './name-locks.ts';
import type { NewTemplate, Template, TemplateChange, TemplatePart } from './schema.ts';
import { queueSubmission } from './submit-template.ts';
import {
  changeTemplate,
  lockTemplate,
  rememberStatus,
  type TemplateRow,
  templateColumns,
  templateCounts,
  toTemplate,
} from './templates.ts';
import { fromWire, toWire } from './wire-names.ts';

/** Held while a template is added, so that the cap and the name count everybody who comes at once. */
async function lockTarget(t: TenantTx, wabaSid: string | undefined): Promise<Waba> {
  const sid = wabaSid ?? (await onlyConnectedWaba(t))?.sid;
  if (!sid) {
    const issue = 'is required, for the account does not have exactly one that is connected';
    throw invalid({ path: 'wabaSid', issue });
  }
  const waba = await lockWaba(t, sid, 'wabaSid');
  refuseWithout('TEMPLATE_MANAGEMENT', { waba, ...spokenIn(t) });
  return waba;
}

export async function createTemplate(t: TenantTx, input: NewTemplate): Promise<Template> {
  const { parameterFormat = 'POSITIONAL', messageSendTtlSeconds = null } = input;
  const faults = judgeTemplate({ ...input, parameterFormat });
  if (faults.length > 0) throw invalid(...faults);
  const waba = await lockTarget(t, input.wabaSid);
  await refuseLockedName(t, { wabaSid: waba.sid, name: input.name, language: input.language });
  const held = (await templateCounts(t, [waba.sid])).get(waba.sid) ?? 0;
  if (held >= waba.templateCap) throw new ApiError('TEMPLATE_CAP_REACHED');
  const row = await insertDraft(t, waba.sid, { ...input, parameterFormat, messageSendTtlSeconds });
  await rememberStatus(t, row, null, 'created', t.now);
  queueSubmission(t, row);
  const template = toTemplate(row);
  audit(t, {
    action: 'template.created',
    resource: row.sid,
    facts: { name: row.name, language: row.language },
  });
  emit(t, templateEvents.created, template);
  return template;
}

type Draft = Omit<NewTemplate, 'messageSendTtlSeconds'> &
  Pick<TemplateRow, 'parameterFormat' | 'messageSendTtlSeconds'>;

async function insertDraft(t: TenantTx, wabaSid: string, input: Draft): Promise<TemplateRow> {
  try {
    return await t.one<TemplateRow>(sql`
      insert into templates (account_sid, livemode, sid, waba_sid, name, language, category, status, parameter_format,
        components, message_send_ttl_seconds, pending_change, pending_since, status_changed_at, created_at, updated_at)
      values (${t.accountSid}, ${t.livemode}, ${newSid('TM', t.now)}, ${wabaSid}, ${input.name}, ${input.language},
        ${input.category}, 'DRAFT', ${input.parameterFormat}, ${JSON.stringify(toWire(input.components))}::jsonb,
        ${input.messageSendTtlSeconds}, 'CREATE', ${t.now}, ${t.now}, ${t.now}, ${t.now})
      returning ${templateColumns}`);
  } catch (error) {
    if (!isUniqueViolation(error, 'templates_by_name')) throw error;
    throw new ApiError('CONFLICT', { message: 'There is a template of this name and language already.' });
  }
}

const editable = new Set(['DRAFT', 'APPROVED', 'REJECTED', 'PAUSED']);

export async function editTemplate(t: TenantTx, sid: string, change: TemplateChange): Promise<Template> {
  const row = await lockTemplate(t, sid);
  refuseBusy(row);
  if (!editable.has(row.status)) {
    throw new ApiError('CONFLICT', { message: `A template that is ${row.status} cannot be edited.` });
  }
  const { category, messageSendTtlSeconds } = change;
  if (category !== undefined && category !== row.category && row.status === 'APPROVED') {
    throw invalid({ path: 'category', issue: 'cannot be changed while the template is approved' });
  }
  judgeEdit(row, change);
  const components = change.components && toWire<TemplateRow['components']>(change.components);
  const proposed = {
    ...(components && { components }),
    ...(category !== undefined && { category }),
    ...(messageSendTtlSeconds !== undefined && { messageSendTtlSeconds }),
  };
  // What the provider never saw is simply replaced; what it has waits for its word.
  const submitted = row.providerTemplateId !== null;
  const next = submitted
    ? { proposed, pendingChange: 'EDIT' as const }
    : { ...proposed, pendingChange: 'CREATE' as const };
  const revision = row.revision + 1;
  const word = { saidAt: t.now, reason: 'edited' };
  const changed = (await changeTemplate(t, row, { ...next, revision, failure: null }, word))!;
  queueSubmission(t, changed);
  audit(t, { action: 'template.edited', resource: sid, facts: { fields: Object.keys(change) } });
  return toTemplate(changed);
}

function judgeEdit(row: TemplateRow, change: TemplateChange): void {
  if (Object.keys(change).length === 0) {
    throw invalid({ path: '', issue: 'must change something' });
  }
  // What is kept was judged when it was made, perhaps by the provider itself.
  if (!change.components && change.category === undefined && change.messageSendTtlSeconds === undefined)
    return;
  const faults = judgeTemplate({
    category: change.category ?? row.category,
    parameterFormat: row.parameterFormat,
    components: change.components ?? fromWire<TemplatePart[]>(row.components),
    messageSendTtlSeconds: change.messageSendTtlSeconds ?? row.messageSendTtlSeconds,
  });
  const own = change.components ? faults : faults.filter(({ path }) => !path.startsWith('components'));
  if (own.length > 0) throw invalid(...own);
}

/** While the provider is being asked nobody knows what it will have. */
export function refuseBusy(row: TemplateRow): void {
  if (row.pendingChange === null) return;
  const message =
    'The provider is still being told of the last change. Try again when pendingChange is null.';
  throw new ApiError('CONFLICT', { message });
}
