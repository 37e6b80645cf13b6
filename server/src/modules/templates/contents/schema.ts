import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  named,
  pageQuery,
  Sid,
  sample,
  Text,
  Word,
  Words,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTimes } from '../../../platform/samples.ts';
import { type ContentField, contentObjects, contentTypes } from '../../provider/index.ts';

const FreeForm = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true });
const fields = Object.keys(contentObjects) as ContentField[];

// The shapes are those of a message, but any text may hold a variable: a link that is `{{link}}` is no link yet. So the
// objects are judged by the module and not here.
const drafts = Object.fromEntries(fields.map((field) => [field, Type.Optional(FreeForm)])) as {
  [K in ContentField]: ReturnType<typeof Type.Optional<typeof FreeForm>>;
};
const type = named('MessageType', Word(...contentTypes));

export const NewContent = NamedObject('CreateContentRequest', { name: Words(128, 1), type, ...drafts });
export type NewContent = Static<typeof NewContent>;

export const ContentChange = NamedObject('UpdateContentRequest', {
  expectedVersion: Type.Integer({ minimum: 1 }),
  name: Type.Optional(Words(128, 1)),
  type: Type.Optional(type),
  ...drafts,
});
export type ContentChange = Static<typeof ContentChange>;

export const ContentResource = NamedObject('Content', {
  object: Word('content'),
  sid: Sid('HX'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  name: Type.String(),
  version: Type.Integer(),
  type,
  ...(Object.fromEntries(fields.map((field) => [field, Nullable(FreeForm)])) as {
    [K in ContentField]: ReturnType<typeof Nullable<typeof FreeForm>>;
  }),
  /** The names of the variables, in the order they first appear. */
  variables: Type.Array(Type.String()),
  deletedAt: Nullable(DateTime),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type ContentResource = Static<typeof ContentResource>;

const Variables = Type.Record(Type.String(), Text(4096), { maxProperties: 100 });
export const ContentPreviewRequest = NamedObject('PreviewContentRequest', {
  variables: Type.Optional(Variables),
});
export const ContentPreview = NamedObject('ContentPreview', {
  object: Word('content_preview'),
  contentSid: Sid('HX'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  version: Type.Integer(),
  content: FreeForm,
});

export const PageQuery = Closed(pageQuery);

const none = Object.fromEntries(fields.map((field) => [field, null])) as Record<ContentField, null>;

sample(ContentResource, {
  object: 'content',
  sid: sampleSid('HX'),
  ...sampleOwner,
  name: 'Parcel today',
  version: 1,
  type: 'text',
  ...none,
  text: { body: 'Hello {{first_name}}, your parcel arrives today.' },
  variables: ['first_name'],
  deletedAt: null,
  ...sampleTimes,
});

sample(ContentPreview, {
  object: 'content_preview',
  contentSid: sampleSid('HX'),
  ...sampleOwner,
  version: 1,
  content: { type: 'text', text: { body: 'Hello Inès, your parcel arrives today.' } },
});
