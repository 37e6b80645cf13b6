// Hands accepted messages to the provider. Every worker process runs one: it leases lanes, runs each, keeps its leases with
// a beat, and looks after what dead processes left behind.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tenant, TenantTx, WriteOptions } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { createSemaphore } from '../../../platform/http/limits/semaphore.ts';
import { newRequestId } from '../../../platform/ids.ts';
import type { Loop, LoopContext } from '../../../platform/jobs/claim-loop.ts';
import type { TenantJobContext } from '../../../platform/jobs/jobs.ts';
import type { Log } from '../../../platform/observability/logging.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { beatMs } from '../../../platform/queue/lease.ts';
import { createWriteBehind } from '../../../platform/queue/write-behind.ts';
import { claimsPutOff, handOffSeconds, handOffs, leaseTakeovers } from '../metrics.ts';
import { claimMessages, failUnprepared } from './claim-messages.ts';
import { beginWithinMs, handOver, prepareFiles } from './hand-over.ts';
import { dispatchLanes, type LeasedLane, releaseLane, wakeChannel } from './lanes.ts';
import { type Answer, outcomeOf, recordAnswers } from './record-answers.ts';
import { type LaneRun, type LaneWork, runLane } from './run-lane.ts';
import {
  findOpen,
  findOrphans,
  giveUpOrphans,
  nextToSweep,
  sweepExpired,
  takeBackLost,
} from './sweep-messages.ts';
import { traceHandOff } from './trace-hand-off.ts';

type Options = {
  /** How long a lane with nothing to do is kept. */
  lingerMs?: number;
  /** How long after its last look a message may still leave. */
  beginWithinMs?: number;
  /** The clock of the numbers' pace. */
  nowMs?: () => number;
};

const mostLanes = 500;
const lingerMs = 2_000;
/** How soon a lane whose number cannot send is looked at again. */
const blockedForMs = 15_000;
// A part of the process's connections: callbacks and jobs need theirs too.
const transactionsAtOnce = 6;
// Fewer than the connections to the provider: what is claimed must find one at once. Uploads share them.
const mostCalls = 512;
const mostUploads = 32;
const fewestTogether = 32;
/** How long a process that is asked to end waits for a database that is away. What is unwritten then ends as unknown. */
const lastWritesMs = 10_000;

export type Dispatcher = ReturnType<typeof createDispatcher>;

