// What is left of a value once everything is taken out that its schema refuses.
import type { TSchema } from 'typebox';
import { type Judge, judgeBy } from './validation.ts';

type Values = Record<string, unknown>;

export const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Only what a schema of its own accepts is kept: a list, or a value of another kind, as a whole or not at all. */
export function soundPart(schema: TSchema | undefined, value: Values): Values {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, TSchema> };
  const sound: Values = {};
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const member = value[name];
    if (judgeOf(property)(member).length === 0) sound[name] = member;
    else if ('properties' in property && isObject(member)) sound[name] = soundPart(property, member);
  }
  return sound;
}

const judges = new WeakMap<TSchema, Judge>();

function judgeOf(schema: TSchema): Judge {
  const judge = judges.get(schema) ?? judgeBy(schema);
  judges.set(schema, judge);
  return judge;
}
