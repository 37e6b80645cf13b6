// Connects a collector of traces, where one is configured. What speaks to it is loaded only then.

import type { Log } from '../../platform/observability/logging.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { noTracing, type Tracing } from '../../platform/observability/tracing.ts';
import type { Config } from '../settings.ts';

type TracingParts = { config: Config; processId: string; role: string; metrics: Metrics; log: Log };

export async function connectTracing(parts: TracingParts): Promise<Tracing> {
  const { config, processId, role, metrics, log } = parts;
  const url = tracesUrl(config);
  if (url === null) return noTracing;
  const { createOtlpTracing } = await import('../../adapters/telemetry/otlp-tracing.ts');
  return createOtlpTracing({
    url,
    headers: config.otlpHeaders,
    ratio: config.tracesRatio,
    resource: {
      'service.name': config.otelServiceName,
      'service.instance.id': processId,
      'godwit.role': role,
      'godwit.region': config.region,
    },
    registry: metrics.registry,
    log,
  });
}

function tracesUrl({ otlpTracesEndpoint, otlpEndpoint }: Config): string | null {
  if (otlpTracesEndpoint !== null || otlpEndpoint === null) return otlpTracesEndpoint;
  const url = new URL(otlpEndpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url.href;
}
