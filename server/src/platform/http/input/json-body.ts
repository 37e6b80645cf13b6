// Reads JSON from outside. What PostgreSQL cannot store or JavaScript would trip over is refused here, once, so that
// no feature has to think of it.
import { type ErrorDetail, invalid } from '../../errors/errors.ts';

const maxDepth = 32;
const maxValues = 100_000;

/** `apart` names a list in the body whose items are looked at later, each by itself. */
export function parseJsonBody(raw: Buffer, apart?: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(raw));
  } catch {
    throw invalid({ path: 'body', issue: 'must be valid JSON in UTF-8' });
  }
  const problem = problemIn(apart === undefined ? value : without(value, apart));
  if (problem) throw invalid({ ...problem, path: problem.path || 'body' });
  return value;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Text that PostgreSQL can store and JSON can carry: no NUL, no half of a surrogate pair. */
export function isCleanText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function without(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { [name]: list, ...rest } = value as Record<string, unknown>;
  return Array.isArray(list) ? rest : value;
}

/** The first thing in a value from outside that must not come in. */
export function problemIn(root: unknown): ErrorDetail | null {
  let values = 0;
  const visit = (value: unknown, path: string, depth: number, name: string): ErrorDetail | null => {
    values += 1;
    if (values > maxValues) return { path: 'body', issue: `must hold at most ${maxValues} values` };
    if (typeof value === 'string') return isCleanText(value) ? null : { path, issue: uncleanText };
    // JSON has no limit for numbers: 1e999 would be read as Infinity, and written back as null.
    if (typeof value === 'number' && !Number.isFinite(value)) return { path, issue: 'is too large a number' };
    if (typeof value !== 'object' || value === null) return null;
    if (depth >= maxDepth) return { path, issue: `must be nested at most ${maxDepth} levels deep` };
    for (const [key, member] of Object.entries(value)) {
      const at = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
      if (!Array.isArray(value)) {
        if (isPoisonous(key, name)) return { path: at, issue: 'is not a known property' };
        if (!isCleanText(key)) return { path, issue: uncleanText };
      }
      const problem = visit(member, at, depth + 1, key);
      if (problem) return problem;
    }
    return null;
  };
  return visit(root, '', 0, '');
}

/** The two ways by which copying an object could reach the prototype all objects share. */
const isPoisonous = (key: string, parent: string) =>
  key === '__proto__' || (key === 'prototype' && parent === 'constructor');

const uncleanText = 'must not hold NUL characters or lone surrogates';
