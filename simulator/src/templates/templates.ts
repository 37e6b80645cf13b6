// Templates: submitted, reviewed, listed, edited, deleted.

import { GraphError } from '../errors.ts';
import type { Call } from '../http/http.ts';
import { choose, pageOf } from '../http/listing.ts';
import { fromJson } from '../http/shape.ts';
import { dayMs } from '../numbers/people.ts';
import type { Simulation } from '../simulation.ts';
import { requireOfWaba, requireWaba, type Template, templatesOf, type Waba } from '../world.ts';
import { checkComponents } from './check-template.ts';
import { deleteTemplate } from './template-deletion.ts';
import { summaryOf, templateFilter } from './template-search.ts';
import { announceCategory, tellStatus } from './template-updates.ts';

const hourMs = 3_600_000;
export const categories = ['AUTHENTICATION', 'UTILITY', 'MARKETING'];
const newFields = [
  'name',
  'language',
  'category',
  'parameter_format',
  'components',
  'message_send_ttl_seconds',
  'allow_category_change',
  'sub_category',
];

const refuse = (details: string, subcode?: number, title?: string) =>
  new GraphError(100, details, { subcode, userTitle: title, userMessage: title && details });

/** A field that came by form or query is JSON text. */
const parsed = (value: unknown, name: string): unknown =>
  typeof value === 'string' ? fromJson(value, name) : value;

export function createTemplate({ simulation, tenant, id, fields }: Call) {
  const { world, timeline, random } = simulation;
  const waba = requireWaba(world, tenant, id);
  const stray = Object.keys(fields).find((name) => !newFields.includes(name));
  if (stray) throw refuse(`Unexpected key "${stray}" on param "body".`);
  const { name, language } = fields;
  const category = String(fields.category ?? '').toUpperCase();
  if (!/^[a-z0-9_]{1,512}$/.test(name ?? '')) throw refuse('name must be 1 to 512 of a-z, 0-9 and _.');
  if (!/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/.test(language ?? ''))
    throw refuse('language must be a code such as en_US.');
  if (!categories.includes(category)) throw refuse(`category must be one of ${categories.join(', ')}.`);
  const format = String(fields.parameter_format ?? 'positional').toUpperCase();
  if (format !== 'POSITIONAL' && format !== 'NAMED')
    throw refuse('parameter_format must be positional or named.');
  const components = parsed(fields.components, 'components') as Template['components'];
  checkComponents(components, { category, named: format === 'NAMED' });
  const ttlSeconds = ttlOf(fields.message_send_ttl_seconds, category);
  checkRoom(simulation, waba, name, language);

  const nowMs = timeline.nowMs();
  waba.createdTemplatesMs.push(nowMs);
  const template: Template = {
    id: random.id(),
    wabaId: waba.id,
    name,
    language,
    // The provider decides about the category; here a name says when it decides otherwise.
    category: /recategori[sz]e/.test(name) ? 'MARKETING' : category,
    previousCategory: null,
    parameterFormat: format,
    status: 'PENDING',
    components,
    rejectedReason: 'NONE',
    quality: 'UNKNOWN',
    ttlSeconds,
    updatedMs: nowMs,
    approvedMs: null,
    editsMs: [],
    pauses: 0,
    sampleLeft: null,
    correctCategory: null,
  };
  world.addTemplate(template);
  review(simulation, template);
  return { id: template.id, status: template.status, category: template.category };
}

const ttlRanges: Record<string, [number, number]> = {
  AUTHENTICATION: [30, 900],
  UTILITY: [30, 43_200],
  MARKETING: [43_200, 2_592_000],
};

function ttlOf(given: unknown, category: string): number | null {
  if (given === undefined) return null;
  const seconds = Number(given);
  const [least, most] = ttlRanges[category]!;
  const unlimited = seconds === -1 && category !== 'MARKETING';
  if (!unlimited && !(Number.isInteger(seconds) && seconds >= least && seconds <= most))
    throw refuse(
      `message_send_ttl_seconds must be from ${least} to ${most}.`,
      2388077,
      'Settings are not allowed',
    );
  return seconds;
}

