// Spans in OTLP's JSON form: ids as hexadecimal text, times as nanoseconds in text, kinds and statuses as numbers.
import type { SpanAttributes, SpanKind } from '../../platform/observability/tracing.ts';

export type RecordedSpan = {
  name: string;
  kind: SpanKind;
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  link: { traceId: string; spanId: string } | null;
  /** Both by `performance.now()`. */
  startedMs: number;
  endedMs: number;
  attributes: SpanAttributes;
  error: string | null;
};

export type Resource = Record<string, string>;

type Value = string | number | boolean;

const kinds: Record<SpanKind, number> = { internal: 1, server: 2, client: 3, consumer: 5 };
const statusError = 2;
// Codes and SIDs are far shorter: whatever is longer is not one of them.
const maxValueLength = 128;

/** `epochMs` is what to add to `performance.now()` for the time of day. */
export function encodeSpans(spans: RecordedSpan[], resource: Resource, epochMs: number): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'godwit' }, spans: spans.map((span) => encode(span, epochMs)) }],
      },
    ],
  });
}

function encode(span: RecordedSpan, epochMs: number) {
  const { name, kind, traceId, spanId, parentSpanId, link, attributes, error } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId && { parentSpanId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanosOf(epochMs + span.startedMs),
    endTimeUnixNano: nanosOf(epochMs + span.endedMs),
    attributes: attributesOf(error === null ? attributes : { ...attributes, 'error.type': error }),
    ...(link && { links: [link] }),
    status: error === null ? {} : { code: statusError },
  };
}

const attributesOf = (attributes: object) =>
  Object.entries(attributes)
    .filter((entry): entry is [string, Value] => entry[1] !== null && entry[1] !== undefined)
    .map(([key, value]) => ({ key, value: encodeValue(value) }));

function encodeValue(value: Value) {
  if (typeof value === 'string') return { stringValue: value.slice(0, maxValueLength) };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** A number holds no nanoseconds since 1970; its whole and broken milliseconds are written one after the other. */
function nanosOf(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, '0')}`;
}
