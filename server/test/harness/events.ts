// What tests know of events: everything they make the service emit is held against its declaration.
import { type TSchema, Type } from 'typebox';
import { eventTypes } from '../../src/main/modules.ts';
import type { TenantTx } from '../../src/platform/db/database.ts';
import { type EventType, emit, inspectEvents } from '../../src/platform/events.ts';
import { type Judge, judgeBy } from '../../src/platform/http/input/validation.ts';

const anything = Type.Object({});
const judges = new Map<TSchema, Judge>([[anything, () => []]]);

function judgeOf(schema: TSchema): Judge {
  const judge = judges.get(schema) ?? judgeBy(schema);
  judges.set(schema, judge);
  return judge;
}

/** What is wrong with an event, by the name of its type and the path in its data; null when nothing is. */
export function wrongWith(type: EventType, data: object): string | null {
  if (type.schema !== anything && !eventTypes.includes(type))
    return `${type.name} is in no module's manifest`;
  // As it is told: what JSON leaves out or writes otherwise counts the way a receiver sees it.
  const issues = judgeOf(type.schema)(JSON.parse(JSON.stringify(data)));
  return issues.length === 0
    ? null
    : `${type.name} was emitted against its schema: ${JSON.stringify(issues)}`;
}

let found: string[] = [];

/** What was wrong since this was last asked. */
export function takeWrongEvents(): string[] {
  const wrong = found;
  found = [];
  return wrong;
}

/** Fails the transaction, and is remembered for the end of the test: what fails in the background is only tried again. */
export const checkEvents = () =>
  inspectEvents((type, data) => {
    const wrong = wrongWith(type, data);
    if (wrong === null) return;
    found.push(wrong);
    throw new Error(wrong);
  });

/** Emits what is no resource at all, for tests of what does not look at data: the log, filters, deliveries. */
export const emitAnything = (t: TenantTx, name: string, data: object): void =>
  emit<object>(t, { name, since: '2026-05-04', description: '', schema: anything, sample: {} }, data);
