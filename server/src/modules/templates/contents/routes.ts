import { accountPath, Closed, ListOf, Sid } from '../../../platform/http/input/schema.ts';
import { created, operation } from '../../../platform/http/operations/operation.ts';
import {
  changeContent,
  createContent,
  deleteContent,
  getContent,
  listContents,
  previewContent,
} from './contents.ts';
import {
  ContentChange,
  ContentPreview,
  ContentPreviewRequest,
  ContentResource,
  NewContent,
  PageQuery,
} from './schema.ts';

const tag = 'Reusable contents';
const all = '/v1/accounts/{accountSid}/contents';
const one = `${all}/{contentSid}`;
const contentPath = Closed({ ...accountPath, contentSid: Sid('HX') });

export const contentOperations = [
  operation({
    id: 'listContents',
    method: 'GET',
    path: all,
    summary: 'List reusable contents',
    description: 'The newest first. Deleted contents are not listed.',
    tag,
    access: ['media:read'],
    params: Closed(accountPath),
    query: PageQuery,
    responses: { 200: ListOf(ContentResource) },
    handler: (t, { pager }) => listContents(t, pager),
  }),
  operation({
    id: 'createContent',
    method: 'POST',
    path: all,
    summary: 'Keep a content to be used again',
    description:
      'The body of a message without its addresses. Any text in it may hold variables such as `{{name}}`, which a message ' +
      'fills by `variables`. The limits of the type are judged now, and again with the values in place.',
    tag,
    access: ['media:write'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: NewContent,
    responses: { 201: ContentResource },
    example: {
      name: 'Order shipped',
      type: 'text',
      text: { body: 'Hello {{name}}, order {{order}} is on its way.' },
    },
    async handler(t, { body }) {
      const content = await createContent(t, body);
      return created(content, `/v1/accounts/${t.accountSid}/contents/${content.sid}`);
    },
  }),
  operation({
    id: 'getContent',
    method: 'GET',
    path: one,
    summary: 'Get a reusable content',
    description:
      'Shows the content with its variables, in the order they first appear, and the `version` that an ' +
      'edit must name.',
    tag,
    access: ['media:read'],
    params: contentPath,
    responses: { 200: ContentResource },
    handler: (t, { params }) => getContent(t, params.contentSid),
  }),
  operation({
    id: 'updateContent',
    method: 'PATCH',
    path: one,
    summary: 'Change a reusable content',
    description:
      '`expectedVersion` is the version you have seen; if somebody was faster the answer is CONFLICT.',
    tag,
    access: ['media:write'],
    idempotency: 'required',
    params: contentPath,
    body: ContentChange,
    responses: { 200: ContentResource },
    example: { expectedVersion: 1, text: { body: 'Hello {{name}}, order {{order}} has arrived.' } },
    handler: (t, { params, body }) => changeContent(t, params.contentSid, body),
  }),
  operation({
    id: 'deleteContent',
    method: 'DELETE',
    path: one,
    summary: 'Delete a reusable content',
    description: 'It can no longer be sent or changed. Messages that were made from it stay as they are.',
    tag,
    access: ['media:write'],
    params: contentPath,
    responses: { 200: ContentResource },
    handler: (t, { params }) => deleteContent(t, params.contentSid),
  }),
  operation({
    id: 'previewContent',
    method: 'POST',
    path: `${one}/preview`,
    summary: 'Fill the variables of a reusable content',
    description:
      'Answers with what a message would carry with these values, or with every fault at once. Nothing is ' +
      'stored or sent.',
    tag,
    access: ['media:read'],
    whileSuspended: true,
    repeatable: 'it stores nothing',
    params: contentPath,
    body: ContentPreviewRequest,
    responses: { 200: ContentPreview },
    example: { variables: { name: 'Ines', order: '77' } },
    handler: (t, { params, body }) => previewContent(t, params.contentSid, body.variables),
  }),
];
