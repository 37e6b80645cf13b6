// Examples of answers: the sample of a named schema, a page of it, or what the operation declares itself.
import type { TSchema } from 'typebox';
import { nameOf } from '../input/schema.ts';
import { mediaTypesOf } from '../operations/documented-headers.ts';
import type { Operation } from '../operations/operation.ts';

type Sampled = { examples?: unknown[]; properties?: { data?: { items?: TSchema } } };

/** The item of a page; undefined where the schema is none. */
export const itemOf = (schema: TSchema): TSchema | undefined => {
  const { properties } = schema as { properties?: { object?: { enum?: string[] } } & Sampled['properties'] };
  return properties?.object?.enum?.[0] === 'list' ? properties.data?.items : undefined;
};

/** The sample of a schema, or a page with the sample of its item; undefined where there is none. */
export function sampleOf(schema: TSchema): unknown {
  const [given] = (schema as Sampled).examples ?? [];
  const item = itemOf(schema);
  if (given !== undefined || !item) return given;
  const one = sampleOf(item);
  return one === undefined ? undefined : { object: 'list', data: [one], hasMore: false, nextCursor: null };
}

/** An answer with the given status, as the operation would give it; by media type where there are several. */
export function answerExample(operation: Operation, status: number): unknown {
  const schema = operation.responses[status];
  if (!schema) return undefined;
  return operation.answerExample ?? sampleOf(schema);
}

/** Whether the example is that of the schema, so that it can stand once for all operations. */
export const isSharedExample = ({ answerExample: own }: Operation, schema: TSchema) =>
  own === undefined && nameOf(schema) !== undefined && mediaTypesOf(schema)[0] === 'application/json';
