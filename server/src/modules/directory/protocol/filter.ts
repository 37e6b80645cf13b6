// Filters and paths of RFC 7644 (figures 1 and 7), read into a tree. Nothing here knows what an attribute means.
import { isCleanText } from '../../../platform/http/input/json-body.ts';
import { badRequest, type ScimType } from './scim-error.ts';

export type AttributePath = { uri: string | null; name: string; sub: string | null };
export type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';
export type FilterValue = string | number | boolean | null;
export type Filter =
  | { kind: 'and' | 'or'; left: Filter; right: Filter }
  | { kind: 'not'; filter: Filter }
  | { kind: 'present'; path: AttributePath }
  | { kind: 'compare'; path: AttributePath; operator: Comparison; value: FilterValue }
  | { kind: 'some'; path: AttributePath; filter: Filter };

/** What a patch points at: an attribute, some of its values, and a part of those. */
export type PatchPath = AttributePath & { filter: Filter | null };

// A filter is written by a machine for one look-up. These are far beyond any honest one, and keep a hostile one cheap.
const maxLength = 4_096;
const maxTerms = 50;
const maxDepth = 12;

const comparisons = new Set<string>(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']);

type Token = { kind: 'word' | 'string' | 'mark'; text: string };

const tokenForm = /\s*(?:("(?:[^"\\]|\\.)*")|([()[\]])|([^\s()[\]"]+))/y;

function tokensOf(text: string, fail: () => never): Token[] {
  const tokens: Token[] = [];
  tokenForm.lastIndex = 0;
  for (let end = text.trimEnd().length; tokenForm.lastIndex < end; ) {
    const found = tokenForm.exec(text);
    if (!found) fail();
    const [, string, mark, word] = found!;
    if (string !== undefined) tokens.push({ kind: 'string', text: string });
    else if (mark !== undefined) tokens.push({ kind: 'mark', text: mark });
    else tokens.push({ kind: 'word', text: word! });
  }
  return tokens;
}

type Reader = {
  peek(): Token | undefined;
  next(): Token;
  /** Takes this mark, or refuses. */
  expect(mark: string): void;
  isWord(word: string): boolean;
  isMark(mark: string): boolean;
  countTerm(): void;
  fail(): never;
};

function readerOf(text: string, scimType: ScimType): Reader {
  const fail = (): never => {
    throw badRequest(scimType, 'The expression cannot be read.');
  };
  if (text.length > maxLength)
    throw badRequest(scimType, `The expression is longer than ${maxLength} characters.`);
  const tokens = tokensOf(text, fail);
  let at = 0;
  let terms = 0;
  const peek = () => tokens[at];
  return {
    peek,
    fail,
    next() {
      const token = tokens[at] ?? fail();
      at += 1;
      return token;
    },
    expect(mark) {
      const token = this.next();
      if (token.kind !== 'mark' || token.text !== mark) fail();
    },
    isWord: (word) => peek()?.kind === 'word' && peek()!.text.toLowerCase() === word,
    isMark: (mark) => peek()?.kind === 'mark' && peek()!.text === mark,
    countTerm() {
      terms += 1;
      if (terms > maxTerms) throw badRequest(scimType, `The expression has more than ${maxTerms} terms.`);
    },
  };
}

export function parseFilter(text: string): Filter {
  const reader = readerOf(text, 'invalidFilter');
  const filter = readOr(reader, 0);
  return reader.peek() ? reader.fail() : filter;
}

function readOr(reader: Reader, depth: number): Filter {
  if (depth > maxDepth) reader.fail();
  let left = readAnd(reader, depth);
  while (reader.isWord('or')) {
    reader.next();
    left = { kind: 'or', left, right: readAnd(reader, depth) };
  }
  return left;
}

function readAnd(reader: Reader, depth: number): Filter {
  let left = readTerm(reader, depth);
  while (reader.isWord('and')) {
    reader.next();
    left = { kind: 'and', left, right: readTerm(reader, depth) };
  }
  return left;
}

function readTerm(reader: Reader, depth: number): Filter {
  reader.countTerm();
  if (reader.isWord('not')) {
    reader.next();
    return { kind: 'not', filter: readGroup(reader, '(', ')', depth) };
  }
  if (reader.isMark('(')) return readGroup(reader, '(', ')', depth);
  const path = readAttributePath(reader);
  if (reader.isMark('[')) return { kind: 'some', path, filter: readGroup(reader, '[', ']', depth) };
  const operator = readWord(reader).toLowerCase();
  if (operator === 'pr') return { kind: 'present', path };
  if (!comparisons.has(operator)) reader.fail();
  return { kind: 'compare', path, operator: operator as Comparison, value: readValue(reader) };
}

function readGroup(reader: Reader, open: string, close: string, depth: number): Filter {
  reader.expect(open);
  const filter = readOr(reader, depth + 1);
  reader.expect(close);
  return filter;
}

function readWord(reader: Reader): string {
  const token = reader.next();
  return token.kind === 'word' ? token.text : reader.fail();
}

const literalForm = /^(true|false|null|-?[0-9]{1,15}(\.[0-9]{1,15})?)$/;

function readValue(reader: Reader): FilterValue {
  const token = reader.next();
  if (token.kind === 'word') {
    const word = token.text.toLowerCase();
    return literalForm.test(word) ? JSON.parse(word) : reader.fail();
  }
  if (token.kind !== 'string') reader.fail();
  try {
    const value: string = JSON.parse(token.text);
    return isCleanText(value) ? value : reader.fail();
  } catch {
    return reader.fail();
  }
}

const nameForm = /^[A-Za-z$][A-Za-z0-9$_-]*$/;

function readAttributePath(reader: Reader): AttributePath {
  return parseAttributePath(readWord(reader)) ?? reader.fail();
}

/** `userName`, `name.familyName`, or either behind a schema's URN and a colon. */
export function parseAttributePath(text: string): AttributePath | null {
  // The colon that ends a URN is the last one, and a version such as 2.0 stands before it.
  const at = text.toLowerCase().startsWith('urn:') ? text.lastIndexOf(':') : -1;
  const uri = at < 0 ? null : text.slice(0, at);
  const [name = '', sub = null, ...rest] = text.slice(at + 1).split('.');
  const fits = rest.length === 0 && nameForm.test(name) && (sub === null || nameForm.test(sub));
  return fits ? { uri, name, sub } : null;
}

/** `members`, `name.familyName`, `emails[type eq "work"]`, `emails[type eq "work"].value`. */
export function parsePatchPath(text: string): PatchPath {
  const reader = readerOf(text, 'invalidPath');
  reader.countTerm();
  const path = readAttributePath(reader);
  const filter = reader.isMark('[') ? readGroup(reader, '[', ']', 0) : null;
  const rest = reader.peek() ? readWord(reader) : null;
  if (reader.peek() || (rest !== null && (filter === null || path.sub !== null))) reader.fail();
  if (rest === null) return { ...path, filter };
  const sub = /^\.(.+)$/.exec(rest)?.[1] ?? '';
  return nameForm.test(sub) ? { ...path, sub, filter } : reader.fail();
}
