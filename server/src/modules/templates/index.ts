import type { Module } from '../../platform/module.ts';

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
} from './find-template.ts';
export { type FlowFacts, type FlowStatus, findFlow, findFlows } from './flows/flows.ts';
export const templatesModule: Module = {
  name: 'templates',
  tables: ['templates', 'template_status_history', 'template_name_locks', 'contents', 'flows'],
  operations: [],
  jobs: [],
  crons: [],
};
