// The few queues that jobs are too slow for. A module brings a loop; every worker process runs it, turn after turn:
// claim what is due in one statement with `for update skip locked`, work on it, write down how it ended.
//
// Between turns a loop sleeps until it is woken: by those who tell that there is work, or, when something is due by its time or a
// telling was lost, by the net below (`watch-due.ts`).
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../db/query.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Tracing } from '../observability/tracing.ts';
import type { Site } from '../ports.ts';
import { createWaiter } from '../queue/waiter.ts';
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
  /** The channels on which new work is told. */
  toldOn: string[];
  /** The instant something is due next, in SQL: the net asks for it. Null for never, and one in the past for now. */
  nextDue(processId: string): Sql;
  /**
   * How long a turn that is told for begins after the one before, at the earliest. The first telling is followed at once; while
   * they come one upon the other, one turn follows all of those meanwhile: one for each would cost more than what it finds.
   */
  apartMs: number;
  begin(context: LoopContext): Turns;
};

export type Turns = {
  /** One turn. True when there may be more to do at once. Throwing costs a rest, nothing else. */
  turn(): Promise<boolean>;
  /** There is work, as somebody says: for a turn that waits for something itself. */
  told?(): void;
  /** How long to sleep at most after a turn that found nothing to do; without it, until woken. */
  restMs?(): number;
  /** Lets what is under way end. No turn follows. */
  end?(): Promise<void>;
};

export type RunningLoop = {
  /** There may be something to do. */
  wake(): void;
  stop(): Promise<void>;
};

const firstRestMs = 50;
const longestRestMs = 2_000;

/** Runs a loop until it is stopped. A turn that fails is told and tried again, after a rest that grows. */
export function startLoop(loop: Loop, context: Omit<LoopContext, 'signal'>): RunningLoop {
  const stopping = new AbortController();
  const { signal } = stopping;
  const turns = loop.begin({ ...context, signal });
  const waiter = createWaiter();
  const rest = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {}); // being stopped ends a rest
  const run = async () => {
    for (let failures = 0; !signal.aborted; ) {
      const beganMs = performance.now();
      waiter.forget();
      try {
        const more = await turns.turn();
        failures = 0;
        if (more || signal.aborted) continue;
        await waiter.wait(turns.restMs?.() ?? Number.POSITIVE_INFINITY);
        const restMs = beganMs + loop.apartMs - performance.now();
        if (restMs > 0) await rest(restMs);
      } catch (error) {
        failures += 1;
        context.log.warn({ err: error, loop: loop.name }, 'a turn failed');
        await rest(Math.min(firstRestMs * 2 ** failures, longestRestMs));
      }
    }
  };
  const running = run();
  return {
    wake() {
      turns.told?.();
      waiter.wake();
    },
    async stop() {
      stopping.abort();
      waiter.wake();
      await running;
      await turns.end?.();
    },
  };
}
