// The files of an operation, in sealed parts. A part is written in the transaction of what it tells of.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { Format } from './schema.ts';

export type FileKind = 'source' | 'errors' | 'export';

const keptMs = 7 * 24 * 60 * 60 * 1000;
const partBytes = 256 * 1024;

type Place = { accountSid: string; livemode: boolean };
const contextOf = ({ accountSid, livemode }: Place, operationSid: string, kind: FileKind) =>
  `contact file:${accountSid}:${livemode}:${operationSid}:${kind}`;

export async function createFile(
  t: TenantTx,
  operationSid: string,
  kind: FileKind,
  format: Format,
): Promise<void> {
  await t.run(sql`
    insert into contact_files (account_sid, livemode, operation_sid, kind, format, created_at, expires_at)
    values (${t.accountSid}, ${t.livemode}, ${operationSid}, ${kind}, ${format}, ${t.now},
      ${new Date(t.now.getTime() + keptMs)})
    on conflict do nothing`);
}

export async function appendPart(
  t: TenantTx,
  operationSid: string,
  kind: FileKind,
  position: number,
  body: Buffer,
): Promise<void> {
  const sealed = t.sealer.seal(body, contextOf(t, operationSid, kind));
  await t.run(sql`
    insert into contact_file_parts (account_sid, livemode, operation_sid, kind, position, size_bytes, body)
    values (${t.accountSid}, ${t.livemode}, ${operationSid}, ${kind}, ${position}, ${body.length}, ${sealed})
    on conflict do nothing`); // work that begins anew writes the same again
}

/** Stores a whole text, in parts of a size that is read in one piece. */
export async function storeWhole(
  t: TenantTx,
  operationSid: string,
  kind: FileKind,
  format: Format,
  body: Buffer,
): Promise<void> {
  await createFile(t, operationSid, kind, format);
  for (let at = 0; at < body.length; at += partBytes) {
    await appendPart(t, operationSid, kind, at, body.subarray(at, at + partBytes));
  }
}

export type StoredFile = { format: Format; expiresAt: string };

export async function findFile(
  t: TenantTx,
  operationSid: string,
  kind: FileKind,
): Promise<StoredFile | null> {
  const row = await t.maybe<StoredFile>(sql`
    select format, expires_at as "expiresAt" from contact_files
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and operation_sid = ${operationSid}
       and kind = ${kind} and expires_at > ${t.now}`);
  return row ?? null;
}

export async function requireFile(t: TenantTx, operationSid: string, kind: FileKind): Promise<StoredFile> {
  const file = await findFile(t, operationSid, kind);
  if (!file) throw new ApiError('NOT_FOUND');
  return file;
}

type Reader = { read<T>(work: (t: TenantTx) => Promise<T>): Promise<T> };
type Part = { position: number; sizeBytes: number; body: Buffer };

/** The bytes of a file from one on, part by part. */
export async function* readFile(
  { read }: Reader,
  operationSid: string,
  kind: FileKind,
  fromByte = 0,
): AsyncGenerator<Buffer> {
  let skip = fromByte;
  for (let after = -1; ; ) {
    const part = await read((t) => nextPart(t, operationSid, kind, after));
    if (!part) return;
    after = part.position;
    if (skip < part.sizeBytes) yield part.text.subarray(skip);
    skip = Math.max(0, skip - part.sizeBytes);
  }
}

async function nextPart(t: TenantTx, operationSid: string, kind: FileKind, after: number) {
  const part = await t.maybe<Part>(sql`
    select position::double precision as position, size_bytes as "sizeBytes", body from contact_file_parts
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and operation_sid = ${operationSid}
       and kind = ${kind} and position > ${after}
     order by position limit 1`);
  return part && { ...part, text: t.sealer.open(part.body, contextOf(t, operationSid, kind)) };
}
