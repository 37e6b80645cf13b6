// What can come back instead of an answer: a refusal with a code, or nothing at all.
import type { ErrorCode } from '../words/error-codes.ts';
import type { Other } from '../words/other.ts';

export type ErrorDetail = { path: string; issue: string };

/** An error as the service writes it. Codes and fields that this version of the SDK does not know pass as they are. */
export type Refusal = {
  code: ErrorCode | Other;
  type: string;
  message: string;
  retryable: boolean;
  retryAfterSeconds: number | null;
  docUrl: string;
  requestId?: string;
  providerCode?: number;
  details?: ErrorDetail[];
};

/** What was asked, for whoever reads the log or wants to ask again. */
export type Asked = {
  method: string;
  path: string;
  /** Under which the request can be repeated, later and from elsewhere, without a second effect. */
  idempotencyKey: string | null;
  attempts: number;
};

/** The service refused. `is` asks for a code: `if (error.is('SERVICE_WINDOW_CLOSED')) …`. */
export class GodwitError extends Error {
  override readonly name = 'GodwitError';
  readonly status: number;
  readonly code: ErrorCode | Other;
  readonly type: string;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | null;
  readonly docUrl: string;
  readonly requestId: string | null;
  /** The provider's own code, where it refused. */
  readonly providerCode: number | null;
  /** What is wrong with the input, and where. */
  readonly details: ErrorDetail[];
  readonly asked: Asked;
  /** The error as it came, with whatever else stands in it. */
  readonly body: Refusal;

  constructor(status: number, refusal: Refusal, asked: Asked) {
    const { code, message, details = [] } = refusal;
    const places = details.map(({ path, issue }) => `${path} ${issue}`).join('; ');
    super(`${code}: ${message}${places && ` (${places})`}`);
    this.status = status;
    this.code = code;
    this.type = refusal.type;
    this.retryable = refusal.retryable;
    this.retryAfterSeconds = refusal.retryAfterSeconds ?? null;
    this.docUrl = refusal.docUrl;
    this.requestId = refusal.requestId ?? null;
    this.providerCode = refusal.providerCode ?? null;
    this.details = details;
    this.asked = asked;
    this.body = refusal;
  }

  is(...codes: (ErrorCode | Other)[]): boolean {
    return codes.includes(this.code);
  }
}

/**
 * No answer of the service came, at any attempt. What was asked may have been done: ask again with the same
 * `asked.idempotencyKey` to find out without doing it twice.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly asked: Asked;
  /** False where something answered that is not the service: asking again would lead to the same. */
  readonly mayPass: boolean;

  constructor(
    reason: string,
    asked: Asked,
    { mayPass = true, cause }: { mayPass?: boolean; cause?: unknown },
  ) {
    super(`${asked.method} ${asked.path}: ${reason}`, { cause });
    this.asked = asked;
    this.mayPass = mayPass;
  }
}

/** The error in the body of an answer; null where something else wrote it, such as a proxy on the way. */
export function refusalIn(text: string): Refusal | null {
  try {
    const { error } = JSON.parse(text) as { error?: Partial<Refusal> };
    return typeof error?.code === 'string' && typeof error.retryable === 'boolean'
      ? (error as Refusal)
      : null;
  } catch {
    return null;
  }
}
