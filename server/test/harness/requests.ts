// Requests for any operation, made from what it declares: paths, bodies and queries of the right form.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { TSchema } from 'typebox';
import type { Operation } from '../../src/platform/http/operations/operation.ts';
import { newSid, type SidPrefix } from '../../src/platform/ids.ts';
import { validFor } from './arbitrary.ts';

export const paramsOf = (operation: Operation) =>
  [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
export const ownParams = (operation: Operation) =>
  paramsOf(operation).filter((name) => name !== 'accountSid');
export const pathOf = (operation: Operation, values: Record<string, string>) =>
  operation.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(values[name] ?? ''));

/** An identifier of the right form that names nothing. */
function unknownId(operation: Operation, name: string): string {
  const schema = (operation.params as { properties: Record<string, { pattern?: string; format?: string }> })
    .properties[name]!;
  const prefix = /^\^([A-Z]{2})\[/.exec(schema.pattern ?? '')?.[1];
  if (prefix) return newSid(prefix as SidPrefix, new Date('2020-01-01'));
  return schema.format === 'uuid' ? randomUUID() : (sampleOf(schema as TSchema) as string);
}

const samples = new WeakMap<TSchema, unknown>();

/** Always the same value for a schema, so it is made once: some take milliseconds. */
function sampleOf(schema: TSchema): unknown {
  if (!samples.has(schema)) samples.set(schema, fc.sample(validFor(schema), { numRuns: 1, seed: 7 })[0]);
  return samples.get(schema);
}

export const unknownIds = (operation: Operation, accountSid: string) => ({
  ...Object.fromEntries(ownParams(operation).map((name) => [name, unknownId(operation, name)])),
  accountSid,
});

export const goodBody = (operation: Operation) =>
  operation.example ?? (operation.body ? sampleOf(operation.body) : undefined);

export const goodQuery = (operation: Operation) => {
  const { properties = {}, required = [] } = (operation.query ?? {}) as {
    properties?: Record<string, TSchema>;
    required?: string[];
  };
  const pairs = required.map((name): [string, string] => [name, String(sampleOf(properties[name]!))]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
};

/** A body in the form the operation takes. */
export function writtenFor(operation: Operation, body: unknown): { body?: unknown; headers?: object } {
  if (operation.bodyFormat !== 'form') return { body };
  const fields = typeof body === 'object' ? Object.entries(body ?? {}) : [];
  const pairs = fields.map(([name, value]): [string, string] => [
    name.toWellFormed(),
    (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed(),
  ]);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { body: new URLSearchParams(pairs).toString(), headers };
}

/** A stream that nobody can go on with is refused at once; one that is let in would never end. */
export const ofNoStream = { 'last-event-id': 'of no stream' };
