// Delivers what is due: leases lanes, keeps their next deliveries at hand, sends as many at once as each endpoint allows,
// and has every attempt recorded. All that must survive is in the database; a process that dies costs duplicates of what
// it had sent and not yet recorded, and nothing else.
import { setTimeout as sleep } from 'node:timers/promises';
import { createSemaphore } from '../../../platform/http/limits/semaphore.ts';
import { newRequestId } from '../../../platform/ids.ts';
import type { Loop, LoopContext, Turns } from '../../../platform/jobs/claim-loop.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { beatMs, isSameLease } from '../../../platform/queue/lease.ts';
import { createWaiter } from '../../../platform/queue/waiter.ts';
import { createWriteBehind } from '../../../platform/queue/write-behind.ts';
import { attempt } from './attempt.ts';
import { deliveryMetrics } from './delivery-metrics.ts';
import {
  fill,
  isIdle,
  type Lane,
  learn,
  mayLeave,
  missing,
  needsLoading,
  newLane,
  staleInMs,
} from './lane.ts';
import { dueChannel, releaseLane, webhookLanes } from './lanes.ts';
import { loadDue, loadLane } from './load-due.ts';
import { type Attempted, recordAttempts } from './record.ts';
import { createSlots } from './slots.ts';
import { traceAttempt } from './trace-attempt.ts';

// How often lanes are asked for while some are busy; what is told of is asked for at once.
const leaseMs = 40;
// How many lanes are loaded at once: all others in the process need connections to the database too.
const loadsAtOnce = 6;
// What is under way when the worker stops may end; what takes longer is called off, and sent again by another.
const graceMs = 5_000;
// How long it then waits for a database that is away. What is unwritten is sent again by another.
const lastWritesMs = 10_000;

export const deliver: Loop = {
  name: 'webhooks.deliver',
  toldOn: [dueChannel],
  nextDue: webhookLanes.nextDue,
  apartMs: 10,
  begin: (context) => beginDelivering(context),
};

