// Whether events start workflows, and why not. What is decided is not done here: whoever asks to understand decides the same.
import type { TenantTx } from '../../../platform/db/database.ts';
import { newSid } from '../../../platform/ids.ts';
import { factsNeeded } from '../conditions/facts.ts';
import { judgeConditions } from '../conditions/judge.ts';
import { messageSidOf } from '../interpreter/replies.ts';
import { type Asker, loadFacts } from '../runs/facts.ts';
import { type Entrant, type Refusal, standingOf } from '../runs/standing.ts';
import type { Decision } from '../runs/told.ts';
import type { Version } from '../runs/versions.ts';
import type { Happening } from './happenings.ts';

/** A workflow that may be started, and what it says. */
export type Startable = { workflowSid: string; version: number; program: Version };

export type Decided = {
  happening: Happening;
  workflow: Startable;
  decision: Decision;
  detail: object | null;
  /** The run that is to begin. */
  runSid: string | null;
};

type Candidate = { happening: Happening; workflow: Startable; entrant: Entrant | null; asker: Asker };

/** In the order given; what one of them starts counts for those after it. */
export async function decide(
  t: TenantTx,
  pairs: readonly { happening: Happening; workflow: Startable }[],
): Promise<Decided[]> {
  const candidates = pairs.map((pair): Candidate => ({ ...pair, ...viewOf(t, pair) }));
  const standing = await standingOf(
    t,
    candidates.flatMap(({ entrant }) => entrant ?? []),
  );
  await loadFacts(
    t,
    candidates.map(({ asker }) => asker),
  );
  return candidates.map((candidate) => {
    const { happening, workflow, entrant } = candidate;
    const refusal = refusalOf(candidate, (one) => standing.refusalOf(one));
    if (refusal) return { happening, workflow, ...refusal, runSid: null };
    const runSid = newSid('WR', t.now);
    standing.began(entrant!, runSid);
    return { happening, workflow, decision: 'started', detail: null, runSid };
  });
}

function viewOf(t: TenantTx, { happening, workflow }: { happening: Happening; workflow: Startable }) {
  const { contactSid, subjectSid, data, cause } = happening;
  const { trigger, conditions } = workflow.program.definition;
  const entrant = subjectSid !== null && {
    workflowSid: workflow.workflowSid,
    subjectSid,
    contactSid,
    allowReentry: trigger.allowReentry ?? false,
    depth: cause ? cause.depth + 1 : 0,
  };
  const facts = { now: t.now.toISOString(), run: null, event: data };
  const asker: Asker = { facts, contactSid, messageSid: messageSidOf(data), needs: factsNeeded(conditions) };
  return { entrant: entrant || null, asker };
}

function refusalOf(
  { happening, workflow, entrant, asker }: Candidate,
  standing: (entrant: Entrant) => Refusal | null,
): Refusal | null {
  if (entrant === null) return { decision: 'no_subject', detail: null };
  const { cause } = happening;
  if (cause?.workflowSid === workflow.workflowSid && cause.contactSid === happening.contactSid)
    return { decision: 'caused_by_self', detail: { runSid: cause.runSid } };
  const refusal = standing(entrant);
  if (refusal) return refusal;
  const { holds, failed, saw } = judgeConditions(workflow.program.definition.conditions, asker.facts);
  return holds ? null : { decision: 'condition', detail: { condition: failed, saw } };
}
