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
} from '../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime } from '../../platform/samples.ts';
import { reasonCodes } from './examine/reasons.ts';
import { mediaTypes as types } from './media-types.ts';
import { mediaStatuses } from './states.ts';

const requestedType = named('RequestedMediaType', Word('AUTO', ...types));

/** What people say about a file, beside the file itself. */
const description = {
  type: Type.Optional(requestedType),
  declaredMime: Type.Optional(Text(255)),
  filename: Type.Optional(Words(255, 1)),
};

export const MediaFields = NamedObject('CreateMediaForm', description);
export const MediaFromUrl = NamedObject('CreateMediaRequest', { url: Text(4096), ...description });
export type NewMedia = Static<typeof MediaFields> & { url?: string };

export const NewMediaUpload = NamedObject('CreateMediaUploadRequest', { mediaSid: Sid('ME') });

const Reason = NamedObject('MediaReason', { code: Word(...reasonCodes), message: Type.String() });

export const Media = NamedObject('Media', {
  object: Word('media'),
  sid: Sid('ME'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  direction: Word('OUTBOUND', 'INBOUND'),
  status: Word(...mediaStatuses),
  type: Nullable(Word(...types)),
  requestedType,
  mimeType: Nullable(Type.String()),
  declaredMime: Nullable(Type.String()),
  filename: Nullable(Type.String()),
  sizeBytes: Nullable(Type.Integer()),
  sha256: Nullable(Type.String()),
  sourceUrl: Nullable(Type.String()),
  sendable: Type.Boolean(),
  scan: Closed({
    result: Nullable(Word('CLEAN', 'REJECTED')),
    scanner: Nullable(Type.String()),
    scannedAt: Nullable(DateTime),
    reasons: Type.Array(Reason),
  }),
  expiresAt: DateTime,
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type Media = Static<typeof Media>;

export const MediaUpload = NamedObject('MediaUpload', {
  object: Word('media_upload'),
  mediaSid: Sid('ME'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  handle: Type.String(),
  createdAt: DateTime,
});
export type MediaUpload = Static<typeof MediaUpload>;

export const MediaQuery = Closed(pageQuery);

sample(MediaUpload, {
  object: 'media_upload',
  mediaSid: sampleSid('ME'),
  ...sampleOwner,
  handle: '4::aW1hZ2UvcG5n:ARZexample',
  createdAt: sampleTime,
});
