import { type Static, Type } from 'typebox';
import { NamedObject, sample } from '../../../platform/http/input/schema.ts';

const hash = Type.String({ pattern: '^[0-9a-f]{64}$' });

export const DocumentResource = NamedObject('BillingDocument', {
  /** The text itself and not a value: its bytes in UTF-8 are what `sha256` is of. */
  json: Type.String({
    description: 'The document as canonical JSON (RFC 8785): `sha256` is the hash of exactly this text.',
  }),
  sha256: hash,
  pdfSha256: hash,
  previousSha256: hash,
  pdfBase64: Type.String({ contentEncoding: 'base64', contentMediaType: 'application/pdf' }),
});
export type DocumentResource = Static<typeof DocumentResource>;

export const documentSample = sample(DocumentResource, {
  json: '{"kind":"receipt","number":"TEST-0000000000000000-RC-000001"}',
  sha256: '0f5f3dfc7ce43bd0ac6d23a5f43b8f4a93a4ad4cf09d4bc09bd64f57f4f94c9a',
  pdfSha256: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
  previousSha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  pdfBase64: 'JVBERi0xLjcK',
});
