// The OpenAPI document as a reader has it: with its references followed.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { api } from '../../src/main/modules.ts';
import { isInstant } from '../../src/platform/http/input/validation.ts';
import { openApiDocument } from '../../src/platform/http/openapi/openapi.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is read as any reader would
export type Json = any;

export const document = openApiDocument(api, 'http://localhost') as Json;

export const published = Object.values<Json>(document.paths).flatMap((methods) =>
  Object.values<Json>(methods),
);
export const publishedOperation = (id: string) => published.find(({ operationId }) => operationId === id);

/** What a reference leads to; anything else as it is. */
export function resolved(part: Json): Json {
  if (typeof part?.$ref !== 'string') return part;
  const names: string[] = part.$ref.split('/').slice(1);
  return resolved(names.reduce((at, name) => at?.[name], document));
}

const formats = {
  'date-time': isInstant,
  uuid: /^[0-9a-f-]{36}$/,
  uri: (text: string) => URL.canParse(text),
  'uri-reference': true as const,
};
const ajv = new Ajv2020({ strict: false, validateSchema: false, formats });
// Added once, so that what many operations share is compiled once.
const $id = 'https://document.invalid/';
ajv.addSchema({ $id, components: { schemas: JSON.parse(absolute(document.components.schemas)) } });

function absolute(part: Json): string {
  return JSON.stringify(part).replaceAll('"#/components/', `"${$id}#/components/`);
}

/** Judges by a schema of the document. */
export const judgeByPublished = (schema: Json): ValidateFunction => ajv.compile(JSON.parse(absolute(schema)));

export const wrongIn = ({ errors }: ValidateFunction) => ajv.errorsText(errors);
