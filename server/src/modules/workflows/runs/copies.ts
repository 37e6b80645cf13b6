// What workflows did for a person, and what they knew of them while they did.
import { type Copying, copied } from '../../../platform/belongings.ts';
import { sql } from '../../../platform/db/query.ts';
import type { StepError } from '../definition/schema.ts';
import type { Memory, TraceEntry } from '../interpreter/state.ts';
import type { Decision } from './told.ts';

type CopiedRun = Record<'sid' | 'workflowSid' | 'workflow' | 'state' | 'eventType' | 'startedAt', string> & {
  outcome: string | null;
  error: StepError | null;
  eventData: object;
  memory: Memory;
  steps: TraceEntry[];
  endedAt: string | null;
};

export const copyOfRuns: Copying = {
  purpose: 'To do for the person, by itself, what the business has laid down.',
  source: 'What happened to the person, and what the business knows of them.',
  async page(t, { family }, page) {
    const rows = await t.many<CopiedRun & { place: string }>(sql`
      select r.sid as place, r.sid, r.workflow_sid as "workflowSid", f.name as workflow, r.state, r.outcome, r.error,
        r.event_type as "eventType", r.event_data as "eventData", r.memory,
        coalesce((select json_agg(s.trace order by s.entry) from workflow_steps s
          where s.account_sid = r.account_sid and s.run_sid = r.sid), '[]'::json) as steps,
        r.started_at as "startedAt", r.ended_at as "endedAt"
        from workflow_runs r join workflows f on f.account_sid = r.account_sid and f.sid = r.workflow_sid
       where r.account_sid = ${t.accountSid} and r.livemode = ${t.livemode} and r.contact_sid = any (${family}::text[])
         and r.sid > ${page.after ?? ''}
       order by r.sid limit ${page.limit}`);
    return copied(rows, page);
  },
};

type CopiedDecision = {
  workflowSid: string;
  eventType: string;
  decision: Decision;
  detail: object | null;
  runSid: string | null;
  createdAt: string;
};

export const copyOfDecisions: Copying = {
  purpose: 'To know why a workflow did something for the person, or did nothing.',
  source: 'What happened to the person, and what the business has laid down.',
  async page(t, { family }, page) {
    const place = sql`workflow_sid || ' ' || lpad(event_sequence::text, 19, '0') || ' ' || decision`;
    const rows = await t.many<CopiedDecision & { place: string }>(sql`
      select ${place} as place, workflow_sid as "workflowSid", event_type as "eventType", decision, detail, run_sid as "runSid",
        created_at as "createdAt"
        from workflow_decisions
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${family}::text[])
         and ${place} > ${page.after ?? ''}
       order by 1 limit ${page.limit}`);
    return copied(rows, page);
  },
};

type CopiedStop = { workflowSid: string; reason: string | null; createdAt: string };

export const copyOfContactStops: Copying = {
  purpose: 'To let a workflow do nothing for the person.',
  source: 'The business.',
  async page(t, { family }, page) {
    const rows = await t.many<CopiedStop & { place: string }>(sql`
      select workflow_sid || ' ' || contact_sid as place, workflow_sid as "workflowSid", reason, created_at as "createdAt"
        from workflow_contact_stops
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${family}::text[])
         and workflow_sid || ' ' || contact_sid > ${page.after ?? ''}
       order by 1 limit ${page.limit}`);
    return copied(rows, page);
  },
};
