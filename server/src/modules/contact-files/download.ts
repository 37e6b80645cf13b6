// A stored file, sent part by part.
import { StreamedAnswer, type Streaming } from '../../platform/http/operations/operation.ts';
import { type FileKind, readFile, requireFile } from './files.ts';

const types = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' };

export async function download(call: Streaming, operationSid: string, kind: Exclude<FileKind, 'source'>) {
  const { format } = await call.read((t) => requireFile(t, operationSid, kind));
  const name = kind === 'export' ? `contacts.${format}` : `refused-rows.${format}`;
  return new StreamedAnswer(types[format], piecesOf(call, operationSid, kind), attachment(name));
}

/** The headers of what is saved under a name of ours, and neither shown nor kept on its way. */
export const attachment = (name: string) => ({
  'content-disposition': `attachment; filename="${name}"`,
  'x-content-type-options': 'nosniff',
  'content-security-policy': 'sandbox',
  'cache-control': 'no-store',
});

async function* piecesOf(call: Streaming, operationSid: string, kind: FileKind): AsyncGenerator<Buffer> {
  for await (const piece of readFile(call, operationSid, kind)) {
    if (call.signal.aborted) return;
    yield piece;
  }
}