export function createDispatcher(context: LoopContext, options: Options = {}) {
  const { database, log, processId, now } = context;
  const mostMs = options.beginWithinMs ?? beginWithinMs;
  const lanes = new Map<string, { lane: LeasedLane; run: LaneRun }>();
  /** Claimed and not yet written down as answered, as `SID number`, with when its claim began to look. */
  const inHand = new Map<string, number>();
  let suspects = new Set<string>();
  /** Calls under way, and those that claims under way may bring. */
  let calls = 0;
  const inUpload = createSemaphore(mostUploads);
  const inTurn = createSemaphore(transactionsAtOnce);
  // Looking and giving back take turns: work that is announced to a lane just ending would be heard by nobody.
  const alone = createSemaphore(1);

  const write = <T>(
    tenant: Tenant,
    work: (t: TenantTx) => Promise<T>,
    options: WriteOptions = {},
  ): Promise<T> => inTurn(() => database.write(tenant, circumstancesOf(tenant), work, options));
  const circumstancesOf = ({ livemode }: Tenant) => ({
    principal: systemPrincipal('dispatch', livemode),
    now: now(),
    requestId: newRequestId(),
    log,
  });
  const answers = createWriteBehind<Answer>({
    what: 'answers of the provider',
    write: (tenant, some) => write(tenant, (t) => recordAnswers(t, some), { keepsPlans: true }),
    onWritten(some) {
      for (const answer of some) {
        handOffs.inc({ outcome: outcomeOf(answer) });
        inHand.delete(keyOf(answer.messageSid, answer.attempt));
      }
    },
    log,
  });

  const work: LaneWork = {
    nowMs: options.nowMs ?? (() => performance.now()),
    freeCalls(underWay) {
      // Half of what is left: a sender whose provider is slow leaves some to the others.
      const free = Math.ceil((mostCalls - calls) / 2);
      // A claim for every call that ends would cost more than the calls.
      return free < fewestTogether && underWay > 0 ? 0 : free;
    },
    async claim(lane, wanted) {
      let lookedMs = 0;
      let taken = 0;
      calls += wanted.limit;
      try {
        const claim = await write(lane, (t) => {
          lookedMs = performance.now();
          return claimMessages(t, { lane, ...wanted });
        });
        if (!claim) {
          claimsPutOff.inc();
          return null;
        }
        taken = claim.handOffs.length;
        for (const { message } of claim.handOffs) {
          inHand.set(keyOf(message.sid, message.attempts), lookedMs);
        }
        return claim;
      } finally {
        calls -= wanted.limit - taken;
      }
    },
    async prepare(lane, handOff) {
      const named = await inUpload(() => prepareFiles(tenantContext(lane), handOff));
      if (named.ok) return named.value;
      const { sid: messageSid } = handOff.message;
      await write(lane, (t) => failUnprepared(t, { messageSid, processId }, named.failure)).catch((error) =>
        // It still waits, and is tried again.
        log.warn({ err: error, messageSid }, 'could not write down that files could not be uploaded'),
      );
      return null;
    },
    async handOver(lane, handOff) {
      const { message } = handOff;
      const lookedMs = inHand.get(keyOf(message.sid, message.attempts))!;
      const mayBegin = () => performance.now() - lookedMs < mostMs;
      if (message.attempts === 1) {
        const acceptedAt = new Date(message.sendAt ?? message.createdAt).getTime();
        handOffSeconds.observe(Math.max(0, now().getTime() - acceptedAt) / 1000);
      }
      const endTrace = traceHandOff(context.tracing, lane, message);
      const answered = await handOver(tenantContext(lane), handOff, mayBegin);
      calls -= 1;
      endTrace?.(answered);
      const { sid: messageSid, attempts: attempt } = message;
      const dialled = message.identifierType === 'phone_e164' ? message.address : null;
      const answer: Answer = { messageSid, attempt, dialled, answered };
      answers.add(lane, answer);
      return { restMs: restAfter(answer) };
    },
  };

  const tenantContext = (tenant: Tenant): TenantJobContext => ({
    ...context,
    site: context.site(),
    write: (run) => database.write(tenant, circumstancesOf(tenant), run),
    read: (run) => database.read(tenant, circumstancesOf(tenant), run),
  });

  const begin = (lane: LeasedLane): void => {
    const run = runLane(lane, work, options.lingerMs ?? lingerMs);
    lanes.set(lane.senderSid, { lane, run });
    void run.ended
      .catch((error) => {
        log.warn({ err: error, senderSid: lane.senderSid }, 'a lane failed');
        return { blocked: true };
      })
      .then(({ blocked }) => giveBack(lane, run, blocked));
  };

  const giveBack = async (lane: LeasedLane, run: LaneRun, blocked: boolean): Promise<void> => {
    await alone(() => {
      // What was told to it after it found itself blocked may be that it no longer is.
      const retryAt = new Date(now().getTime() + (run.isPoked() ? 0 : blockedForMs));
      return (
        releaseLane(database, lane, blocked ? retryAt : null)
          // One that is not given back is found when the lanes are next looked after.
          .catch((error) => log.warn({ err: error }, 'could not give a lane back'))
          .finally(() => lanes.delete(lane.senderSid))
      );
    });
  };

  /** A lane leased anew while its last run ends is found again when the lanes are next looked after. */
  const goOn = (lane: LeasedLane): void => {
    const running = lanes.get(lane.senderSid);
    if (running) running.run.poke();
    else begin(lane);
  };

  const look = () =>
    alone(async () => {
      const asking = { processId, now: now(), most: mostLanes - lanes.size };
      for (const lane of await database.system((s) => dispatchLanes.lease(s, asking))) goOn(lane);
    });

  return {
    /** Leases what is due, and tells lanes already held that something was added. */
    look,
    /** Frees the lanes of the dead, and learns which it holds itself: one whose lease was lost claims nothing more. */
    async lookAfterLanes(): Promise<void> {
      const freed = await alone(async () => {
        const asking = { processId, now: now(), known: [...lanes.values()].map(({ lane }) => lane) };
        const found = await database.system((s) => dispatchLanes.lookAfter(s, asking));
        for (const { senderSid } of found.lost) lanes.get(senderSid)?.run.cease();
        for (const lane of found.unknown) goOn(lane);
        return found.freed;
      });
      leaseTakeovers.inc(freed);
      if (freed > 0) await look();
    },
    async sweep(): Promise<void> {
      await sweepExpired(database, now(), write);
      await giveUpOrphans(await database.system(findOrphans), write);
      const open = await database.system((s) => findOpen(s, processId));
      const missing = open.filter(({ messageSid, number }) => !inHand.has(keyOf(messageSid, number)));
      // Seen twice: one that was just claimed may not have been noted yet.
      await takeBackLost(
        missing.filter(({ messageSid, number }) => suspects.has(keyOf(messageSid, number))),
        write,
      );
      suspects = new Set(missing.map(({ messageSid, number }) => keyOf(messageSid, number)));
    },
    /** Settles when no lane has anything to do and every answer is written. */
    async settled(): Promise<void> {
      const busy = () => lanes.values().some(({ run }) => !run.idle());
      while (busy() || inHand.size > 0) {
        await sleep(2);
        await answers.written();
      }
    },
    /** How many lanes it holds. */
    held: () => lanes.size,
    /** Ends claiming; what was claimed is handed over and written down. */
    async stop(): Promise<void> {
      for (const { run } of lanes.values()) run.cease();
      await Promise.all([...lanes.values()].map(({ run }) => run.ended.catch(() => {})));
      await answers.end(lastWritesMs).finally(async () => {
        while (lanes.size > 0) await sleep(5);
      });
    },
  };
}

