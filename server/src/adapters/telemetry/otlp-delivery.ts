// Spans on their way to the collector: a bounded queue, one batch under way at a time. A collector that is slow, down or
// wrong costs spans, which are counted, and one warning a minute; never a request's time.
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, type Registry } from 'prom-client';
import { Agent } from 'undici';
import { systemClock } from '../../platform/clock.ts';
import type { Log } from '../../platform/observability/logging.ts';
import { encodeSpans, type RecordedSpan, type Resource } from './otlp-json.ts';

export type DeliveryOptions = {
  url: string;
  headers: Record<string, string>;
  resource: Resource;
  registry: Registry;
  log: Log;
  /** Shorter ones, for tests. */
  timing?: Partial<Timing>;
};

export type Timing = {
  /** How long spans gather before they are sent. */
  gatherMs: number;
  /** How long the collector may take to answer. */
  answerMs: number;
  /** The first rest after a failure; each further one is twice as long. */
  restMs: number;
  warnEveryMs: number;
  /** How long stopping may take, well inside the limit of the whole process. */
  flushMs: number;
};

const usualTiming: Timing = {
  gatherMs: 1_000,
  answerMs: 10_000,
  restMs: 1_000,
  warnEveryMs: 60_000,
  flushMs: 3_000,
};

// Writing a batch down takes the process some 2 ms, which is as long as requests should wait for it.
const mostInBatch = 512;
/** Some seconds of everything a busy process does; about 10 MB. */
export const mostWaiting = 8_192;
const mostTries = 5;
const longestRestMs = 30_000;
const maxAnswerBytes = 64 * 1024;

type End = { kind: 'taken'; rejected: number } | { kind: 'refused' | 'passing'; why: string };

export type Delivery = { add(span: RecordedSpan): void; stop(): Promise<void> };

export function createDelivery(options: DeliveryOptions): Delivery {
  const { log } = options;
  const timing = { ...usualTiming, ...options.timing };
  const counted = countersOf(options.registry);
  const send = createSender(options, timing.answerMs);
  const waiting: RecordedSpan[] = [];
  const stopping = new AbortController();
  let wake: (() => void) | null = null;
  let working: Promise<void> | null = null;
  let lostSinceTold = 0;
  let toldMs = Number.NEGATIVE_INFINITY;

  function lose(count: number, reason: 'full' | 'refused' | 'unreachable' | 'stopped'): void {
    counted.dropped.inc({ reason }, count);
    lostSinceTold += count;
  }

  /** `why` is ours or a status: what a collector answers is not repeated. */
  function tell(why: string): void {
    if (performance.now() - toldMs < timing.warnEveryMs) return;
    toldMs = performance.now();
    log.warn({ part: 'traces', why, dropped: lostSinceTold }, 'traces cannot be handed to the collector');
    lostSinceTold = 0;
  }

  const rest = (ms: number) => sleep(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => {}); // being stopped ends a rest

  /** Until the collector has taken it, refused it, or failed too often. */
  async function deliver(batch: RecordedSpan[]): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const end = await send(batch);
      if (end.kind === 'taken') {
        counted.exported.inc(batch.length - end.rejected);
        if (end.rejected === 0) return;
        lose(end.rejected, 'refused');
        return tell('the collector refused some spans');
      }
      const again = end.kind === 'passing' && tries < mostTries && !stopping.signal.aborted;
      if (!again) lose(batch.length, end.kind === 'refused' ? 'refused' : 'unreachable');
      tell(end.why);
      if (!again) return;
      await rest(Math.min(timing.restMs * 2 ** (tries - 1), longestRestMs));
    }
  }

  /** Lets spans gather, and begins at once when a batch is full or nobody will add any more. */
  async function gather(): Promise<void> {
    if (waiting.length >= mostInBatch || stopping.signal.aborted) return;
    const full = new Promise<void>((done) => {
      wake = done;
    });
    await Promise.race([full, rest(timing.gatherMs)]);
    wake = null;
  }

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      await gather();
      await deliver(waiting.splice(0, mostInBatch));
    }
    working = null;
  }

  return {
    add(span) {
      if (stopping.signal.aborted) return lose(1, 'stopped');
      if (waiting.length >= mostWaiting) {
        lose(1, 'full');
        return tell('spans come faster than it takes them');
      }
      waiting.push(span);
      if (waiting.length >= mostInBatch) wake?.();
      working ??= work();
    },
    async stop() {
      stopping.abort();
      await Promise.race([working, sleep(timing.flushMs, undefined, { ref: false })]);
      lose(waiting.splice(0).length, 'stopped');
      await send.close();
    },
  };
}

function countersOf(registry: Registry) {
  const registers = [registry];
  return {
    exported: new Counter({
      name: 'godwit_trace_spans_exported_total',
      help: 'Spans the collector has taken',
      registers,
    }),
    dropped: new Counter({
      name: 'godwit_trace_spans_dropped_total',
      help: 'Spans that were lost: the queue was full, the collector refused them or could not be reached, or the process stopped',
      labelNames: ['reason'] as const,
      registers,
    }),
  };
}

const passingStatuses = new Set([429, 502, 503, 504]);

function createSender({ url, headers, resource }: DeliveryOptions, answerMs: number) {
  const agent = new Agent({ connections: 1, connect: { timeout: answerMs } });
  const { origin, pathname, search } = new URL(url);
  const ask = async (batch: RecordedSpan[]): Promise<End> => {
    const epochMs = systemClock.now().getTime() - performance.now();
    const answer = await agent.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: encodeSpans(batch, resource, epochMs),
      signal: AbortSignal.timeout(answerMs),
    });
    const { statusCode } = answer;
    if (statusCode >= 200 && statusCode < 300) {
      return { kind: 'taken', rejected: Math.min(rejectedIn(await beginningOf(answer.body)), batch.length) };
    }
    await answer.body.dump({ limit: maxAnswerBytes });
    const kind = passingStatuses.has(statusCode) ? 'passing' : 'refused';
    return { kind, why: `the collector answered ${statusCode}` };
  };
  const send = (batch: RecordedSpan[]): Promise<End> =>
    ask(batch).catch((error: NodeJS.ErrnoException) => ({
      kind: 'passing',
      why: `the collector cannot be reached (${error.code ?? error.name})`,
    }));
  return Object.assign(send, { close: () => agent.destroy() });
}

/** An answer that is too long to be one is not read to its end. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxAnswerBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A collector may take some spans of a batch and refuse others. */
function rejectedIn(answer: string): number {
  try {
    const count = Number(JSON.parse(answer)?.partialSuccess?.rejectedSpans ?? 0);
    return Number.isInteger(count) && count > 0 ? count : 0;
  } catch {
    return 0; // it took the batch, whatever else it said
  }
}
