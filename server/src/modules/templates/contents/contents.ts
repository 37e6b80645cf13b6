// Reusable contents: made, changed version by version, deleted.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, type ErrorDetail, invalid } from '../../../platform/errors/errors.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { newSid } from '../../../platform/ids.ts';
import { audit } from '../../audit/index.ts';
import { type ContentField, type ContentType, contentObjects, fieldOfType } from '../../provider/index.ts';
import { type Draft, fillContent, judgeDraft, variablesIn } from './resolve-content.ts';
import type { ContentChange, ContentResource, NewContent } from './schema.ts';

type Row = Pick<
  ContentResource,
  | 'sid'
  | 'accountSid'
  | 'livemode'
  | 'name'
  | 'version'
  | 'type'
  | 'variables'
  | 'deletedAt'
  | 'createdAt'
  | 'updatedAt'
> & { body: Record<string, unknown> };

const columns = sql`sid, account_sid as "accountSid", livemode, name, version, type, body, variables,
  deleted_at as "deletedAt", created_at as "createdAt", updated_at as "updatedAt"`;

const fields = Object.keys(contentObjects) as ContentField[];
const noObjects = Object.fromEntries(fields.map((field) => [field, null])) as Record<ContentField, null>;

function toResource({ body, sid, accountSid, livemode, ...row }: Row): ContentResource {
  const whose = { object: 'content', sid, accountSid, livemode };
  return { ...whose, ...noObjects, ...row, [fieldOfType[row.type]]: body } as ContentResource;
}

type Given = Partial<Record<ContentField, Record<string, unknown>>>;

/** The type and its object; an object of another type is a fault at its path, as in a message. */
function readDraft(type: ContentType, given: Given): Draft {
  const field = fieldOfType[type];
  const faults: ErrorDetail[] = fields
    .filter((name) => name !== field && given[name] !== undefined)
    .map((name) => ({ path: name, issue: `does not belong to type ${type}` }));
  if (given[field] === undefined) {
    throw invalid(...faults, { path: field, issue: `is required for type ${type}` });
  }
  const draft = { type, [field]: given[field] } as Draft;
  faults.push(...judgeDraft(draft));
  const names = variablesIn(draft);
  if (names.length > maxVariables)
    faults.push({ path: field, issue: `must use at most ${maxVariables} variables` });
  if (faults.length > 0) throw invalid(...faults);
  return draft;
}

// As many as a message can bring values for.
const maxVariables = 100;

export async function createContent(t: TenantTx, input: NewContent): Promise<ContentResource> {
  refuseBlank(input.name);
  const draft = readDraft(input.type, input);
  const row = await t.one<Row>(sql`
    insert into contents (account_sid, livemode, sid, name, version, type, body, variables, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${newSid('HX', t.now)}, ${input.name}, 1, ${draft.type},
      ${JSON.stringify(draft[fieldOfType[draft.type]])}::jsonb, ${variablesIn(draft)}::text[], ${t.now}, ${t.now})
    returning ${columns}`);
  audit(t, { action: 'content.created', resource: row.sid });
  return toResource(row);
}

async function findRow(t: TenantTx, sid: string, lock = false): Promise<Row> {
  const row = await t.maybe<Row>(sql`
    select ${columns} from contents
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and deleted_at is null
     ${lock ? sql`for update` : sql``}`);
  if (!row) throw new ApiError('NOT_FOUND');
  return row;
}

export async function getContent(t: TenantTx, sid: string): Promise<ContentResource> {
  return toResource(await findRow(t, sid));
}

export async function listContents(t: TenantTx, pager: Pager) {
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<Row>(sql`
    select ${columns} from contents
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and deleted_at is null
       and (${before}::text is null or sid < ${before})
     order by sid desc limit ${pager.fetch}`);
  return pager.page(rows, ({ sid }) => [sid], toResource);
}

/** Only whoever knows the current version changes it: of two editors the slower one hears of the other. */
export async function changeContent(
  t: TenantTx,
  sid: string,
  { expectedVersion, name, type, ...given }: ContentChange,
): Promise<ContentResource> {
  if (name !== undefined) refuseBlank(name);
  const row = await findRow(t, sid, true);
  if (row.version !== expectedVersion) {
    const details = [
      { path: 'expectedVersion', issue: `is not the current version, which is ${row.version}` },
    ];
    throw new ApiError('CONFLICT', { details });
  }
  const hasObject = Object.keys(given).length > 0;
  const draft =
    hasObject || (type !== undefined && type !== row.type)
      ? readDraft(type ?? row.type, given as Given)
      : ({ type: row.type, [fieldOfType[row.type]]: row.body } as Draft);
  const changed = await t.one<Row>(sql`
    update contents set name = ${name ?? row.name}, version = version + 1, type = ${draft.type},
      body = ${JSON.stringify(draft[fieldOfType[draft.type]])}::jsonb, variables = ${variablesIn(draft)}::text[],
      updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${sid}
    returning ${columns}`);
  audit(t, { action: 'content.updated', resource: sid, facts: { version: changed.version } });
  return toResource(changed);
}

/** Messages carry what the content was when they were made, so it can go at any time. */
export async function deleteContent(t: TenantTx, sid: string): Promise<ContentResource> {
  await findRow(t, sid, true);
  const gone = await t.one<Row>(sql`
    update contents set deleted_at = ${t.now}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${sid}
    returning ${columns}`);
  audit(t, { action: 'content.deleted', resource: sid });
  return toResource(gone);
}

/** What a message would carry with these values; every fault at once when it could not. */
export async function previewContent(t: TenantTx, sid: string, variables: Record<string, string> = {}) {
  const row = await findRow(t, sid);
  const filled = fillContent({ type: row.type, [fieldOfType[row.type]]: row.body }, variables);
  if (Array.isArray(filled)) throw invalid(...filled);
  const { accountSid, livemode, version } = row;
  return {
    object: 'content_preview',
    contentSid: sid,
    accountSid,
    livemode,
    version,
    content: filled.content,
  };
}

function refuseBlank(name: string): void {
  if (name.trim() === '') throw invalid({ path: 'name', issue: 'must not be blank' });
}