const mostTemplates = (waba: Waba) => (waba.verification === 'verified' ? 6_000 : 250);

function checkRoom({ world, timeline }: Simulation, waba: Waba, name: string, language: string): void {
  const nowMs = timeline.nowMs();
  waba.createdTemplatesMs = waba.createdTemplatesMs.filter((atMs) => atMs > nowMs - hourMs);
  if (waba.createdTemplatesMs.length >= 100)
    throw new GraphError(80008, 'There have been too many calls to this WhatsApp Business account.');
  if ((waba.lockedNames[`${name}/${language}`] ?? 0) > nowMs)
    throw refuse(
      'The name is locked: it was deleted less than 30 days ago.',
      2388023,
      'Name is being deleted',
    );
  if (world.findTemplate(waba.id, name, language))
    throw refuse('Content in this language already exists for the name.', 2388024, 'Content already exists');
  const most = mostTemplates(waba);
  if (templatesOf(world, waba.id).length >= most)
    throw refuse(`The account has ${most} templates.`, 2388019, 'Template limit reached');
}

// Words in the name or the text that decide the review.
const verdicts: [RegExp, string][] = [
  [/reject_abusive/, 'ABUSIVE_CONTENT'],
  [/reject_category/, 'INCORRECT_CATEGORY'],
  [/reject_format/, 'INVALID_FORMAT'],
  [/reject_promotional/, 'PROMOTIONAL'],
  [/reject_scam/, 'SCAM'],
  [/reject_mismatch/, 'TAG_CONTENT_MISMATCH'],
  [/\breject(ed)?\b|reject_/, 'INVALID_FORMAT'],
];
export const reviewMarkers = verdicts.map(([marker, reason]) => ({ marker: marker.source, reason }));

/** Decides after the usual time, unless the template is gone or changed by then. A name with `stays_pending` waits for ever. */
export function review(simulation: Simulation, template: Template): void {
  const submittedMs = template.updatedMs;
  simulation.timeline.after(simulation.settings.reviewMs, () => {
    const current = simulation.world.templates.get(template.id);
    if (current?.status !== 'PENDING' || current.updatedMs !== submittedMs) return;
    const content = `${template.name} ${JSON.stringify(template.components).toLowerCase()}`;
    if (content.includes('stays_pending')) return;
    const reason = verdicts.find(([marker]) => marker.test(content))?.[1];
    if (!reason) {
      tellStatus(simulation, template, 'APPROVED', 'NONE');
      if (template.name.includes('becomes_marketing')) announceCategory(simulation, template, 'MARKETING');
      return;
    }
    tellStatus(simulation, template, 'REJECTED', reason, {
      rejection_info: { reason, recommendation: 'Change the content and submit it again.' },
    });
  });
}

export function templateView(template: Template): Record<string, unknown> {
  return {
    id: template.id,
    name: template.name,
    language: template.language,
    status: template.status,
    category: template.category,
    parameter_format: template.parameterFormat,
    components: template.components,
    previous_category: template.previousCategory ?? undefined,
    correct_category: template.correctCategory ?? undefined,
    rejected_reason: template.rejectedReason,
    quality_score: { score: template.quality, date: Math.floor(template.updatedMs / 1000) },
    last_updated_time: new Date(template.updatedMs).toISOString(),
    message_send_ttl_seconds: template.ttlSeconds ?? undefined,
    health_status: {
      can_send_message: template.status === 'APPROVED' ? 'AVAILABLE' : 'BLOCKED',
      entities: [],
    },
  };
}

const defaultFields = [
  'name',
  'parameter_format',
  'components',
  'language',
  'status',
  'category',
  'previous_category',
];

