// The grammar of conditions.
import { judgeBy } from '../../../platform/http/input/validation.ts';
import { isTimeZone } from '../../contacts/index.ts';
import { operators as ofSegments } from '../../segments/index.ts';
import { maxDepth, maxWords } from '../definition/limits.ts';
import { factTests, type Hours, isObject, predicateWords } from '../definition/predicates.ts';
import { wordsOf } from '../definition/words.ts';
import { type Names, pathIssue } from './fields.ts';
import type { Findings } from './findings.ts';
import { meant } from './nearest.ts';

type Rule = { accepts(value: unknown): boolean; says: string };

/** Those of segments, so that the same words mean the same there and here, and two for texts. */
const operators: Record<string, Rule> = {
  ...ofSegments,
  startsWith: {
    accepts: (value) => typeof value === 'string' && value !== '',
    says: 'must be a text that is not empty',
  },
  words: {
    accepts: (value) =>
      Array.isArray(value) && value.length > 0 && value.length <= maxWords && value.every(isWord),
    says: `must be a list of 1 to ${maxWords} words of at most 64 characters`,
  },
};
const isWord = (value: unknown) => typeof value === 'string' && value.length <= 64 && wordsOf(value) !== '';
const operatorNames = Object.keys(operators);

const judges = Object.fromEntries(Object.entries(factTests).map(([word, schema]) => [word, judgeBy(schema)]));

export function checkPredicates(predicates: unknown[], path: string, names: Names, findings: Findings): void {
  for (const [i, predicate] of predicates.entries())
    checkPredicate(predicate, `${path}[${i}]`, names, findings, 1);
}

function checkPredicate(
  predicate: unknown,
  path: string,
  names: Names,
  findings: Findings,
  depth: number,
): void {
  findings.countPredicate(path);
  const kinds = isObject(predicate) ? predicateWords.filter((word) => Object.hasOwn(predicate, word)) : [];
  const [kind] = kinds;
  if (!isObject(predicate)) findings.add(path, 'must be object');
  else if (depth > maxDepth) findings.add(path, `must be nested at most ${maxDepth} levels deep`);
  else if (kinds.length !== 1) findings.add(path, `must have exactly one of ${predicateWords.join(', ')}`);
  else if (kind === 'path') checkPathTest(predicate, path, names, findings);
  else if (kind === 'all' || kind === 'any' || kind === 'not')
    checkGroup(kind, predicate, path, names, findings, depth);
  else {
    findings.addAll(path, judges[kind!]!(predicate));
    if (kind === 'hours') checkHours(predicate.hours, `${path}.hours`, findings);
  }
}

function checkGroup(
  kind: 'all' | 'any' | 'not',
  group: Record<string, unknown>,
  path: string,
  names: Names,
  findings: Findings,
  depth: number,
): void {
  const inside = group[kind];
  const at = `${path}.${kind}`;
  for (const name of Object.keys(group))
    if (name !== kind) findings.add(`${path}.${name}`, 'is not a known property');
  if (kind === 'not') checkPredicate(inside, at, names, findings, depth + 1);
  else if (!Array.isArray(inside) || inside.length === 0)
    findings.add(at, 'must be a list of at least 1 predicate');
  else
    for (const [i, member] of inside.entries())
      checkPredicate(member, `${at}[${i}]`, names, findings, depth + 1);
}

function checkPathTest(test: Record<string, unknown>, path: string, names: Names, findings: Findings): void {
  const { path: compared, ...operands } = test;
  checkPath(compared, `${path}.path`, names, findings);
  const given = Object.entries(operands);
  if (given.length === 0) findings.add(path, `must have one of ${operatorNames.join(', ')}`);
  for (const [operator, operand] of given) {
    const at = `${path}.${operator}`;
    const rule = Object.hasOwn(operators, operator) ? operators[operator]! : null;
    if (!rule) findings.add(at, `is no operator${meant(operator, operatorNames)}`);
    else if (isObject(operand) && operator !== 'exists') checkRef(operand, at, names, findings);
    else if (!rule.accepts(operand))
      findings.add(at, operator === 'exists' ? rule.says : `${rule.says}, or { path }`);
  }
}

/** `{ path }` in the place of a value. */
export function checkRef(ref: Record<string, unknown>, at: string, names: Names, findings: Findings): void {
  const others = Object.keys(ref).filter((name) => name !== 'path');
  for (const name of others) findings.add(`${at}.${name}`, 'is not a known property');
  checkPath(ref.path, `${at}.path`, names, findings);
}

function checkPath(path: unknown, at: string, names: Names, findings: Findings): void {
  const issue =
    typeof path === 'string' ? pathIssue(path, names) : 'must be a path such as contact.displayName';
  if (issue) findings.add(at, issue);
}

function checkHours(hours: unknown, path: string, findings: Findings): void {
  if (!isObject(hours)) return;
  const { timezone, from, to } = hours as Partial<Hours>;
  checkZone(timezone, `${path}.timezone`, findings);
  if (from !== undefined && from === to) findings.add(`${path}.to`, 'must differ from from');
}

/** Of a zone that is a text: what else it may not be, its schema says. */
export function checkZone(zone: unknown, path: string, findings: Findings): void {
  if (typeof zone === 'string' && zone !== '' && zone !== 'contact' && !isTimeZone(zone))
    findings.add(path, 'must be contact or a time zone such as Europe/Paris');
}
