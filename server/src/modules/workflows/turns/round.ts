// One round: what is due is taken to its next effects, these are done, and everything is written, in one transaction. With its
// commit each of them has happened once; without it none has.
import type { TenantTx } from '../../../platform/db/database.ts';
import { tellOfEnds } from '../runs/ending.ts';
import { loadFacts } from '../runs/facts.ts';
import { dropMail, readMail } from '../runs/mail.ts';
import { lockDueRuns, type RunLane, storeMoved } from '../runs/run-rows.ts';
import { appendSteps, type NewStep } from '../runs/steps.ts';
import { versionsOf } from '../runs/versions.ts';
import { applyEffects } from './apply-effects.ts';
import { beginWalk, droppedMail, hasEffect, movedBy, type Walk, walkOn } from './walk.ts';

export const mostRuns = 100;
/** How many effects one after the other a run may have in a round; the next one is done in the next round. */
const mostEffects = 4;

type Asked = {
  /** None but these runs. */
  only?: string[];
  /** Nothing is taken in the name of one that was lost. */
  lane: RunLane;
  /** Told which runs it took, before anything can fail. */
  picked(runSids: string[]): void;
};

/** Tells how many runs it took further. */
export async function playRound(t: TenantTx, { picked, ...asked }: Asked): Promise<number> {
  const runs = await lockDueRuns(t, { ...asked, most: mostRuns });
  picked(runs.map(({ sid }) => sid));
  if (runs.length === 0) return 0;
  const mail = await readMail(
    t,
    runs.map(({ sid }) => sid),
  );
  const versionOf = await versionsOf(t, runs);
  const walks = runs.map((run) => beginWalk(t, run, versionOf(run), mail.get(run.sid) ?? []));
  await walkAll(t, walks);
  for (let effects = 0; effects < mostEffects; effects += 1) {
    const acting = walks.filter(hasEffect);
    if (acting.length === 0) break;
    await applyEffects(t, acting);
    await walkAll(t, acting);
  }
  await store(t, walks);
  return runs.length;
}

/** Until each has something to do, waits, or is over; what they ask for is loaded for all of them together. */
async function walkAll(t: TenantTx, walks: Walk[]): Promise<void> {
  for (let going = walks; going.length > 0; ) {
    for (const walk of going) walkOn(walk);
    going = going.filter(({ needs }) => needs.length > 0);
    const askers = going.map(({ facts, needs, run, at }) => ({
      facts,
      needs,
      contactSid: run.contactSid,
      messageSid: at.state.messageSid,
    }));
    await loadFacts(t, askers);
  }
}

async function store(t: TenantTx, walks: Walk[]): Promise<void> {
  const moved = walks.map(movedBy);
  await appendSteps(t, walks.flatMap(stepsOf));
  await dropMail(t, walks.flatMap(droppedMail));
  await storeMoved(t, moved);
  await tellOfEnds(
    t,
    moved.filter(({ wake }) => wake === null).map(({ sid }) => sid),
  );
}

const stepsOf = ({ run, trace, told }: Walk): NewStep[] =>
  trace.map((one, at) => ({
    runSid: run.sid,
    entry: run.entries + at + 1,
    trace: one,
    eventSid: one.outcome === 'done' ? (told.get(one.position) ?? null) : null,
  }));
