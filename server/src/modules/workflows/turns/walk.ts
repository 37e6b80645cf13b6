// Takes one run as far as it goes without an effect: the interpreter is asked, and given what it needs, until the run does
// something, waits for what has not come, or is over.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Principal, workflowPrincipal } from '../../../platform/principal.ts';
import type { Facts } from '../conditions/facts.ts';
import { advance } from '../interpreter/advance.ts';
import type { Input, Outcome, Run, TraceEntry, Turn } from '../interpreter/state.ts';
import type { Mail } from '../runs/mail.ts';
import type { ActiveRun, Moved, StandingEffect, Wake } from '../runs/run-rows.ts';
import type { Version } from '../runs/versions.ts';

type End = Extract<Outcome, { kind: 'end' }>;

export type Walk = {
  run: ActiveRun;
  version: Version;
  /** In whose name its effects are done. */
  by: Principal;
  now: Date;
  at: Run;
  facts: Facts;
  /** Facts it has to be given before it is asked again. */
  needs: string[];
  /** What it is told next; null when it has to be left as it is. */
  input: Input | null;
  mail: Mail[];
  /** Mail that was looked at. */
  read: Mail[];
  trace: TraceEntry[];
  /** The events that tell of what it did, by the position of the step. */
  told: Map<number, string>;
  effect: StandingEffect | null;
  /** When an effect that could not be done yet is tried again. */
  laterAt: Date | null;
  end: End | null;
};

export function beginWalk(t: TenantTx, run: ActiveRun, version: Version, mail: Mail[]): Walk {
  const walk: Walk = {
    run,
    version,
    by: workflowPrincipal(run.sid, t, version.scopes),
    now: t.now,
    at: { state: run.cursor, memory: run.memory },
    facts: bareFacts(run, t.now),
    needs: [],
    input: null,
    mail: [...mail],
    read: [],
    trace: [],
    told: new Map(),
    effect: run.effect,
    laterAt: null,
    end: null,
  };
  const isOver = t.now >= new Date(run.timeoutAt);
  walk.input = isOver ? { kind: 'timeout' } : (standingInput(walk) ?? { kind: 'go' });
  return walk;
}

/** What is known without looking anything up. */
function bareFacts(run: ActiveRun, now: Date): Facts {
  const { sid, workflowSid, version, eventType, startedAt, timeoutAt } = run;
  const runFacts = { sid, workflowSid, version, eventType, startedAt, timeoutAt };
  return { now: now.toISOString(), run: runFacts, event: run.eventData };
}

/** Goes on until an effect, an end, a pause, a wait for what has not come, or a question about facts. */
export function walkOn(walk: Walk): void {
  while (walk.input !== null) {
    const turn = advance(walk.version.program, walk.at, walk.facts, walk.input);
    const { outcome } = turn;
    walk.needs = outcome.kind === 'need' ? outcome.facts : [];
    if (outcome.kind === 'need') return; // asked again with the same input
    if (outcome.kind !== 'unchanged') moveTo(walk, turn);
    walk.input = nextInput(walk, outcome, walk.input);
  }
}

function moveTo(walk: Walk, { state, memory, trace, outcome }: Turn): void {
  walk.at = { state, memory };
  walk.trace.push(...trace);
  // What it did may have changed what it is about.
  walk.facts = bareFacts(walk.run, walk.now);
  walk.effect = null;
  if (outcome.kind === 'effect') {
    const { effect, position, awaits } = outcome;
    walk.effect = { effect, position, awaits };
  }
  if (outcome.kind === 'end') walk.end = outcome;
}

function nextInput(walk: Walk, outcome: Outcome, told: Input): Input | null {
  const isStanding = outcome.kind === 'wait' || outcome.kind === 'unchanged';
  if (!isStanding || (outcome.kind === 'unchanged' && told.kind === 'due')) return null;
  if (outcome.kind === 'unchanged' && told.kind === 'timeout') return standingInput(walk) ?? { kind: 'go' };
  return standingInput(walk);
}

/** What there is for a run that waits, or null. */
function standingInput(walk: Walk): Input | null {
  const { state } = walk.at;
  if (walk.effect?.answerUntil !== undefined)
    return answerOf(walk, walk.effect.position, walk.effect.answerUntil);
  if (!state.waiting) return null;
  const { names, wakeAt } = state.waiting;
  const mail = takeMail(walk, ({ kind, type }) => kind === 'event' && names.includes(type!));
  if (mail) return mail.input;
  return Date.parse(wakeAt) <= walk.now.getTime() ? { kind: 'due' } : null;
}

function answerOf(walk: Walk, position: number, until: string): Input | null {
  const answer = takeMail(walk, ({ kind, number }) => kind === 'result' && Number(number) === position);
  if (answer) return answer.input;
  if (walk.now.getTime() < Date.parse(until)) return null;
  const error = { code: 'HTTP_TIMEOUT', message: 'The endpoint did not answer in time.' };
  return { kind: 'result', position, error };
}

function takeMail(walk: Walk, wanted: (mail: Mail) => boolean): Mail | null {
  const at = walk.mail.findIndex(wanted);
  const [mail] = at < 0 ? [] : walk.mail.splice(at, 1);
  if (!mail) return null;
  walk.read.push(mail);
  return mail;
}

/** Whether its effect is to be done in this round. */
export const hasEffect = ({ effect, laterAt, end }: Walk) =>
  end === null && effect !== null && effect.answerUntil === undefined && laterAt === null;

/** What is left of the run. */
export function movedBy(walk: Walk): Moved {
  const { run, at, end, effect } = walk;
  const wake = end === null ? wakeOf(walk) : null;
  const isWaiting = at.state.waiting !== null || effect?.answerUntil !== undefined;
  return {
    sid: run.sid,
    state: end?.status ?? (isWaiting ? 'WAITING' : 'RUNNING'),
    outcome: end?.outcome ?? null,
    error: end?.error ?? null,
    cursor: at.state,
    memory: at.memory,
    effect: end ? null : effect,
    entries: run.entries + walk.trace.length,
    wake,
  };
}

function wakeOf({ run, version, at, effect, laterAt, now }: Walk): Wake {
  const { waiting, section } = at.state;
  const wanted = waiting?.wakeAt ?? effect?.answerUntil;
  const next = wanted === undefined ? (laterAt ?? now) : new Date(wanted);
  // Its own time ends what it does, and not what it does once that is over.
  const dueAt = section === 'actions' ? earlier(next, new Date(run.timeoutAt)) : next;
  if (!waiting) return { dueAt, names: version.waitNames, listening: false };
  return { dueAt, names: waiting.names, listening: waiting.names.length > 0 };
}

const earlier = (one: Date, other: Date) => (one < other ? one : other);

/** Mail that nobody needs any more: what was read, and what came before a pause, since that is no answer to what follows. */
export function droppedMail({ at, read, mail }: Walk): Mail[] {
  return at.state.waiting?.kind === 'time' ? [...read, ...mail] : read;
}
