// Judges conditions by facts. Nothing is coerced: a number never equals its text. What is missing is equal to nothing, and nothing
// throws, whatever the facts look like.

import { dayBefore, localTime, minuteOf } from '../../../platform/time/local-time.ts';
import { isPlain } from '../../segments/index.ts';
import type { Comparison, Hours, Predicate } from '../definition/predicates.ts';
import { isRef } from '../definition/predicates.ts';
import { wordsOf } from '../definition/words.ts';
import { answerName, type Facts, hasRoot, type Remembered, valueAt } from './facts.ts';

/** What a predicate looked at, by path or by the name of a fact, and what it saw there. */
export type Saw = { path: string; value: unknown };

export type Verdict = {
  holds: boolean;
  /** The first condition that does not hold. */
  failed: number | null;
  saw: Saw[];
};

const nothing: Remembered = { vars: {}, steps: {}, error: null };

export function judgeConditions(
  predicates: Predicate[],
  facts: Facts,
  remembered: Remembered = nothing,
): Verdict {
  const judge: Judge = { facts, remembered, saw: [] };
  const failed = predicates.findIndex((predicate) => !holds(predicate, judge));
  return { holds: failed === -1, failed: failed === -1 ? null : failed, saw: judge.saw };
}

type Judge = { facts: Facts; remembered: Remembered; saw: Saw[] };

function holds(predicate: Predicate, judge: Judge): boolean {
  if ('path' in predicate) return compares(predicate, judge);
  if ('all' in predicate) return predicate.all.every((member) => holds(member, judge));
  if ('any' in predicate) return predicate.any.some((member) => holds(member, judge));
  if ('not' in predicate) return !holds(predicate.not, judge);
  if ('hours' in predicate) return isWithin(predicate.hours, judge);
  return isAnswered(predicate, judge);
}

function isAnswered(predicate: Predicate, { facts: { answers = {} }, saw }: Judge): boolean {
  const name = answerName(predicate)!;
  const answer = Object.hasOwn(answers, name) ? answers[name] : undefined;
  saw.push({ path: name, value: shown(answer) });
  if ('consent' in predicate) return answer === predicate.consent.status;
  if ('window' in predicate) return answer === predicate.window;
  return answer === ('suppressed' in predicate ? predicate.suppressed : true);
}

function isWithin({ timezone, days, from, to }: Hours, { facts, remembered, saw }: Judge): boolean {
  const zone = timezone === 'contact' ? valueAt('contact.timezone', facts, remembered) : timezone;
  const local = typeof zone === 'string' ? localTime(facts.now, zone) : null;
  saw.push({ path: 'hours', value: local && { timezone: zone, ...local } });
  if (!local) return false;
  const { day, minute } = local;
  const [first, end] = [minuteOf(from), minuteOf(to)];
  const isOpenOn = (one: typeof day) => days === undefined || days.includes(one);
  if (first < end) return isOpenOn(day) && minute >= first && minute < end;
  // Hours that pass midnight belong to the day they begin on.
  return minute >= first ? isOpenOn(day) : minute < end && isOpenOn(dayBefore(day));
}

function compares({ path, ...comparison }: { path: string } & Comparison, judge: Judge): boolean {
  const { facts, remembered, saw } = judge;
  const value = valueAt(path, facts, remembered);
  saw.push({ path, value: shown(value) });
  if (value === undefined && !hasRoot(path, facts, remembered)) return comparison.exists === false;
  return Object.entries(comparison).every(([operator, operand]) => {
    if (!isRef(operand)) return operators[operator as keyof Comparison](value, operand);
    const other = valueAt(operand.path, facts, remembered);
    saw.push({ path: operand.path, value: shown(other) });
    return other !== undefined && operators[operator as keyof Comparison](value, other);
  });
}

type Operator = (value: unknown, operand: unknown) => boolean;

const equals: Operator = (value, operand) => isPlain(value) && value === operand;

const ordered =
  (accepts: (order: number) => boolean): Operator =>
  (value, operand) => {
    if (typeof value === 'number' && typeof operand === 'number') return accepts(value - operand);
    if (typeof value !== 'string' || typeof operand !== 'string') return false;
    // By code point, as segments do: what UTF-8 is sorted by, and UTF-16 is not.
    return accepts(Buffer.compare(Buffer.from(value), Buffer.from(operand)));
  };

const operators: Record<keyof Comparison, Operator> = {
  eq: equals,
  ne: (value, operand) => !equals(value, operand),
  in: (value, list) => Array.isArray(list) && list.some((member) => equals(value, member)),
  gt: ordered((order) => order > 0),
  gte: ordered((order) => order >= 0),
  lt: ordered((order) => order < 0),
  lte: ordered((order) => order <= 0),
  exists: (value, wanted) => (value !== undefined && value !== null) === wanted,
  contains: (value, operand) =>
    typeof value === 'string'
      ? typeof operand === 'string' && value.includes(operand)
      : Array.isArray(value) && value.some((member) => equals(member, operand)),
  startsWith: (value, operand) =>
    typeof value === 'string' && typeof operand === 'string' && value.startsWith(operand),
  words: (value, list) => typeof value === 'string' && hasWord(value, [list].flat()),
};

function hasWord(text: string, list: unknown[]): boolean {
  const words = wordsOf(text);
  return list.some((one) => {
    const wanted = typeof one === 'string' ? wordsOf(one) : '';
    return wanted !== '' && words.includes(wanted);
  });
}

const longestShown = 200;

/** Enough to see why; nobody's whole letter belongs into a trace. */
function shown(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, longestShown).toWellFormed();
  if (value === undefined) return null;
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? `a list of ${value.length}` : 'an object';
}
