// One Idempotency-Key, one effect. The key's lock is taken with the transaction and its row is written by it, so a
// crash leaves both the effect and the stored answer, or neither.

import type { Asked, Flush, MergedQueries, Share, TenantTx } from '../../db/database.ts';
import { accountsOf } from '../../db/merge.ts';
import { type Sql, sql } from '../../db/query.ts';
import { lockName, lockNumber } from '../../db/tenant-lock.ts';
import { ApiError, type ErrorDetail } from '../../errors/errors.ts';
import { type Bytes, sha256 } from '../../hashing.ts';
import { isAlive } from '../../queue/lease.ts';
import type { KeyedHash } from '../key-secret.ts';
import type { AnswerHeaders } from './answer-headers.ts';

const keptMs = 24 * 60 * 60 * 1000;
const keyForm = /^[\x20-\x7e]{1,255}$/;

export type StoredAnswer = { status: number; headers: AnswerHeaders; body: string };

/** A request that carries a key: who may have its answer replayed, and what it must be equal to. */
export type KeyedRequest = {
  key: string;
  subject: string;
  operationId: string;
  fingerprint: Buffer;
  /** Who asks: a secret shown once is told again to nobody else. */
  principal: string;
  revealsSecret: boolean;
  /** The member of the body it stands in, where it names what was done and not only the request: kept for ever. */
  field?: string;
};

/** The request as its row knows it. */
export const concealed = (keyedHash: KeyedHash, request: KeyedRequest): KeyedRequest => ({
  ...request,
  key: keyedHash(request.key).toString('base64url'),
  fingerprint: keyedHash(request.fingerprint),
});

export function judgeKey(key: string | undefined, demanded: boolean): ErrorDetail[] {
  if (key === undefined) return demanded ? [{ path: 'Idempotency-Key', issue: 'is required' }] : [];
  const issue = 'must be 1 to 255 printable ASCII characters';
  return keyForm.test(key) ? [] : [{ path: 'Idempotency-Key', issue }];
}

/** `content` is the body as it was sent, or what stands for it where its bytes are not kept. */
export function fingerprintOf(method: string, url: string, content: Bytes): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return sha256(Buffer.concat([Buffer.from(`${method}\n${url}\n`), bytes]));
}

type Row = {
  fingerprint: Buffer;
  principal: string;
  owner: string | null;
  ownerLives: boolean;
  status: number | null;
  headers: Record<string, string>;
  body: Buffer | null;
  /** The body, where an event tells the same. */
  told: string | null;
};

export type KeyState = { replay: StoredAnswer } | { fresh: true };

/**
 * Takes the key for this transaction. Answers what was stored under it, or that the work may begin; refuses when the
 * first request still runs or the key was used for something else.
 */
export async function takeKey(t: TenantTx, request: KeyedRequest): Promise<KeyState> {
  // Both statements leave in one round trip. The look-up is a statement of its own because its snapshot must be younger
  // than the lock: in one statement it could miss the answer of a request that ended in between.
  const [lock, row] = await Promise.all([
    t.one<{ taken: boolean }>(
      sql`select pg_try_advisory_xact_lock(${lockNumber(nameOf(t, request))}) as taken`,
    ),
    findKey(t, request),
  ]);
  if (!lock.taken) throw new ApiError('IDEMPOTENCY_IN_PROGRESS');
  return judgeRow(t, request, row);
}

/** The same for many requests of one transaction, each with its own end. Of two that bring one key the first has it. */
export async function takeKeys(t: TenantTx, requests: KeyedRequest[]): Promise<(KeyState | ApiError)[]> {
  const names = requests.map((request) => nameOf(t, request));
  const [locks, rows] = await Promise.all([t.merged(lockKeys, names), t.merged(findKeys, requests)]);
  const found = new Map(rows.map((row) => [nameOf(t, row), row]));
  const seen = new Set<string>();
  return requests.map((request, at) => {
    const name = names[at]!;
    if (!locks[at]!.taken || seen.has(name)) return new ApiError('IDEMPOTENCY_IN_PROGRESS');
    seen.add(name);
    return orRefusal(() => judgeRow(t, request, found.get(name)));
  });
}

const lockKeys = (q: MergedQueries, asked: readonly Asked<string>[]) =>
  q.many<{ accountSid: string; taken: boolean }>(sql`
    select account_sid as "accountSid", pg_try_advisory_xact_lock(hashtextextended(name, 0)) as taken
      from unnest(${accountsOf(asked)}::text[], ${asked.map(({ item }) => item)}::text[]) as asked (account_sid, name)`);