export function beginDelivering(
  context: LoopContext,
  mostLanes = 256,
): Required<Turns> & { holdsLanes(): boolean } {
  const { database, now, log, ports, processId } = context;
  const metrics = deliveryMetrics(context.metrics);
  const waiter = createWaiter();
  const lanes = new Map<string, Lane>();
  const calledOff = new AbortController();
  const loading = createSemaphore(loadsAtOnce);
  /** What turns have begun and do not wait for: a lane that takes its time is nothing to the others. */
  const begun = new Set<Promise<void>>();
  let ending = false;
  let dueAgain = false;
  let told = false;
  let leasedAtMs = Number.NEGATIVE_INFINITY;
  let lookedAfterMs = Number.NEGATIVE_INFINITY;

  const requestContext = (livemode: boolean) => ({
    principal: systemPrincipal('webhooks.deliver', livemode),
    now: now(),
    requestId: newRequestId(),
    log,
  });
  const slots = createSlots((lane) => void send(lane));
  const recorder = createWriteBehind<Attempted>({
    what: 'webhook attempts',
    write: (tenant, some) =>
      database.write(tenant, requestContext(tenant.livemode), (t) => recordAttempts(t, some)),
    onWritten(some) {
      for (const { endpointSid, deliverySid } of some) lanes.get(endpointSid)?.atHand.delete(deliverySid);
      waiter.wake();
    },
    log,
  });

  async function lease(): Promise<void> {
    if (lanes.size > 0 && !told && performance.now() - leasedAtMs < leaseMs) return;
    told = false;
    leasedAtMs = performance.now();
    const isBeat = performance.now() - lookedAfterMs > beatMs;
    if (isBeat) lookedAfterMs = performance.now();
    const asking = { processId, now: now() };
    const known = [...lanes.values()];
    const { lost, leased } = await database.system(async (s) => {
      const found = isBeat
        ? await webhookLanes.lookAfter(s, { ...asking, known: known.map(({ lease }) => lease) })
        : { lost: [], unknown: [] };
      const more = await webhookLanes.lease(s, { ...asking, most: mostLanes - lanes.size });
      return { lost: new Set(found.lost), leased: [...found.unknown, ...more] };
    });
    for (const lane of known) if (lost.has(lane.lease)) abandon(lane);
    for (const found of leased) {
      const held = lanes.get(found.endpointSid);
      if (held && isSameLease(held.lease, found)) held.drained = false;
      else lanes.set(found.endpointSid, newLane(found));
    }
  }

  function begin(work: Promise<void>): void {
    begun.add(work);
    void work.finally(() => begun.delete(work));
  }

  const share = () => slots.share([...lanes.values()]);

  /** Brings a lane up to date, and has it go on. One that cannot be loaded waits its turn, and keeps no other from theirs. */
  async function load(lane: Lane): Promise<void> {
    const { lease } = lane;
    lane.loading = true;
    try {
      await loading(async () => {
        lane.drained = true; // unless there is more, or something is announced from now on
        const wanted = missing(lane, lanes.size);
        const [state, due] = await database.read(lease, requestContext(lease.livemode), (t) =>
          Promise.all([loadLane(t, lease.endpointSid), loadDue(t, lease.endpointSid, lane.atHand, wanted)]),
        );
        if (!isSameLease(lease, state)) return abandon(lane);
        if (ending) return;
        fill(lane, state, due, wanted);
        share();
      });
    } catch (error) {
      log.warn({ err: error, endpoint: lease.endpointSid }, 'a webhook lane cannot be loaded');
      lane.drained = false;
      lane.loadedAtMs = performance.now();
    } finally {
      lane.loading = false;
    }
  }

  /** Another process holds it, because this one was believed to be dead. */
  function abandon(lane: Lane): void {
    lane.ready.length = 0;
    if (lanes.get(lane.lease.endpointSid) === lane) lanes.delete(lane.lease.endpointSid);
  }

  async function giveBack(lane: Lane): Promise<void> {
    const { lease } = lane;
    lane.leaving = true;
    try {
      const due = await database.write(lease, requestContext(lease.livemode), (t) => releaseLane(t, lease));
      dueAgain ||= due;
      // Leased again already, it is another by this name.
      if (lanes.get(lease.endpointSid) === lane) lanes.delete(lease.endpointSid);
      waiter.wake();
    } catch (error) {
      // It stays with this process and is tried again, or is free when the process is found to be dead.
      log.warn({ err: error, endpoint: lease.endpointSid }, 'a webhook lane cannot be given back');
      lane.leaving = false;
    }
  }

  async function send(lane: Lane): Promise<void> {
    const due = lane.ready.shift()!;
    const { deliverySid, dueAt, tries, firstAttemptAt, requestKey } = due;
    const { lease, state } = lane;
    const endTrace = traceAttempt(context.tracing, lane, due);
    const outcome = await attempt(ports.outbound, state!, due, now(), calledOff.signal);
    endTrace?.(outcome);
    if (outcome) {
      learn(lane, outcome.failure === null);
      metrics.observe(due, outcome);
      const { endpointSid } = lease;
      const { whole, ...kept } = outcome;
      const request = requestKey === null ? null : { key: requestKey, whole };
      const attempted = { endpointSid, deliverySid, dueAt, tries, firstAttemptAt, outcome: kept };
      recorder.add(lease, { ...attempted, ...(request && { request }) });
    } else {
      lane.atHand.delete(deliverySid);
    }
    if (ending) lane.ready.length = 0;
    slots.free(lane);
    if (needsLoading(lane, lanes.size)) waiter.wake();
  }

  async function turn(): Promise<boolean> {
    dueAgain = false;
    await lease();
    for (const lane of lanes.values()) if (needsLoading(lane, lanes.size)) begin(load(lane));
    share();
    const isCrowded = lanes.size > mostLanes / 2;
    for (const lane of lanes.values()) if (mayLeave(lane, isCrowded)) begin(giveBack(lane));
    metrics.lanes.set(lanes.size);
    metrics.underWay.set(slots.taken());
    if (lanes.values().every(isIdle)) return dueAgain;
    await waiter.wait(Math.max(1, leasedAtMs + leaseMs - performance.now()));
    return true;
  }

  async function end(): Promise<void> {
    ending = true;
    for (const lane of lanes.values()) lane.ready.length = 0;
    for (let waitedMs = 0; slots.taken() > 0 && waitedMs < graceMs; waitedMs += 10) await sleep(10);
    calledOff.abort();
    while (slots.taken() > 0) await sleep(10);
    const recorded = recorder.end(lastWritesMs);
    recorded.catch(() => {}); // heard below, once the lanes are given back
    await Promise.allSettled([recorded, ...begun]);
    await Promise.all([...lanes.values()].map(giveBack));
    await recorded;
  }

  return {
    turn,
    told() {
      told = true;
      waiter.wake();
    },
    // Until the first lane that rests has rested long enough to be given back.
    restMs: () => Math.min(...lanes.values().map(staleInMs)),
    end,
    holdsLanes: () => lanes.size > 0,
  };
}