export function listTemplates({ simulation, tenant, id, fields, request }: Call) {
  const waba = requireWaba(simulation.world, tenant, id);
  const all = templatesOf(simulation.world, waba.id);
  const found = all.filter(templateFilter(fields));
  const page = pageOf(request, found.map(templateView), 250);
  return {
    ...page,
    data: page.data.map((view) => choose(view, fields.fields, defaultFields)),
    ...(fields.summary && { summary: summaryOf({ all, found, most: mostTemplates(waba) }, fields.summary) }),
  };
}

export const readTemplate = (template: Template, fields: unknown) =>
  choose(templateView(template), fields, defaultFields);

export function editTemplate({ simulation, tenant, id, fields }: Call) {
  const template = requireOfWaba(simulation.world, tenant, simulation.world.templates, id);
  const nowMs = simulation.timeline.nowMs();
  const stray = Object.keys(fields).find(
    (name) => !['category', 'components', 'message_send_ttl_seconds', 'parameter_format'].includes(name),
  );
  if (stray) throw refuse(`Unexpected key "${stray}" on param "body".`);
  const cannot = (message: string) => refuse(message, 2388039, 'Template cannot be edited');
  if (!['APPROVED', 'REJECTED', 'PAUSED'].includes(template.status))
    throw cannot(`A template in the state ${template.status} cannot be edited.`);
  const approved = template.status === 'APPROVED';
  const category = String(fields.category ?? template.category).toUpperCase();
  if (!categories.includes(category)) throw refuse(`category must be one of ${categories.join(', ')}.`);
  if (approved && category !== template.category) throw cannot('The category of an approved template stays.');
  const edits = template.editsMs.filter((atMs) => atMs > nowMs - 30 * dayMs);
  if (approved && (edits.length >= 10 || (edits.at(-1) ?? 0) > nowMs - dayMs))
    throw cannot('An approved template can be edited once a day and ten times in 30 days.');
  const components =
    fields.components === undefined ? template.components : parsed(fields.components, 'components');
  checkComponents(components, { category, named: template.parameterFormat === 'NAMED' });
  template.ttlSeconds = ttlOf(fields.message_send_ttl_seconds, category) ?? template.ttlSeconds;
  template.components = components as Template['components'];
  template.category = category;
  template.editsMs = approved ? [...edits, nowMs] : edits;
  template.status = 'PENDING';
  template.updatedMs = nowMs;
  simulation.world.changed();
  review(simulation, template);
  return { success: true, id: template.id, category: template.category };
}

export function deleteTemplates({ simulation, tenant, id, fields }: Call): { success: true } {
  const { world } = simulation;
  const waba = requireWaba(world, tenant, id);
  const ids = fields.hsm_ids === undefined ? null : (parsed(fields.hsm_ids, 'hsm_ids') as unknown[]);
  if (ids && (!Array.isArray(ids) || ids.length > 100))
    throw refuse('hsm_ids must be a list of at most 100 ids.');
  if (!ids && !fields.name) throw refuse('The parameter name is required.');
  const doomed = templatesOf(world, waba.id).filter((template) => {
    if (ids) return ids.map(String).includes(template.id);
    return template.name === fields.name && (fields.hsm_id === undefined || template.id === fields.hsm_id);
  });
  if (doomed.length === 0) throw refuse('The message template was not found.', 2593002, 'Template not found');
  if (doomed.some(({ status }) => status === 'DISABLED'))
    throw refuse('A disabled template cannot be deleted.', 2388039, 'Template cannot be deleted');
  for (const template of doomed) deleteTemplate(simulation, template);
  return { success: true };
}

export function unpauseTemplate({ simulation, tenant, id }: Call): { success: true } {
  const template = requireOfWaba(simulation.world, tenant, simulation.world.templates, id);
  if (template.status !== 'PAUSED') throw refuse('The template is not paused.');
  tellStatus(simulation, template, 'APPROVED', null, {
    other_info: { title: 'UNPAUSE', description: 'The pause was ended.' },
  });
  return { success: true };
}
