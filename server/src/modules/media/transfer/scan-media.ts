// The gate every file passes: its content examined, then shown to the scanner. Nothing is READY before both have spoken.
import { createReadStream } from 'node:fs';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { TenantJobContext } from '../../../platform/jobs/jobs.ts';
import { type Claims, examine, type Finding } from '../examine/examine.ts';
import { onlyUnsendable, type Reason, reason } from '../examine/reasons.ts';
import { keyOf, type StoredFile } from '../files.ts';
import { settleMedia, type Verdict } from '../media.ts';
import { scans } from '../metrics.ts';
import { ScannerUnavailable } from '../ports.ts';
import { reachedFrom } from '../states.ts';

// A scanner that restarts or loads new signatures is back within minutes; after an hour somebody must look at it, and
// whoever waits for the file deserves an answer.
const giveUpMs = 60 * 60_000;

type Subject = Claims & StoredFile & { direction: 'INBOUND' | 'OUTBOUND'; startedAt: string };

export async function scanMedia(context: TenantJobContext, mediaSid: string): Promise<void> {
  const { ports, write, now } = context;
  const subject = await write((t) => beginScan(t, mediaSid));
  if (!subject) return;
  const scanner = ports.mediaScanner.name;
  try {
    const verdict = await judge(context, subject);
    await write((t) => settleMedia(t, mediaSid, verdict, scanner));
    scans.inc({ outcome: outcomeOf(verdict) });
  } catch (error) {
    const waitedMs = now().getTime() - new Date(subject.startedAt).getTime();
    scans.inc({ outcome: error instanceof ScannerUnavailable ? 'scanner_unavailable' : 'failed' });
    // Thrown on, the job is tried again: the item stays SCANNING, which nobody can send.
    if (!(error instanceof ScannerUnavailable) || waitedMs < giveUpMs) throw error;
    const reasons = [reason('SCANNER_UNAVAILABLE')];
    await write((t) => settleMedia(t, mediaSid, { status: 'REJECTED', mimeType: null, reasons }, scanner));
  }
}

function outcomeOf(verdict: Verdict): string {
  if (verdict.status === 'READY') return verdict.sendable ? 'ready' : 'unsendable';
  return verdict.reasons.some(({ code }) => code === 'MALWARE') ? 'malware' : 'refused';
}

function beginScan(t: TenantTx, mediaSid: string): Promise<Subject | undefined> {
  return t.maybe<Subject>(sql`
    update media m set status = 'SCANNING', scan_started_at = coalesce(scan_started_at, ${t.now}), updated_at = ${t.now}
      from media_files f
     where m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode} and m.sid = ${mediaSid}
       and m.status = any(${reachedFrom.SCANNING}::text[])
       and f.account_sid = m.account_sid and f.id = m.file_id
    returning m.account_sid as "accountSid", m.livemode, f.id, f.sha256, m.direction,
      m.requested_type as "requestedType", m.declared_mime as "declaredMime", m.filename,
      m.scan_started_at as "startedAt"`);
}

async function judge({ ports }: TenantJobContext, subject: Subject): Promise<Verdict> {
  const { path, release } = await ports.mediaStore.borrow(keyOf(subject));
  try {
    const finding = await examine(path, subject);
    const passed = finding.ok || isOnlyUnsendable(subject, finding.reasons);
    if (!passed) return { status: 'REJECTED', mimeType: finding.mimeType, reasons: finding.reasons };
    const verdict = await ports.mediaScanner.scan(() => createReadStream(path));
    if (verdict.clean) return asReady(finding, subject);
    return {
      status: 'REJECTED',
      mimeType: finding.mimeType,
      reasons: [reason('MALWARE', verdict.signature)],
    };
  } finally {
    await release();
  }
}

/** What was received is there to be fetched, whatever the provider would say of sending it. */
const isOnlyUnsendable = ({ direction }: Subject, reasons: Reason[]) =>
  direction === 'INBOUND' && reasons.every(({ code }) => onlyUnsendable.has(code));

function asReady(finding: Finding, { declaredMime }: Subject): Verdict {
  if (finding.ok) {
    const { type, mimeType, sendable } = finding;
    return { status: 'READY', type, mimeType, sendable, reasons: [] };
  }
  const mimeType = finding.mimeType ?? declaredMime ?? 'application/octet-stream';
  return { status: 'READY', type: 'DOCUMENT', mimeType, sendable: false, reasons: finding.reasons };
}
