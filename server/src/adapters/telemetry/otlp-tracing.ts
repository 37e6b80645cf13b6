// OpenTelemetry traces by OTLP over HTTP, in JSON. Loaded only where a collector is configured.
import { sha256Hex } from '../../platform/hashing.ts';
import { randomHex } from '../../platform/ids.ts';
import type { Tracing } from '../../platform/observability/tracing.ts';
import { createDelivery, type DeliveryOptions } from './otlp-delivery.ts';

/** The part of traces that is collected, from 0 to 1. */
export type OtlpOptions = DeliveryOptions & { ratio: number };

type Place = { traceId: string; spanId: string };

export function createOtlpTracing({ ratio, ...options }: OtlpOptions): Tracing {
  const delivery = createDelivery(options);
  const isCollected = collecting(ratio);
  return {
    start(name, kind, origin = {}) {
      const { of = null, first = false, caller = null, made = null, startedMs = performance.now() } = origin;
      // A caller may keep its trace out, and cannot force it in: what collecting costs is the operator's to say.
      if (caller?.sampled === false) return null;
      const named = caller === null && of !== null ? placeNamed(of) : null;
      const traceId = caller?.traceId ?? named?.traceId ?? randomHex(16);
      const link = made === null ? null : placeNamed(made);
      if (!isCollected(traceId) && !(link && isCollected(link.traceId))) return null;
      const own = { traceId, spanId: named && first ? named.spanId : randomHex(8) };
      const parentSpanId = caller?.spanId ?? null;
      return {
        end(attributes, error = null) {
          const endedMs = performance.now();
          delivery.add({ ...own, name, kind, parentSpanId, link, startedMs, endedMs, attributes, error });
        },
      };
    },
    stop: () => delivery.stop(),
  };
}

/** The trace of a name, and its first span: everybody who knows the name arrives at the same. */
function placeNamed(name: string): Place {
  const hash = sha256Hex(name);
  return { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48) };
}

/**
 * By the last 56 bits of the trace id, which are random: those above the threshold are in. That is how OpenTelemetry's
 * consistent samplers judge, so that services with one ratio agree about each trace.
 */
function collecting(ratio: number): (traceId: string) => boolean {
  const threshold = (1 - ratio) * 2 ** 56;
  return (traceId) => ratio > 0 && Number.parseInt(traceId.slice(-14), 16) >= threshold;
}
