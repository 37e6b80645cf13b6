import type { TenantTx } from '../../platform/db/database.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Module } from '../../platform/module.ts';
import type { ProviderTemplate } from '../provider/index.ts';
import { templateBelongings } from './contents/belongings.ts';
import { contentOperations } from './contents/routes.ts';
import { templateEvents } from './events.ts';
import { flowEvents } from './flows/events.ts';
import { flowOperations } from './flows/routes.ts';
import { templateNotifications } from './notifications.ts';
import { operations } from './routes.ts';
import { submitTemplate } from './submit-template.ts';
import { insertListed, readTemplates, syncOperation } from './sync-templates.ts';

export { checkTemplateParameters, type TemplateShape } from './check-parameters.ts';
export type { ParameterFormat, WireButton, WireComponent } from './components.ts';
export { type Draft, fillContent, loadDrafts, resolveContent } from './contents/resolve-content.ts';
export {
  findTemplate,
  findTemplates,
  type TemplateCategory,
  type TemplateFacts,
  type TemplateName,
  type TemplateStatus,
  templatesNamed,
} from './find-template.ts';
export { type FlowFacts, type FlowStatus, findFlow, findFlows, flowsMissing } from './flows/flows.ts';
export { applyFlowUpdates } from './flows/register-flow.ts';
export { applyTemplateUpdate, applyTemplateUpdates } from './provider-updates.ts';
export { syncTemplates as readTemplatesNow } from './sync-templates.ts';
export { findRow as findTemplateRow, templateCounts, templatesMissing } from './templates.ts';

/** Templates already known to be there. */
export const templatesListed = (
  t: TenantTx,
  wabaSid: string,
  templates: readonly ProviderTemplate[],
  { announced = true }: { announced?: boolean | undefined } = {},
) => insertListed(t, wabaSid, templates, { saidAt: t.now, announced });

/** Asks for the list of templates, once however often it is asked for meanwhile. */
export const requestTemplates = (t: TenantTx, wabaSid: string) =>
  enqueue(t, readTemplates, { wabaSid }, { key: `templates/${wabaSid}` });

export const templatesModule: Module = {
  name: 'templates',
  tables: ['templates', 'template_status_history', 'template_name_locks', 'contents', 'flows'],
  tags: {
    Templates: 'Messages the provider reviews before they may begin a conversation.',
    'Reusable contents': 'Stored contents with variables, sent by name instead of written out.',
    Flows: 'Forms made at the provider and sent in messages.',
  },
  operations: [...operations, ...contentOperations, ...flowOperations],
  events: [...Object.values(templateEvents), ...Object.values(flowEvents)],
  notifications: templateNotifications,
  jobs: [submitTemplate, readTemplates, syncOperation.job],
  crons: [],
  belongings: templateBelongings,
};
