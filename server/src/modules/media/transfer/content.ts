// The bytes of a READY item, for its owner. Whoever opens the answer in a browser gets a file, never a page of ours.
import {
  Answer,
  type AnyInput,
  type Outside,
  StreamedAnswer,
} from '../../../platform/http/operations/operation.ts';
import { downloads } from '../metrics.ts';
import { type ReadyMedia, requireReadyMedia } from './ready-media.ts';

type Range = { start: number; end: number };

export async function sendContent(
  call: Outside,
  { params, header }: AnyInput,
): Promise<Answer | StreamedAnswer> {
  const media = await call.read((t) => requireReadyMedia(t, params.mediaSid));
  const etag = `"${media.sha256}"`;
  const headers = { ...headersOf(media), etag };
  if (namesTag(header('if-none-match'), etag)) {
    downloads.inc({ answer: 'unchanged' });
    return new Answer(304, null, { etag });
  }
  const range = rangeOf(header, etag, media.sizeBytes);
  downloads.inc({ answer: range === null ? 'whole' : range === 'unsatisfiable' ? range : 'part' });
  if (range === 'unsatisfiable') {
    return new Answer(416, null, { 'content-range': `bytes */${media.sizeBytes}` });
  }
  const { start, end } = range ?? { start: 0, end: media.sizeBytes - 1 };
  const pieces = async function* () {
    yield* await call.ports.mediaStore.open(media.key, range ?? undefined);
  };
  const length = { 'content-length': String(end - start + 1) };
  const type = contentTypeOf(media);
  if (!range) return new StreamedAnswer(type, pieces(), { ...headers, ...length });
  const place = { 'content-range': `bytes ${start}-${end}/${media.sizeBytes}` };
  return new StreamedAnswer(type, pieces(), { ...headers, ...length, ...place }, 206);
}

/** A type nobody has judged, such as that of a received file, is not repeated to a browser. */
function contentTypeOf({ mimeType, sendable }: ReadyMedia): string {
  if (!sendable) return 'application/octet-stream';
  return mimeType === 'text/plain' ? 'text/plain; charset=utf-8' : mimeType;
}

function headersOf({ filename, sid }: ReadyMedia): Record<string, string> {
  return {
    'content-disposition': disposition(filename ?? sid),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
  };
}

/** The name twice, by RFC 6266: in ASCII for old clients, in full for the rest. */
function disposition(filename: string): string {
  const plain = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const full = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${full}`;
}

const namesTag = (given: string | undefined, etag: string) =>
  given?.split(',').some((tag) => [etag, `W/${etag}`, '*'].includes(tag.trim())) ?? false;

/** One range is served; several, or what cannot be read, gets the whole, as RFC 9110 allows. */
function rangeOf(header: AnyInput['header'], etag: string, size: number): Range | 'unsatisfiable' | null {
  const form = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header('range')?.trim() ?? '');
  const condition = header('if-range');
  if (!form || (form[1] === '' && form[2] === '')) return null;
  if (condition !== undefined && condition.trim() !== etag) return null;
  const [first, last] = [form[1]!, form[2]!];
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return null;
  return start >= size ? 'unsatisfiable' : { start, end };
}
