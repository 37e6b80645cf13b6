// The few queues that jobs are too slow for. A module brings a loop; every worker process runs it, turn after turn:
// claim what is due in one statement with `for update skip locked`, work on it, write down how it ended.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Metrics } from '../observability/metrics.ts';
import type { Tracing } from '../observability/tracing.ts';
import type { Site } from '../ports.ts';
import type { JobContext } from './jobs.ts';

/** What a loop may use: what a job may, and what tells of it. */
export type LoopContext = Omit<JobContext, 'site'> & {
  /** Asked for when it is needed: a loop begins before the API knows its port. */
  site: () => Site;
  metrics: Metrics;
  tracing: Tracing;
};

export type Loop = {
  name: string;
  /** How long to rest when a turn found nothing to do; the delay a new piece of work may meet. */
  idleMs: number;
  begin(context: LoopContext): Turns;
};

export type Turns = {
  /** One turn. True when there may be more to do at once. Throwing costs a rest, nothing else. */
  turn(): Promise<boolean>;
  /** Lets what is under way end. No turn follows. */
  end?(): Promise<void>;
};

export type RunningLoop = { stop(): Promise<void> };

const longestRestMs = 2_000;

/** Runs a loop until it is stopped. A turn that fails is told and tried again, after a rest that grows. */
export function startLoop(loop: Loop, context: Omit<LoopContext, 'signal'>): RunningLoop {
  const stopping = new AbortController();
  const { signal } = stopping;
  const turns = loop.begin({ ...context, signal });
  const rest = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {}); // being stopped ends a rest
  const run = async () => {
    for (let failures = 0; !signal.aborted; ) {
      try {
        const more = await turns.turn();
        failures = 0;
        if (!more) await rest(loop.idleMs);
      } catch (error) {
        failures += 1;
        context.log.warn({ err: error, loop: loop.name }, 'a turn failed');
        await rest(Math.min(loop.idleMs * 2 ** failures, longestRestMs));
      }
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
      await turns.end?.();
    },
  };
}
