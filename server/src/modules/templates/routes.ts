import { accountPath, Closed, ListOf, Sid, sample } from '../../platform/http/input/schema.ts';
import { created, operation } from '../../platform/http/operations/operation.ts';
import { accepted, Operation } from '../operations/index.ts';
import { createTemplate, editTemplate } from './create-template.ts';
import { deleteTemplate } from './delete-template.ts';
import {
  NewTemplate,
  PageQuery,
  SyncTemplates,
  Template,
  TemplateChange,
  TemplateQuery,
  TemplateStatusChange,
  templateSample,
} from './schema.ts';
import { startSync } from './sync-templates.ts';
import { getTemplate, listTemplateHistory, listTemplates } from './templates.ts';

const tag = 'Templates';
const all = '/v1/accounts/{accountSid}/templates';
const one = `${all}/{templateSid}`;
const templatePath = Closed({ ...accountPath, templateSid: Sid('TM') });
const components = [
  {
    type: 'BODY',
    text: 'Hello {{first_name}}, your parcel {{parcel}} arrives today.',
    example: {
      bodyTextNamedParams: [
        { paramName: 'first_name', example: 'Ines' },
        { paramName: 'parcel', example: '77' },
      ],
    },
  },
  { type: 'FOOTER', text: 'Depot' },
];

sample(Template, templateSample);

export const operations = [
  operation({
    id: 'listTemplates',
    method: 'GET',
    path: all,
    summary: 'List templates',
    description:
      'The newest first, with the status the provider last told. Filter by name and language to find the ' +
      'one a message would use.',
    tag,
    access: ['wabas:read'],
    params: Closed(accountPath),
    query: TemplateQuery,
    responses: { 200: ListOf(Template) },
    handler: (t, { query, pager }) => listTemplates(t, query, pager),
  }),
  operation({
    id: 'createTemplate',
    method: 'POST',
    path: all,
    summary: 'Create a template and submit it for review',
    description:
      'Answers at once with status DRAFT. The provider is told by a job: the template then is PENDING until it is reviewed. ' +
      'Each variable needs an example. `wabaSid` may be left out where one business account is connected.',
    tag,
    access: ['wabas:write'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: NewTemplate,
    responses: { 201: Template },
    example: {
      name: 'parcel_today',
      language: 'en',
      category: 'UTILITY',
      parameterFormat: 'NAMED',
      components,
    },
    async handler(t, { body }) {
      const template = await createTemplate(t, body);
      return created(template, `/v1/accounts/${t.accountSid}/templates/${template.sid}`);
    },
  }),
  operation({
    id: 'syncTemplates',
    method: 'POST',
    path: `${all}/sync`,
    summary: 'Read the templates of a business account at the provider',
    description:
      'Starts an operation that reads every template of the business account and stores what changed, ' +
      'including templates made elsewhere. `wabaSid` may be left out where one business account is ' +
      'connected.',
    tag,
    access: ['wabas:write'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: SyncTemplates,
    responses: { 202: Operation },
    example: {},
    async handler(t, { body }) {
      return accepted(await startSync(t, body.wabaSid));
    },
  }),
  operation({
    id: 'getTemplate',
    method: 'GET',
    path: one,
    summary: 'Get a template',
    description:
      'Only an APPROVED template can be sent. `rejectedReason` says why the provider refused it, ' +
      '`pendingChange` and `failure` what it has not been told or did not take.',
    tag,
    access: ['wabas:read'],
    params: templatePath,
    responses: { 200: Template },
    handler: (t, { params }) => getTemplate(t, params.templateSid),
  }),
  operation({
    id: 'updateTemplate',
    method: 'PATCH',
    path: one,
    summary: 'Edit a template and submit it again',
    description:
      'What is left out stays as it is. What was approved stays in use until the provider has taken the edit; then the ' +
      'template is reviewed again.',
    tag,
    access: ['wabas:write'],
    idempotency: 'required',
    params: templatePath,
    body: TemplateChange,
    responses: { 200: Template },
    example: { components },
    handler: (t, { params, body }) => editTemplate(t, params.templateSid, body),
  }),
  operation({
    id: 'deleteTemplate',
    method: 'DELETE',
    path: one,
    summary: 'Delete a template',
    description: 'It can no longer be sent. Its name cannot be used again for 30 days.',
    tag,
    access: ['wabas:write'],
    params: templatePath,
    responses: { 200: Template },
    handler: (t, { params }) => deleteTemplate(t, params.templateSid),
  }),
  operation({
    id: 'listTemplateStatusHistory',
    method: 'GET',
    path: `${one}/status-history`,
    summary: 'List what a template was, newest first',
    description: "Every change of status or category with the provider's reason, and when it happened.",
    tag,
    access: ['wabas:read'],
    params: templatePath,
    query: PageQuery,
    responses: { 200: ListOf(TemplateStatusChange) },
    handler: (t, { params, pager }) => listTemplateHistory(t, params.templateSid, pager),
  }),
];
