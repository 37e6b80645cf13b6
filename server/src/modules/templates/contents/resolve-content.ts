// Puts values into the variables of a reusable content and judges the outcome by the limits of its type. Pure but for the
// look-up. A value is text and nothing more: what looks like a variable inside it stays as it is.
import { Type } from 'typebox';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, type ErrorDetail } from '../../../platform/errors/errors.ts';
import { Closed } from '../../../platform/http/input/schema.ts';
import { type Judge, judgeBy } from '../../../platform/http/input/validation.ts';
import {
  type Content,
  type ContentType,
  contentObjects,
  contentTypes,
  fieldOfType,
} from '../../provider/index.ts';

/** A content whose texts may hold `{{name}}`: its type, and the object of that type. */
export type Draft = { type: ContentType } & Record<string, unknown>;

const variableForm = /\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/g;

const judges = new Map<ContentType, Judge>(
  contentTypes.map((type) => {
    const field = fieldOfType[type];
    const object = Closed({ type: Type.String(), [field]: contentObjects[field] });
    return [type, judgeBy(object)];
  }),
);

/** Every string of a value, whole or in parts of it. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTexts(item, change)]));
}

/** The names of the variables, each once, in the order they first appear. */
export function variablesIn(draft: Draft): string[] {
  const found = new Set<string>();
  mapTexts(draft[fieldOfType[draft.type]], (text) => {
    for (const match of text.matchAll(variableForm)) found.add(match[1]!);
    return text;
  });
  return [...found];
}

/** What is wrong with a draft already. A text with a variable in it can only be judged once the variable has a value. */
export function judgeDraft(draft: Draft): ErrorDetail[] {
  const open = new Set<string>();
  const marked = mapPaths(draft[fieldOfType[draft.type]], fieldOfType[draft.type], open);
  const faults = judges.get(draft.type)!({ type: draft.type, [fieldOfType[draft.type]]: marked });
  return faults.filter(({ path }) => !open.has(path));
}

/** Notes the path of every text that holds a variable, written as faults write theirs. */
function mapPaths(value: unknown, path: string, open: Set<string>): unknown {
  if (typeof value === 'string' && value.search(variableForm) >= 0) open.add(path);
  if (Array.isArray(value)) return value.map((item, i) => mapPaths(item, `${path}[${i}]`, open));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapPaths(item, `${path}.${name}`, open)]),
  );
}

/** The content with its variables filled, or every fault: a missing value at `variables.name`, a limit at its own path. */
export function fillContent(
  draft: Draft,
  variables: Readonly<Record<string, string>>,
): { content: Content } | ErrorDetail[] {
  const missing = variablesIn(draft).filter((name) => !Object.hasOwn(variables, name));
  if (missing.length > 0) {
    return missing.map((name) => ({ path: `variables.${name}`, issue: 'is required by the content' }));
  }
  const field = fieldOfType[draft.type];
  const filled = mapTexts(draft[field], (text) =>
    text.replaceAll(variableForm, (_whole, name: string) => variables[name]!),
  );
  const content = { type: draft.type, [field]: filled };
  const faults = judges.get(draft.type)!(content);
  return faults.length > 0 ? faults : { content: content as unknown as Content };
}

/** Fills a stored content. One that is not there is NOT_FOUND at `contentSid`. */
export async function resolveContent(
  t: TenantTx,
  contentSid: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<{ content: Content } | ErrorDetail[]> {
  const draft = (await loadDrafts(t, [contentSid])).get(contentSid);
  if (draft) return fillContent(draft, variables);
  const issue = 'is no reusable content of this account and environment';
  throw new ApiError('NOT_FOUND', { details: [{ path: 'contentSid', issue }] });
}

/** Many at once, for whoever judges many messages; fill each with `fillContent`. */
export async function loadDrafts(t: TenantTx, contentSids: readonly string[]): Promise<Map<string, Draft>> {
  const rows = await t.many<{ sid: string; type: ContentType; body: unknown }>(sql`
    select sid, type, body from contents
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any(${[...contentSids]}::text[])
       and deleted_at is null`);
  return new Map(rows.map(({ sid, type, body }) => [sid, { type, [fieldOfType[type]]: body }]));
}
