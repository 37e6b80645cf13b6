// Why an event started a workflow, or did not.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { decisionsMade } from './metrics.ts';
import type { ActiveRun } from './run-rows.ts';
import type { Decision } from './told.ts';

export type NewDecision = {
  workflowSid: string;
  eventSequence: string;
  eventSid: string;
  eventType: string;
  contactSid: string | null;
  decision: Decision;
  detail: object | null;
  runSid: string | null;
};

/** The event that started a run, for what is decided about it later. */
export const eventOfRun = ({ eventSequence, eventSid, eventType, contactSid }: ActiveRun) => ({
  eventSequence,
  eventSid,
  eventType,
  contactSid,
});

export async function noteDecisions(t: TenantTx, decisions: readonly NewDecision[]): Promise<void> {
  if (decisions.length === 0) return;
  for (const { decision } of decisions) decisionsMade.inc({ decision });
  const of = <T>(pick: (one: NewDecision) => T) => decisions.map(pick);
  await t.run(sql`
    insert into workflow_decisions (account_sid, livemode, workflow_sid, event_sequence, event_sid, event_type, contact_sid,
      decision, detail, run_sid, created_at)
    select ${t.accountSid}, ${t.livemode}, item.workflow_sid, item.event_sequence, item.event_sid, item.event_type,
      item.contact_sid, item.decision, item.detail::json, item.run_sid, ${t.now}
      from unnest(${of(({ workflowSid }) => workflowSid)}::text[], ${of(({ eventSequence }) => eventSequence)}::bigint[],
        ${of(({ eventSid }) => eventSid)}::text[], ${of(({ eventType }) => eventType)}::text[],
        ${of(({ contactSid }) => contactSid)}::text[], ${of(({ decision }) => decision)}::text[],
        ${of(({ detail }) => detail && JSON.stringify(detail))}::text[], ${of(({ runSid }) => runSid)}::text[])
        as item (workflow_sid, event_sequence, event_sid, event_type, contact_sid, decision, detail, run_sid)
    on conflict do nothing`);
}
