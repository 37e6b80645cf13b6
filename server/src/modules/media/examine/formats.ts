// What is taken: which types, under which names, how large.
import type { MediaType } from '../media-types.ts';

type Format = {
  type: MediaType;
  maxBytes: number;
  extensions: readonly string[];
  alsoCalled?: readonly string[];
  /** Taken to be imported: the provider knows no such type, so that it can never be sent. */
  unsendable?: true;
};

const KiB = 1024;
const MiB = 1024 * KiB;

/** No file of any type may be larger. */
export const maxFileBytes = 100 * MiB;
/** More is not decoded, whatever the file says of itself. */
export const maxPixels = 50_000_000;
export const stickerPixels = 512;
export const maxStaticStickerBytes = 100 * KiB;

const image = { type: 'IMAGE', maxBytes: 5 * MiB } as const;
const audio = { type: 'AUDIO', maxBytes: 16 * MiB } as const;
const video = { type: 'VIDEO', maxBytes: 16 * MiB } as const;
const document = { type: 'DOCUMENT', maxBytes: maxFileBytes } as const;
const openXml = 'application/vnd.openxmlformats-officedocument';

const ndjsonNames = [
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/x-jsonl',
  'application/jsonlines',
  'application/x-jsonlines',
];

export const formats = {
  'image/jpeg': {
    ...image,
    extensions: ['jpg', 'jpeg', 'jpe', 'jfif'],
    alsoCalled: ['image/jpg', 'image/pjpeg'],
  },
  'image/png': { ...image, extensions: ['png'], alsoCalled: ['image/x-png'] },
  'image/webp': { type: 'STICKER', maxBytes: 500 * KiB, extensions: ['webp'] },
  'audio/aac': { ...audio, extensions: ['aac', 'adts'], alsoCalled: ['audio/aacp', 'audio/x-aac'] },
  'audio/amr': { ...audio, extensions: ['amr', '3ga'], alsoCalled: ['audio/amr-nb'] },
  'audio/mpeg': { ...audio, extensions: ['mp3', 'mpga', 'mpeg'], alsoCalled: ['audio/mp3', 'audio/x-mpeg'] },
  'audio/mp4': {
    ...audio,
    extensions: ['m4a', 'mp4', 'm4b'],
    alsoCalled: ['audio/m4a', 'audio/x-m4a', 'video/mp4'],
  },
  'audio/ogg': {
    ...audio,
    extensions: ['ogg', 'oga', 'opus'],
    alsoCalled: ['audio/opus', 'application/ogg'],
  },
  'video/mp4': { ...video, extensions: ['mp4', 'm4v'], alsoCalled: ['video/x-m4v'] },
  'video/3gpp': { ...video, extensions: ['3gp', '3gpp'], alsoCalled: ['video/3gp'] },
  // Also the tables people bring to be imported: to the provider they are text like any other.
  'text/plain': {
    ...document,
    extensions: ['txt', 'csv', 'tsv', 'log', 'md', 'text'],
    alsoCalled: ['text/csv', 'text/tab-separated-values', 'text/markdown'],
  },
  'application/x-ndjson': {
    ...document,
    extensions: ['ndjson', 'jsonl'],
    alsoCalled: [...ndjsonNames, 'application/json', 'text/plain'],
    unsendable: true,
  },
  'application/pdf': { ...document, extensions: ['pdf'], alsoCalled: ['application/x-pdf'] },
  'application/msword': { ...document, extensions: ['doc', 'dot'] },
  'application/vnd.ms-excel': { ...document, extensions: ['xls', 'xlt'] },
  'application/vnd.ms-powerpoint': { ...document, extensions: ['ppt', 'pps', 'pot'] },
  [`${openXml}.wordprocessingml.document`]: { ...document, extensions: ['docx'] },
  [`${openXml}.spreadsheetml.sheet`]: { ...document, extensions: ['xlsx'] },
  [`${openXml}.presentationml.presentation`]: { ...document, extensions: ['pptx'] },
} satisfies Record<string, Format>;

export const formatOf = (mimeType: string): Format => (formats as Record<string, Format>)[mimeType]!;

/** A declaration that says nothing: what tools send for a file they do not know. */
const silent = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'application/x-download']);

/** Whether what somebody said of a file can be meant of this type. */
export function declares(declared: string | null, mimeType: string): boolean {
  const said = saidOf(declared);
  return silent.has(said) || said === mimeType || (formatOf(mimeType).alsoCalled ?? []).includes(said);
}

const saidOf = (declared: string | null) => (declared ?? '').split(';')[0]!.trim().toLowerCase();

const extensionOf = (filename: string | null): string | undefined =>
  /\.([^.]*)$/
    .exec(filename ?? '')?.[1]
    ?.trim()
    .toLowerCase();

/** Lines of JSON are text too. Whoever means them to be imported says so, by the name of the file or by its type. */
export const saysNdjson = (declared: string | null, filename: string | null): boolean =>
  ndjsonNames.includes(saidOf(declared)) ||
  formats['application/x-ndjson'].extensions.includes(extensionOf(filename) ?? '');

export function extensionFits(filename: string | null, mimeType: string): boolean {
  const extension = extensionOf(filename);
  return extension === undefined || formatOf(mimeType).extensions.includes(extension);
}
