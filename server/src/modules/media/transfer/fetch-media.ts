// Files that have to be fetched first: from a URL somebody named, or from the provider who received them.
import { rm } from 'node:fs/promises';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { OthersNotReady, type TenantJobContext } from '../../../platform/jobs/jobs.ts';
import type { OutboundResult } from '../../../platform/outbound/outbound.ts';
import type { SpooledFile, SpoolWriter } from '../../../platform/spool.ts';
import { maxFileBytes } from '../examine/formats.ts';
import { type Reason, reason } from '../examine/reasons.ts';
import { keepFile, lockFile } from '../files.ts';
import { settleMedia } from '../media.ts';

const maxHops = 3;

/** What cannot be fetched now and may be later. */
export class NotYetFetched extends OthersNotReady {
  readonly reason: Reason;

  constructor(detail: string) {
    super(detail);
    this.reason = reason('FETCH_FAILED', detail);
  }
}

/** What will not become better by asking again. */
export class NeverFetched extends Error {
  readonly reason: Reason;

  constructor(why: Reason) {
    super(why.message);
    this.reason = why;
  }
}

export type Fetched = { file: SpooledFile; servedMime: string | null };
type Pending = { createdAt: string; giveUpMs: number; load(): Promise<Fetched> };
/** What follows once the item has its file, in the same transaction. */
type Next = (t: TenantTx, mediaSid: string) => void;

/** Fetches, keeps, and hands on to the scan; or settles the item when it cannot be had. */
export async function bringIn(
  context: TenantJobContext,
  mediaSid: string,
  { createdAt, giveUpMs, load }: Pending,
  next: Next,
): Promise<void> {
  const { write, now } = context;
  let fetched: Fetched | null = null;
  try {
    fetched = await load();
    const { file, servedMime } = fetched;
    const fileId = await keepFile(context, file);
    await write(async (t) => {
      if (await attach(t, mediaSid, fileId, servedMime)) next(t, mediaSid);
    });
  } catch (error) {
    const waitedMs = now().getTime() - new Date(createdAt).getTime();
    const isOver = error instanceof NeverFetched || (error instanceof NotYetFetched && waitedMs >= giveUpMs);
    if (!isOver) throw error;
    const reasons = [error.reason];
    await write((t) => settleMedia(t, mediaSid, { status: 'REJECTED', mimeType: null, reasons }, null));
  } finally {
    if (fetched) await rm(fetched.file.path, { force: true });
  }
}

/** False when the item was deleted meanwhile. */
async function attach(
  t: TenantTx,
  mediaSid: string,
  fileId: string,
  servedMime: string | null,
): Promise<boolean> {
  const { sizeBytes, sha256 } = await lockFile(t, fileId);
  const attached = await t.run(sql`
    update media set file_id = ${fileId}, size_bytes = ${sizeBytes}, sha256 = ${sha256},
      declared_mime = coalesce(declared_mime, ${servedMime}), updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${mediaSid} and status = 'PENDING'`);
  return attached === 1;
}

/** Follows few redirects, each judged like the first, and cuts off whatever is too long or too slow. */
export async function fetchUrl(
  { ports, site, signal }: TenantJobContext,
  { url, livemode }: { url: string; livemode: boolean },
): Promise<Fetched> {
  const timeoutMs = site.media.fetchSeconds * 1000;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let next = url;
  for (let hops = 0; hops <= maxHops; hops += 1) {
    const writer = await ports.spool.open();
    const result = await ports.outbound.request({
      livemode,
      url: next,
      method: 'GET',
      timeoutMs,
      maxResponseBytes: maxFileBytes,
      sink: (chunk) => writer.write(chunk),
      signal: deadline,
    });
    const redirect = redirectOf(result, next);
    if (redirect === null) return await received(result, writer);
    await writer.discard();
    next = redirect;
  }
  throw new NeverFetched(reason('FETCH_FAILED', `It was redirected more than ${maxHops} times.`));
}

function redirectOf(result: OutboundResult, from: string): string | null {
  if (!result.ok || ![301, 302, 303, 307, 308].includes(result.status)) return null;
  const { location } = result.headers;
  return typeof location === 'string' ? (URL.parse(location, from)?.href ?? null) : null;
}

async function received(result: OutboundResult, writer: SpoolWriter): Promise<Fetched> {
  try {
    refuseBadAnswer(result);
    const type = result.ok ? result.headers['content-type'] : undefined;
    return { file: await writer.end(), servedMime: typeof type === 'string' ? type : null };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

function refuseBadAnswer(result: OutboundResult): void {
  if (!result.ok) {
    if (result.failure === 'blocked') throw new NeverFetched(reason('FETCH_FAILED', result.reason));
    throw new NotYetFetched(result.reason);
  }
  if (result.truncated) throw new NeverFetched(reason('TOO_LARGE', `At most ${maxFileBytes} bytes.`));
  const says = `The host answered ${result.status}.`;
  if (result.status === 200) return;
  const mayPass = result.status >= 500 || result.status === 429 || result.status === 408;
  throw mayPass ? new NotYetFetched(says) : new NeverFetched(reason('FETCH_FAILED', says));
}