// One look-up after the other by the primary key: a planner that knows nothing of the table yet may read all of it.
const findKeys = (q: MergedQueries, asked: readonly Asked<Pick<KeyedRequest, 'subject' | 'key'>>[]) =>
  q.many<Row & { accountSid: string; subject: string; key: string }>(sql`
    select kept.* from unnest(${accountsOf(asked)}::text[], ${asked.map(({ item }) => item.subject)}::text[],
      ${asked.map(({ item }) => item.key)}::text[]) as asked (account_sid, subject, key)
     cross join lateral (
      select ${rowColumns}, account_sid as "accountSid", subject, key from idempotency_keys k
       where k.account_sid = asked.account_sid and livemode = ${q.livemode} and k.subject = asked.subject
         and k.key = asked.key and ${isInForce(q)} offset 0) as kept`);

function orRefusal<T>(judge: () => T): T | ApiError {
  try {
    return judge();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Waits for whoever still holds the key, then looks: for a commit whose answer was lost with the connection. */
export async function awaitKey(t: TenantTx, request: KeyedRequest): Promise<KeyState> {
  await t.run(sql`select pg_advisory_xact_lock(${lockNumber(nameOf(t, request))})`);
  return judgeRow(t, request, await findKey(t, request));
}

/** The row is looked for at every write and found at few: what must be looked up beside it waits until it is. */
async function findKey(t: TenantTx, request: KeyedRequest): Promise<Row | undefined> {
  const row = await t.maybe<Omit<Row, 'told' | 'ownerLives'> & { eventSid: string | null }>(sql`
    select fingerprint, principal, owner, status, headers, body, event_sid as "eventSid" from idempotency_keys
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and subject = ${request.subject}
       and key = ${request.key} and ${isInForce(t)}`);
  if (!row) return undefined;
  const beside = await t.one<Pick<Row, 'told' | 'ownerLives'>>(sql`
    select (select data::text from events where account_sid = ${t.accountSid} and sid = ${row.eventSid}) as told,
      coalesce(${isAlive(sql`${row.owner}::uuid`)}, false) as "ownerLives"`);
  return { ...row, ...beside };
}

const rowColumns = sql`fingerprint, principal, owner, status, headers, body,
  (select e.data::text from events e where e.account_sid = k.account_sid and e.sid = k.event_sid) as told,
  owner is not null and ${isAlive(sql`owner`)} as "ownerLives"`;

/** Written so that the index on expiries cannot serve it: nearly every key is in force, and one is looked for by its name. */
const isInForce = (t: Pick<TenantTx, 'now'>) => sql`(expires_at > ${t.now}) is true`;

function judgeRow(t: TenantTx, request: KeyedRequest, row: Row | undefined): KeyState {
  if (!row) return { fresh: true };
  const sameRequest = row.fingerprint.equals(request.fingerprint);
  const sameMaker = row.principal === request.principal;
  if (!sameRequest || (request.revealsSecret && !sameMaker)) throw usedOtherwise(request);
  if (row.owner !== null) {
    if (row.ownerLives) throw new ApiError('IDEMPOTENCY_IN_PROGRESS');
    return { fresh: true };
  }
  const body = row.told ?? t.sealer.open(row.body!, sealContext(t)).toString('utf8');
  return { replay: { status: row.status!, headers: row.headers, body } };
}

function usedOtherwise({ field }: KeyedRequest): ApiError {
  if (field === undefined) return new ApiError('IDEMPOTENCY_KEY_REUSED');
  const message = `This ${field} was used before, for something else.`;
  return new ApiError('IDEMPOTENCY_KEY_REUSED', {
    message,
    details: [{ path: field, issue: 'was used for something else' }],
  });
}

type Kept = {
  request: KeyedRequest;
  answer: StoredAnswer | null;
  eventSid: string | null;
  owner: string | null;
};

/** A row that is there has expired, or was claimed by this very request or by a process that died. */
const replacing = sql`
  on conflict (account_sid, livemode, subject, key) do update set
    operation_id = excluded.operation_id, fingerprint = excluded.fingerprint, principal = excluded.principal,
    owner = excluded.owner, status = excluded.status, headers = excluded.headers, body = excluded.body,
    event_sid = excluded.event_sid, created_at = excluded.created_at, expires_at = excluded.expires_at`;

function oneKeyRow(t: TenantTx, { request, answer, eventSid, owner }: Kept): Sql {
  const { subject, key, operationId, fingerprint, principal } = request;
  return sql`
    insert into idempotency_keys (account_sid, livemode, subject, key, operation_id, fingerprint, principal, owner,
      status, headers, body, event_sid, created_at, expires_at)
    values (${t.accountSid}, ${t.livemode}, ${subject}, ${key}, ${operationId}, ${fingerprint}, ${principal}, ${owner},
      ${answer?.status ?? null}, ${answer && JSON.stringify(answer.headers)}, ${sealedBody(t, answer, eventSid)}, ${eventSid},
      ${t.now}, ${expiryOf(t.now, request)})
    ${replacing}`;
}

const expiryOf = (now: Date, { field }: KeyedRequest) =>
  field ? 'infinity' : new Date(now.getTime() + keptMs);

const keyRows: Flush<Kept> = {
  name: 'responses',
  write(shares) {
    const [{ t, items }] = shares as [Share<Kept>];
    if (shares.length === 1 && items.length === 1) return [oneKeyRow(t, items[0]!)];
    const { livemode, now } = t;
    const rows = shares.flatMap(({ t, items }) => items.map((item) => toRow(t, item)));
    return [
      sql`
        insert into idempotency_keys (account_sid, livemode, subject, key, operation_id, fingerprint, principal,
          owner, status, headers, body, event_sid, created_at, expires_at)
        select kept."accountSid", ${livemode}, kept.subject, kept.key, kept."operationId",
          decode(kept.fingerprint, 'base64'), kept.principal, kept.owner, kept.status, kept.headers,
          decode(kept.body, 'base64'), kept."eventSid", ${now},
          case when kept.lasting then 'infinity' else ${new Date(now.getTime() + keptMs)}::timestamptz end
        from json_to_recordset(${JSON.stringify(rows)}::json)
          as kept ("accountSid" text, subject text, key text, "operationId" text, fingerprint text, principal text,
            owner uuid, status smallint, headers jsonb, body text, "eventSid" text, lasting boolean)
        ${replacing}`,
    ];
  },
};

function toRow(t: TenantTx, { request, answer, eventSid, owner }: Kept) {
  return {
    accountSid: t.accountSid,
    subject: request.subject,
    key: request.key,
    operationId: request.operationId,
    fingerprint: request.fingerprint.toString('base64'),
    principal: request.principal,
    owner,
    status: answer?.status ?? null,
    headers: answer?.headers ?? null,
    body: sealedBody(t, answer, eventSid)?.toString('base64') ?? null,
    eventSid,
    // Nearly none is, and what is not told costs nothing.
    ...(request.field !== undefined && { lasting: true }),
  };
}

const sealedBody = (t: TenantTx, answer: StoredAnswer | null, eventSid: string | null): Buffer | null =>
  answer === null || eventSid !== null ? null : t.sealer.seal(answer.body, sealContext(t));

/**
 * Stores the answer with the transaction that earned it. One that an event of this transaction tells word for word is
 * not written a second time: the event outlives the key.
 */
export function keepAnswer(
  t: TenantTx,
  request: KeyedRequest,
  answer: StoredAnswer,
  eventSid: string | null = null,
): void {
  t.atCommit(keyRows, { request, answer, eventSid, owner: null });
}

/** Marks the key as worked on by this process, before anything is called outside. */
export function keepClaim(t: TenantTx, request: KeyedRequest, owner: string): void {
  t.atCommit(keyRows, { request, answer: null, eventSid: null, owner });
}

/** Gives a claimed key back after a refusal, so that a retry runs again. Only the claim of this very request is given back. */
export async function releaseClaim(t: TenantTx, request: KeyedRequest, owner: string): Promise<void> {
  await t.run(sql`
    delete from idempotency_keys
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and subject = ${request.subject}
       and key = ${request.key} and owner = ${owner} and created_at = ${t.now}`);
}

function sealContext(t: TenantTx): string {
  return `answer:${t.accountSid}:${t.livemode}`;
}

/** Neither a subject nor a key has a line break in it. */
const nameOf = (t: TenantTx, { subject, key }: Pick<KeyedRequest, 'subject' | 'key'>) =>
  lockName(t, 'idempotency', subject, key);
