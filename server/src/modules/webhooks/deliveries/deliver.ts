// Delivers what is due: leases lanes, keeps their next deliveries at hand, sends as many at once as each endpoint allows,
// and has every attempt recorded. All that must survive is in the database; a process that dies costs duplicates of what
// it had sent and not yet recorded, and nothing else.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Loop, LoopContext, Turns } from '../../../platform/claim-loop.ts';
import { newRequestId } from '../../../platform/ids.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { outboundFor } from '../ports.ts';
import { attempt } from './attempt.ts';
import { deliveryMetrics } from './delivery-metrics.ts';
import { fill, isDone, type Lane, learn, missing, needsLoading, newLane } from './lane.ts';
import { freeOrphanedLanes, leaseLanes, releaseLane } from './lanes.ts';
import { loadDue, loadLane } from './load-due.ts';
import { createRecorder } from './recorder.ts';
import { createSlots } from './slots.ts';
import { traceAttempt } from './trace-attempt.ts';
import { createWaiter } from './waiter.ts';

const idleMs = 40;
const mostLanes = 256;
const orphansEveryMs = 2_000;
// What is under way when the worker stops may end; what takes longer is called off, and sent again by another.
const graceMs = 5_000;

export const deliver: Loop = { name: 'webhooks.deliver', idleMs, begin: beginDelivering };

export function beginDelivering(context: LoopContext): Turns & { holdsLanes(): boolean } {
  const { database, now, log, ports, processId } = context;
  const metrics = deliveryMetrics(context.metrics);
  const waiter = createWaiter(idleMs);
  const lanes = new Map<string, Lane>();
  const calledOff = new AbortController();
  let ending = false;
  let leasedAtMs = Number.NEGATIVE_INFINITY;
  let orphansFreedAtMs = Number.NEGATIVE_INFINITY;

  const circumstances = (livemode: boolean) => ({
    principal: systemPrincipal('webhooks.deliver', livemode),
    now: now(),
    requestId: newRequestId(),
    log,
  });
  const slots = createSlots((lane) => void send(lane));
  const recorder = createRecorder({
    write: (tenant, work) => database.write(tenant, circumstances(tenant.livemode), work),
    log,
    onRecorded(endpointSid, deliverySids) {
      const lane = lanes.get(endpointSid);
      for (const sid of deliverySids) lane?.atHand.delete(sid);
      waiter.wake();
    },
  });

  async function lease(): Promise<void> {
    if (lanes.size > 0 && performance.now() - leasedAtMs < idleMs) return;
    leasedAtMs = performance.now();
    const dueForOrphans = performance.now() - orphansFreedAtMs > orphansEveryMs;
    if (dueForOrphans) orphansFreedAtMs = performance.now();
    const leased = await database.system(async (s) => {
      if (dueForOrphans) await freeOrphanedLanes(s, now(), processId);
      return leaseLanes(s, now(), processId, mostLanes - lanes.size);
    });
    for (const found of leased) {
      const known = lanes.get(found.endpointSid);
      if (known && known.lease.generation === found.generation) known.drained = false;
      else lanes.set(found.endpointSid, newLane(found));
    }
  }

  /** Brings a lane up to date. One that cannot be loaded waits its turn, and keeps no other from theirs. */
  async function load(lane: Lane): Promise<void> {
    const { lease } = lane;
    lane.loading = true;
    lane.drained = true; // unless something is found, or announced from now on
    try {
      const [state, due] = await database.read(lease, circumstances(lease.livemode), (t) =>
        Promise.all([
          loadLane(t, lease.endpointSid),
          loadDue(t, lease.endpointSid, lane.atHand, missing(lane, lanes.size)),
        ]),
      );
      if (state.generation !== lease.generation) return abandon(lane);
      if (due.length > 0) lane.drained = false;
      fill(lane, state, due);
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

  async function giveBack(lane: Lane): Promise<boolean> {
    const { lease } = lane;
    const due = await database.write(lease, circumstances(lease.livemode), (t) => releaseLane(t, lease));
    lanes.delete(lease.endpointSid);
    return due;
  }

  async function send(lane: Lane): Promise<void> {
    const due = lane.ready.shift()!;
    const { deliverySid, dueAt, tries, firstAttemptAt } = due;
    const { lease, state } = lane;
    const endTrace = traceAttempt(context.tracing, lane, due);
    const outcome = await attempt(outboundFor(ports, lease), state!, due, now(), calledOff.signal);
    endTrace?.(outcome);
    if (outcome) {
      learn(lane, outcome.failure === null);
      metrics.observe(due, outcome);
      const { endpointSid } = lease;
      recorder.add(lease, { endpointSid, deliverySid, dueAt, tries, firstAttemptAt, outcome });
    } else {
      lane.atHand.delete(deliverySid);
    }
    if (ending) lane.ready.length = 0;
    slots.free(lane);
    if (needsLoading(lane, lanes.size)) waiter.wake();
  }

  async function turn(): Promise<boolean> {
    await lease();
    await Promise.all([...lanes.values()].filter((lane) => needsLoading(lane, lanes.size)).map(load));
    slots.share([...lanes.values()]);
    const dueAgain = await Promise.all([...lanes.values()].filter(isDone).map(giveBack));
    metrics.lanes.set(lanes.size);
    metrics.underWay.set(slots.taken());
    if (lanes.size === 0) return dueAgain.includes(true);
    await waiter.wait();
    return true;
  }

  async function end(): Promise<void> {
    ending = true;
    for (const lane of lanes.values()) lane.ready.length = 0;
    for (let waitedMs = 0; slots.taken() > 0 && waitedMs < graceMs; waitedMs += 10) await sleep(10);
    calledOff.abort();
    while (slots.taken() > 0) await sleep(10);
    await recorder.end();
    // One that cannot be given back is free when this process is found to be dead.
    const given = [...lanes.values()].map((lane) =>
      giveBack(lane).catch((error) => log.warn({ err: error }, 'a webhook lane cannot be given back')),
    );
    await Promise.all(given);
  }

  return { turn, end, holdsLanes: () => lanes.size > 0 };
}
