// A copy as it is kept until somebody fetches it: pages of what stores hold of the person, each sealed by itself.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';

export type NewPart = { position: number; store: string; entries: object[]; files: string[] };

const contextOf = ({ accountSid, livemode }: TenantTx, requestSid: string, position: number) =>
  `privacy copy:${accountSid}:${livemode}:${requestSid}:${position}`;

const own = (t: TenantTx, requestSid: string) =>
  sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and request_sid = ${requestSid}`;

export async function addPart(t: TenantTx, requestSid: string, part: NewPart): Promise<void> {
  const { position, store, entries, files } = part;
  const body = Buffer.from(entries.map((entry) => JSON.stringify(entry)).join(',\n'));
  const sealed = t.sealer.seal(body, contextOf(t, requestSid, position));
  await t.run(sql`
    insert into privacy_copy_parts (account_sid, livemode, request_sid, position, store, entries, size_bytes, media_sids, body)
    values (${t.accountSid}, ${t.livemode}, ${requestSid}, ${position}, ${store}, ${entries.length}, ${body.length}, ${files}::text[],
      ${sealed})`);
}

export type StoreSize = { store: string; entries: number; sizeBytes: number };

/** What the copy has of each store. */
export const sizesOf = (t: TenantTx, requestSid: string): Promise<StoreSize[]> =>
  t.many<StoreSize>(sql`
    select store, sum(entries)::float8 as entries, sum(size_bytes)::float8 as "sizeBytes" from privacy_copy_parts
     where ${own(t, requestSid)} group by store order by min(position)`);

export type Part = { position: number; text: string; files: string[] };

export async function nextPart(
  t: TenantTx,
  requestSid: string,
  store: string,
  after: number,
): Promise<Part | null> {
  const row = await t.maybe<{ position: number; files: string[]; body: Buffer }>(sql`
    select position, media_sids as files, body from privacy_copy_parts
     where ${own(t, requestSid)} and store = ${store} and position > ${after} order by position limit 1`);
  if (!row) return null;
  const { position, files, body } = row;
  return { position, files, text: t.sealer.open(body, contextOf(t, requestSid, position)).toString() };
}

/** Removes some parts of what was copied for these requests; tells how many. */
export const removeParts = (t: TenantTx, requestSids: readonly string[], limit: number): Promise<number> =>
  t.run(sql`
    delete from privacy_copy_parts
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and (request_sid, position) in (
       select request_sid, position from privacy_copy_parts
        where account_sid = ${t.accountSid} and livemode = ${t.livemode} and request_sid = any (${[...requestSids]}::text[])
        limit ${limit})`);
