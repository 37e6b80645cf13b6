// A business's own words about a contact: a JSON object, bounded so that a contact stays something one can read, index
// and send in one piece.
import type { ErrorDetail } from '../../platform/errors/errors.ts';

const maxBytes = 64 * 1024;
const maxNames = 200;
const maxNameLength = 128;
const maxDepth = 8;

export type Attributes = Record<string, unknown>;

/** Null removes a name, so it is never stored as a name's value. */
export function withoutNulls(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null));
}

export const namesToRemove = (change: Attributes) =>
  Object.keys(change).filter((name) => change[name] === null);

export function judgeAttributes(attributes: Attributes): ErrorDetail[] {
  const names = Object.keys(attributes);
  const path = 'attributes';
  if (names.length > maxNames) return [{ path, issue: `must have at most ${maxNames} names` }];
  const longName = names.find((name) => name.length === 0 || name.length > maxNameLength);
  if (longName !== undefined) {
    return [{ path, issue: `must have names of 1 to ${maxNameLength} characters` }];
  }
  if (depthOf(attributes) > maxDepth)
    return [{ path, issue: `must be nested at most ${maxDepth} levels deep` }];
  const bytes = Buffer.byteLength(JSON.stringify(attributes));
  return bytes > maxBytes ? [{ path, issue: `must be at most ${maxBytes / 1024} KiB as JSON` }] : [];
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce((deepest: number, member) => Math.max(deepest, depthOf(member)), 0);
}
