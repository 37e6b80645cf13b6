// Takes runs further: leases the lanes in which some are due, plays round after round in each, several lanes beside each other, and
// gives a lane back when nothing in it is due. All that must survive is in the database: a process that dies costs the round it was in.
import { isConnectionLoss } from '../../../platform/db/failures.ts';
import { newRequestId } from '../../../platform/ids.ts';
import type { Loop, LoopContext, Turns } from '../../../platform/jobs/claim-loop.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { beatMs, isSameLease } from '../../../platform/queue/lease.ts';
import { createWaiter } from '../../../platform/queue/waiter.ts';
import { dueChannel, workflowLanes } from '../runs/lanes.ts';
import type { RunLane } from '../runs/run-rows.ts';
import { releaseLane } from './lanes.ts';
import { putOff } from './put-off.ts';
import { mostRuns, playRound } from './round.ts';

/** How many lanes a process works on at once: all others in it need connections to the database too. */
const mostLanes = 4;
/** After so many rounds a lane is given back, due at once: whoever waits longest has the next turn. */
const roundsAtOnce = 20;

export const takeTurns: Loop = {
  name: 'workflows.turns',
  toldOn: [dueChannel],
  nextDue: workflowLanes.nextDue,
  apartMs: 10,
  begin: (context) => beginTurns(context),
};

export function beginTurns(context: LoopContext): Required<Pick<Turns, 'turn' | 'told' | 'end'>> {
  const { database, now, log, processId, signal } = context;
  const waiter = createWaiter();
  const held = new Map<string, { lane: RunLane; lost: boolean; work: Promise<void> }>();
  let lookedAfterMs = Number.NEGATIVE_INFINITY;
  let dueAgain = false;

  const requestContext = (livemode: boolean) => ({
    principal: systemPrincipal('workflows.turns', livemode),
    now: now(),
    requestId: newRequestId(),
    log,
  });
  const write = <T>(lane: RunLane, work: Parameters<typeof database.write<T>>[2]) =>
    database.write(lane, requestContext(lane.livemode), work, { usesKeptFacts: true, answersNobody: true });

  async function lease(): Promise<void> {
    const isBeat = performance.now() - lookedAfterMs > beatMs;
    if (isBeat) lookedAfterMs = performance.now();
    const asking = { processId, now: now() };
    const known = [...held.values()].map(({ lane }) => lane);
    const { lost, leased } = await database.system(async (s) => {
      const found = isBeat
        ? await workflowLanes.lookAfter(s, { ...asking, known })
        : { lost: [], unknown: [] };
      const more = await workflowLanes.lease(s, { ...asking, most: mostLanes - held.size });
      return { lost: new Set(found.lost), leased: [...found.unknown, ...more] };
    });
    for (const one of held.values()) one.lost ||= lost.has(one.lane);
    for (const lane of leased) take(lane);
  }

  function take(lane: RunLane): void {
    const key = `${lane.accountSid} ${lane.lane}`;
    const before = held.get(key);
    if (before && isSameLease(before.lane, lane)) {
      dueAgain = true; // what was announced meanwhile is found when it is given back
      return;
    }
    const one = { lane, lost: false, work: Promise.resolve() };
    held.set(key, one);
    // Given back and leased anew before this process heard that the giving back was done: the new lease is played when it has.
    one.work = Promise.resolve(before?.work)
      .then(() => play(one))
      .catch((err) => log.warn({ err, ...lane }, 'the runs of an account could not be taken further'))
      .finally(() => {
        if (held.get(key) === one) held.delete(key);
        waiter.wake();
      });
  }

  async function play(one: { lane: RunLane; lost: boolean }): Promise<void> {
    const { lane } = one;
    let taken = 0;
    try {
      for (let rounds = 0; rounds < roundsAtOnce && !one.lost && !signal.aborted; rounds += 1) {
        const runs = await playSafely(lane);
        taken += runs;
        if (runs < mostRuns) break;
      }
    } finally {
      const isDue = !one.lost && (await write(lane, (t) => releaseLane(t, lane)));
      // Where nothing could be taken somebody else holds what is due: it is looked for again, but not at once.
      if (isDue && taken > 0) dueAgain = true;
    }
  }

  /** A round that fails is played in halves, down to the run that made it fail: that one is put off, the others go on. */
  async function playSafely(lane: RunLane, only?: string[]): Promise<number> {
    let picked: string[] = [];
    try {
      return await write(lane, (t) =>
        playRound(t, {
          ...(only && { only }),
          lane,
          picked: (sids) => {
            picked = sids;
          },
        }),
      );
    } catch (error) {
      // Without its database nobody can say whose fault it was.
      if (picked.length === 0 || isConnectionLoss(error)) throw error;
      if (picked.length === 1) {
        await write(lane, (t) => putOff(t, picked[0]!, error));
        return 1;
      }
      const half = Math.ceil(picked.length / 2);
      return (await playSafely(lane, picked.slice(0, half))) + (await playSafely(lane, picked.slice(half)));
    }
  }

  return {
    async turn() {
      dueAgain = false;
      await lease();
      if (held.size === 0) return dueAgain;
      await waiter.wait(beatMs);
      return true;
    },
    told: () => waiter.wake(),
    async end() {
      await Promise.all([...held.values()].map(({ work }) => work));
    },
  };
}