const keyOf = (messageSid: string, attempt: number) => `${messageSid} ${attempt}`;

// The provider's codes for "this number sends too much"; a pair's or an app's limit is not the number's.
const throughputReached = 130_429;

function restAfter({ answered }: Answer): number {
  if (answered.ok || answered.failure.providerCode !== throughputReached) return 0;
  return answered.failure.retryAfterMs ?? 1_000;
}

/** Runs in every worker: looks when something was added or falls due. */
export const dispatchLoop: Loop = {
  name: 'dispatch',
  toldOn: [wakeChannel],
  nextDue: (processId) => sql`least(${dispatchLanes.nextDue(processId)}, ${nextToSweep(processId)})`,
  apartMs: 5,
  begin(context) {
    const dispatcher = createDispatcher(context);
    const chores = [
      atMostEvery(beatMs, dispatcher.lookAfterLanes, context.log, 'look after lanes'),
      atMostEvery(beatMs, dispatcher.sweep, context.log, 'sweep messages'),
    ];
    return {
      async turn() {
        for (const chore of chores) chore.begin();
        await dispatcher.look();
        return false;
      },
      // Lanes that are held are looked after with every beat, also when their lease was lost and nothing tells of them any more.
      restMs: () => (dispatcher.held() > 0 ? beatMs : Number.POSITIVE_INFINITY),
      async end() {
        await dispatcher.stop().finally(() => Promise.all(chores.map((chore) => chore.ended())));
      },
    };
  },
};

/** Does something when it is asked to, never twice at once and not again so soon; a failure is told and waits for the next time. */
function atMostEvery(ms: number, work: () => Promise<void>, log: Log, what: string) {
  let running: Promise<void> | null = null;
  let beganMs = Number.NEGATIVE_INFINITY;
  return {
    begin(): void {
      if (running || performance.now() - beganMs < ms) return;
      beganMs = performance.now();
      running = work()
        .catch((error) => log.warn({ err: error }, `could not ${what}`))
        .finally(() => {
          running = null;
        });
    },
    ended: async () => void (await running),
  };
}
