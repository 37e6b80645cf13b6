import { Type } from 'typebox';
import { accountPath, Closed, ListOf, Sid, sample } from '../../platform/http/input/schema.ts';
import { Answer, created, type Operation, operation } from '../../platform/http/operations/operation.ts';
import { sampleSid } from '../../platform/samples.ts';
import { acceptMedia } from './accept-media.ts';
import { formats, maxFileBytes } from './examine/formats.ts';
import { keepFile } from './files.ts';
import { deleteMedia, getMedia, listMedia } from './media.ts';
import { mediaSample } from './samples.ts';
import { Media, MediaFields, MediaFromUrl, MediaQuery, MediaUpload, NewMediaUpload } from './schema.ts';
import { sendContent } from './transfer/content.ts';
import { uploadTemplateHeader } from './transfer/template-headers.ts';

const tag = 'Media';
const all = '/v1/accounts/{accountSid}/media';
const one = `${all}/{mediaSid}`;
const mediaPath = Closed({ ...accountPath, mediaSid: Sid('ME') });
const bytes = Type.String({ 'x-media-types': ['application/octet-stream', ...Object.keys(formats)] });

sample(Media, mediaSample);

export const operations: Operation[] = [
  operation({
    id: 'listMedia',
    method: 'GET',
    path: all,
    summary: 'List media',
    description:
      'The newest first, sent and received files alike. Expired items are listed too; deleted ones are ' +
      'not.',
    tag,
    access: ['media:read'],
    params: Closed(accountPath),
    query: MediaQuery,
    responses: { 200: ListOf(Media) },
    handler: (t, { pager }) => listMedia(t, pager),
  }),
  operation({
    id: 'createMedia',
    method: 'POST',
    path: all,
    summary: 'Upload a file, or have it fetched from a URL',
    description:
      'A file goes as `multipart/form-data` in the field `file`; JSON names a `url` to fetch. The item is PENDING, then ' +
      'SCANNING, and READY once its content has been examined and scanned (event `media.ready`), or REJECTED with the ' +
      'reasons (event `media.rejected`). Only READY media can be sent.',
    tag,
    access: ['media:write'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: MediaFromUrl,
    upload: { fields: MediaFields, maxFileBytes, keep: keepFile },
    responses: { 202: Media },
    example: { url: 'https://shop.example/offers/spring.jpg', type: 'IMAGE' },
    async handler(t, { body, file }) {
      const media = await acceptMedia(t, body, file);
      return new Answer(202, media, { location: `/v1/accounts/${t.accountSid}/media/${media.sid}` });
    },
  }),
  operation({
    id: 'createMediaUpload',
    method: 'POST',
    path: `${all}/uploads`,
    summary: 'Upload a READY item as the sample of a template header',
    description:
      'The handle goes into the `example` of the header of a new template. JPEG, PNG, MP4 and PDF are taken.',
    tag,
    access: ['media:write'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: NewMediaUpload,
    responses: { 201: MediaUpload },
    example: { mediaSid: sampleSid('ME') },
    async outside(call, { body }) {
      const upload = await uploadTemplateHeader(call, body.mediaSid);
      return created(upload, `/v1/accounts/${call.accountSid}/media/${body.mediaSid}`);
    },
  }),
  operation({
    id: 'getMedia',
    method: 'GET',
    path: one,
    summary: 'Get a media item and what became of its scan',
    description:
      'An item can be sent once its `status` is READY and `sendable` is true; otherwise `scan.reasons` ' +
      'says why not. The content itself is fetched from `content`.',
    tag,
    access: ['media:read'],
    params: mediaPath,
    responses: { 200: Media },
    handler: (t, { params }) => getMedia(t, params.mediaSid),
  }),
  operation({
    id: 'deleteMedia',
    method: 'DELETE',
    path: one,
    summary: 'Delete a media item and its content',
    description:
      'The content is removed for good and the item can no longer be sent. Messages that carried it stay.',
    tag,
    access: ['media:write'],
    params: mediaPath,
    responses: { 204: null },
    handler: (t, { params }) => deleteMedia(t, params.mediaSid),
  }),
  operation({
    id: 'getMediaContent',
    method: 'GET',
    path: `${one}/content`,
    summary: 'Download the content of a READY item',
    description: 'Answers to `Range`, `If-Range` and `If-None-Match`. Always an attachment, never a page.',
    tag,
    access: ['media:read'],
    params: mediaPath,
    responses: { 200: bytes, 206: bytes, 304: null, 416: null },
    answerExample: { 'text/plain': 'Thank you for your order.' },
    sends: ['ETag', 'Content-Disposition', 'Content-Range', 'Accept-Ranges'],
    stream: (call, input) => sendContent(call, input),
  }),
];
