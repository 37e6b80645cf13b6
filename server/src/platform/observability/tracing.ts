// Traces, for operators who collect them. A feature tells of a piece of work when it begins and when it ends; where nothing
// is collected, or this piece is not among those that are, there is no span, and `span?.end(…)` costs nothing.

/** `server` answers somebody, `client` calls outside, `consumer` works on what was queued. */
export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';

/**
 * Everything a span may tell: SIDs, codes, counts and durations, never content, names, addresses or numbers of people, and
 * no text that somebody else wrote. The list is closed, so that each addition is a decision; a feature adds its own in the
 * file that uses them:
 *
 *     declare module '../../platform/tracing.ts' {
 *       interface SpanAttributes { 'godwit.message'?: string }
 *     }
 */
export interface SpanAttributes {
  'http.request.method'?: string;
  'http.response.status_code'?: number | null;
  'http.route'?: string | undefined;
  'url.scheme'?: string;
  'network.protocol.version'?: string;
  'godwit.operation'?: string;
  'godwit.account'?: string | null;
  'godwit.livemode'?: boolean | null;
  'godwit.request_id'?: string | null;
  /** The code an API request was refused with. */
  'godwit.error_code'?: string | null;
  /** The SID of what a request made. */
  'godwit.created'?: string | null;
  'godwit.job'?: string;
  /** Which try it was, beginning with 1. */
  'godwit.attempt'?: number | null;
}

export type Span = {
  /** With an error, a code from a short list, the span's status is error. Attributes that are null are left out. */
  end(attributes: SpanAttributes, error?: string | null): void;
};

export type SpanOrigin = {
  /**
   * A request id or SID the trace belongs to. The same name gives the same trace, and the same verdict whether it is
   * collected, in every process: the tries of one delivery stand together, and a job with the request that queued it.
   */
  of?: string | null;
  /** The first piece of work on what `of` names: the one a request that made it is linked to. */
  first?: boolean;
  /** A caller's own trace, continued in place of one of ours. */
  caller?: TraceContext | null;
  /** The SID of something made, which has a trace of its own: linked, and collected when that is. */
  made?: string | null;
  /** When it began, by `performance.now()`; now, unless told. */
  startedMs?: number;
};

export type Tracing = {
  /** Null when nothing of it is collected. */
  start(name: string, kind: SpanKind, origin?: SpanOrigin): Span | null;
  /** Hands over what is left, within a few seconds, and collects nothing more. */
  stop(): Promise<void>;
};

export const noTracing: Tracing = { start: () => null, stop: async () => {} };

/** A place in a trace, as W3C Trace Context passes it on. */
export type TraceContext = { traceId: string; spanId: string; sampled: boolean };

const traceparentForm = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const onlyZeros = /^0+$/;

/** Reads a `traceparent` header. One that is malformed counts as absent, as the standard asks. */
export function readTraceparent(header: string | string[] | undefined): TraceContext | null {
  const parts = typeof header === 'string' ? traceparentForm.exec(header) : null;
  if (!parts) return null;
  const [, version, traceId, spanId, flags, more] = parts as unknown as [string, ...string[]];
  // Later versions may say more; the present one may not, and ff is none.
  if (version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (onlyZeros.test(traceId!) || onlyZeros.test(spanId!)) return null;
  return { traceId: traceId!, spanId: spanId!, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}

const codeForm = /^\w{1,64}$/;

/** What may be told of something thrown: its code or its class. Messages hold whatever was being worked on. */
export function errorTypeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  for (const known of [code, name]) if (typeof known === 'string' && codeForm.test(known)) return known;
  return 'Error';
}
