// Why a file is not taken, in words fit for whoever sent it.

const sentences = {
  EMPTY: 'The file is empty.',
  TOO_LARGE: 'The file is larger than the provider takes for its type.',
  UNSUPPORTED_TYPE: 'The content is of no type that can be sent.',
  TYPE_MISMATCH: 'The content is not of the declared type.',
  EXTENSION_MISMATCH: 'The file name ends as another type than the content is.',
  CORRUPT: 'The file is damaged or incomplete.',
  POLYGLOT: 'The file can be read as more than one type.',
  TOO_MANY_PIXELS: 'The image has more pixels than may be decoded.',
  UNSUPPORTED_FORM: 'The type is right, but not the form of it the provider takes.',
  DECOMPRESSION_BOMB: 'The file unpacks to far more than its size.',
  MACROS: 'The document holds macros.',
  MALWARE: 'The scanner found malware.',
  SCANNER_UNAVAILABLE: 'The scanner could not be asked, and nothing is taken unscanned.',
  SCAN_FAILED: 'The file could not be examined to the end.',
  FETCH_FAILED: 'The file could not be fetched.',
} as const;

export type ReasonCode = keyof typeof sentences;
export const reasonCodes = Object.keys(sentences) as ReasonCode[];

export type Reason = { code: ReasonCode; message: string };

/** `detail` may only say what the sender of the file already knows. */
export const reason = (code: ReasonCode, detail?: string): Reason => ({
  code,
  message: detail ? `${sentences[code]} ${detail}` : sentences[code],
});

/** The way out of an examination that has seen enough. */
export class Refusal extends Error {
  readonly reason: Reason;

  constructor(code: ReasonCode, detail?: string) {
    super(code);
    this.reason = reason(code, detail);
  }
}

/** A received file with only these faults does no harm to whoever opens it; it just cannot be sent on. */
export const onlyUnsendable: ReadonlySet<ReasonCode> = new Set([
  'TOO_LARGE',
  'UNSUPPORTED_TYPE',
  'UNSUPPORTED_FORM',
  'TYPE_MISMATCH',
  'EXTENSION_MISMATCH',
]);
