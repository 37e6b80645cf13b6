// What the provider tells about templates. Callbacks come in any order and more than once: each aspect takes only what is
// newer than what it last heard. One about a template we do not know asks for the whole list.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { type Routed, saidAtOf, type TemplateUpdate } from '../provider/index.ts';
import type { WireComponent } from './components.ts';
import { lockName } from './name-locks.ts';
import { readCategory, readQuality, readStatus } from './provider-words.ts';
import { readTemplates } from './sync-templates.ts';
import {
  type Aspect,
  changeTemplate,
  type RowChange,
  type TemplateRow,
  templateColumns,
} from './templates.ts';

export async function applyTemplateUpdates(
  t: TenantTx,
  updates: readonly Routed<TemplateUpdate>[],
): Promise<void> {
  for (const update of updates) await applyTemplateUpdate(t, update);
}

export async function applyTemplateUpdate(t: TenantTx, update: Routed<TemplateUpdate>): Promise<void> {
  const row = await findTold(t, update);
  if (!row) {
    if (update.wabaSid)
      enqueue(t, readTemplates, { wabaSid: update.wabaSid }, { key: `templates/${update.wabaSid}` });
    return;
  }
  const meant = meaningOf(t, row, update);
  if (!meant) return;
  const saidAt = saidAtOf(t, update.occurredAt);
  const { about, reason, change } = meant;
  const known = row.providerTemplateId === null ? { providerTemplateId: update.templateId } : {};
  const changed = await changeTemplate(t, row, { ...known, ...change }, { about: [about], saidAt, reason });
  if (changed?.status === 'DELETED' && row.status !== 'PENDING_DELETION') await lockName(t, row);
}

/** By the provider's id; by name and language for one whose id we have not been told yet. */
async function findTold(t: TenantTx, update: Routed<TemplateUpdate>): Promise<TemplateRow | undefined> {
  const { templateId, wabaSid, name, language } = update;
  return t.maybe<TemplateRow>(sql`
    select ${templateColumns} from templates
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and waba_sid = ${wabaSid} and deleted_at is null
       and (provider_template_id = ${templateId}
         or (provider_template_id is null and name = ${name} and language = ${language}))
     order by provider_template_id is null limit 1 for update`);
}

type Meaning = { about: Aspect; reason: string | null; change: RowChange };

function meaningOf(t: TenantTx, row: TemplateRow, update: TemplateUpdate): Meaning | null {
  switch (update.kind) {
    case 'status':
      return statusMeaning(t, row, update);
    case 'quality':
      return { about: 'quality', reason: null, change: { quality: readQuality(update.current) } };
    case 'category': {
      // An announced change has not happened yet; the provider tells again when it has.
      const category = update.announced === null ? readCategory(update.current) : null;
      return category && { about: 'category', reason: null, change: { category } };
    }
    case 'components':
      return {
        about: 'components',
        reason: null,
        change: { components: withTexts(row.components, update.value) },
      };
  }
}

type StatusUpdate = Extract<TemplateUpdate, { kind: 'status' }>;

function statusMeaning(t: TenantTx, row: TemplateRow, update: StatusUpdate): Meaning | null {
  // A warning: the template can still be sent.
  if (update.event === 'FLAGGED') return null;
  const told = readStatus(update.event);
  // What we asked to be deleted does not come back because its review ended meanwhile.
  if (row.pendingChange === 'DELETE' && told !== 'DELETED' && told !== 'PENDING_DELETION') return null;
  const reason = update.title ?? (update.reason === 'NONE' ? null : update.reason);
  const category = readCategory(update.category);
  return {
    about: 'status',
    reason,
    change: {
      status: told,
      rejectedReason: told === 'REJECTED' ? reason : null,
      ...(category && { category }),
      ...(told === 'DELETED' && { deletedAt: t.now.toISOString() }),
    },
  };
}

/** The provider names the texts it changed; everything else of the template stays. */
function withTexts(components: WireComponent[], value: Record<string, unknown>): WireComponent[] {
  const texts: Record<string, unknown> = {
    HEADER: value.message_template_title,
    BODY: value.message_template_element,
    FOOTER: value.message_template_footer,
  };
  return components.map((component) => {
    const text = texts[component.type];
    return typeof text === 'string' && component.text !== undefined ? { ...component, text } : component;
  });
}
