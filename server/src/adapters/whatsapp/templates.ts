// Templates, as the provider keeps them.
import type { NewProviderTemplate, Provider, ProviderTemplate } from '../../modules/provider/index.ts';
import { type Client, succeeded } from './client.ts';
import type { Doing } from './errors.ts';
import { pageOf, pageQuery } from './pages.ts';
import { fieldsOf, idOf, listOf, textOf } from './reading.ts';

const manage: Doing = { purpose: 'manage' };
const fields = 'id,name,language,status,category,components,parameter_format,quality_score,rejected_reason';

type TemplateCalls = Pick<Provider, 'listTemplates' | 'createTemplate' | 'editTemplate' | 'deleteTemplate'>;

export const templateCalls = (client: Client): TemplateCalls => ({
  listTemplates: (connection, wabaId, after) =>
    client.call(connection, {
      method: 'GET',
      path: `${wabaId}/message_templates`,
      query: pageQuery(fields, after),
      doing: manage,
      whenLost: 'again',
      read: (answer) => pageOf(answer, readTemplate),
    }),
  createTemplate: (connection, wabaId, template) =>
    client.call(connection, {
      method: 'POST',
      path: `${wabaId}/message_templates`,
      json: templateBody(template),
      doing: manage,
      // A second one would be refused as existing, which says nothing about the first.
      whenLost: 'unknown',
      read(answer) {
        const id = idOf(answer.id);
        if (id === null) return undefined;
        const { status, category } = answer;
        return { id, status: textOf(status) ?? 'PENDING', category: textOf(category) ?? template.category };
      },
    }),
  editTemplate: (connection, templateId, { category, components, messageSendTtlSeconds }) =>
    client.call(connection, {
      method: 'POST',
      path: templateId,
      json: {
        ...(category && { category }),
        ...(components && { components }),
        ...timeToLive(messageSendTtlSeconds),
      },
      doing: manage,
      whenLost: 'again',
      read: succeeded,
    }),
  deleteTemplate: (connection, wabaId, name, templateId) =>
    client.call(connection, {
      method: 'DELETE',
      path: `${wabaId}/message_templates`,
      query: templateId === undefined ? { name } : { hsm_id: templateId, name },
      doing: manage,
      whenLost: 'again',
      read: succeeded,
    }),
});

function templateBody(template: NewProviderTemplate): object {
  const { name, language, category, components, parameterFormat, messageSendTtlSeconds } = template;
  return {
    name,
    language,
    category,
    parameter_format: parameterFormat.toLowerCase(),
    components,
    ...timeToLive(messageSendTtlSeconds),
  };
}

const timeToLive = (seconds: number | undefined) =>
  seconds === undefined ? {} : { message_send_ttl_seconds: seconds };

function readTemplate(value: unknown): ProviderTemplate | null {
  const found = fieldsOf(value);
  const id = idOf(found.id);
  const name = textOf(found.name);
  const language = textOf(found.language);
  if (id === null || name === null || language === null) return null;
  return {
    id,
    name,
    language,
    category: textOf(found.category) ?? 'UNKNOWN',
    status: textOf(found.status) ?? 'UNKNOWN',
    components: listOf(found.components),
    parameterFormat: textOf(found.parameter_format)?.toUpperCase() === 'NAMED' ? 'NAMED' : 'POSITIONAL',
    qualityScore: textOf(fieldsOf(found.quality_score).score),
    // The provider writes a reason for what was not rejected too.
    rejectedReason: found.rejected_reason === 'NONE' ? null : textOf(found.rejected_reason),
  };
}
