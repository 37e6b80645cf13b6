// Begins an import: a small file goes with the request, a larger one is uploaded first.
import type { Godwit, ImportContactsRequest, Media, Operation } from '@godwit/sdk';

/** What a request carries beside its other fields. */
const mostInline = 900_000;
// A hundred megabytes over a slow line take a while.
const patience = { attemptMs: 600_000, totalMs: 600_000 };
const againMs = 500;

export type Import = { file: File; defaultCountry?: string; dryRun: boolean };

/** Why a file was not taken, in the service's own words. */
export class FileRefused extends Error {}

const formatOf = ({ name }: File) => (/\.(ndjson|jsonl)$/i.test(name) ? 'ndjson' : 'csv');

export async function startImport(
  api: Godwit,
  { file, ...settings }: Import,
  signal: AbortSignal,
): Promise<Operation> {
  const request: ImportContactsRequest = { format: formatOf(file), ...settings };
  // No text has more characters than bytes.
  if (file.size <= mostInline) return api.contactFiles.import({ ...request, content: await file.text() });
  const { sid } = await api.media.create({ file, type: 'DOCUMENT' }, { patience, signal });
  await examined(api, sid, signal);
  return api.contactFiles.import({ ...request, mediaSid: sid }, { signal });
}

/** Until it can be read. A page that was left asks no more. */
async function examined(api: Godwit, sid: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { status, scan }: Media = await api.media.get(sid, { signal });
    if (status === 'READY') return;
    if (status !== 'PENDING' && status !== 'SCANNING')
      throw new FileRefused(scan.reasons.map(({ message }) => message).join(' ') || status);
    await new Promise((resolve) => setTimeout(resolve, againMs));
    signal.throwIfAborted();
  }
}
