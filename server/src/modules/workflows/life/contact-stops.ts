// For whom a workflow does nothing, because somebody said so.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { emit } from '../../../platform/events.ts';
import { principalName } from '../../../platform/principal.ts';
import { audit } from '../../audit/index.ts';
import { survivorOf } from '../../contacts/index.ts';
import { contactStopEvents } from '../resources/events.ts';
import { principalOf } from '../resources/principals.ts';
import type { ContactStopReason, StoppedRuns, WorkflowContactStop } from '../resources/schema.ts';
import { countActiveRuns, endAllRuns, endRuns } from '../runs/ending.ts';
import { lockWorkflow } from './workflows.ts';

type Row = Omit<WorkflowContactStop, 'stoppedBy'> & { stoppedBy: string };

const columns = sql`'workflow_contact_stop' as object, workflow_sid as "workflowSid", contact_sid as "contactSid",
  account_sid as "accountSid", livemode, reason, stopped_by as "stoppedBy", created_at as "createdAt"`;

const toStop = ({ stoppedBy, ...row }: Row): WorkflowContactStop => ({
  ...row,
  stoppedBy: principalOf(stoppedBy),
});

/** Ends the contact's run and lets none begin. Stopped a second time, it stays stopped as it was. */
export async function stopContact(
  t: TenantTx,
  workflowSid: string,
  asked: string,
  { reason = null }: { reason?: ContactStopReason['reason'] | null },
): Promise<WorkflowContactStop> {
  // Whoever starts a run holds the workflow too: none can begin while this looks for those under way.
  await lockWorkflow(t, workflowSid);
  const contactSid = await survivorOf(t, asked);
  const stored = await t.maybe<Row>(sql`
    insert into workflow_contact_stops (account_sid, livemode, workflow_sid, contact_sid, reason, stopped_by, created_at)
    values (${t.accountSid}, ${t.livemode}, ${workflowSid}, ${contactSid}, ${reason}, ${principalName(t.principal)},
      ${t.now})
    on conflict do nothing returning ${columns}`);
  if (!stored) return findStop(t, workflowSid, contactSid);
  const runs = await endRuns(t, { workflowSid, contactSid, outcome: 'contact' });
  const stop = toStop(stored);
  const { name: action } = contactStopEvents.contact_stopped;
  audit(t, { action, resource: workflowSid, facts: { contactSid, runs } });
  emit(t, contactStopEvents.contact_stopped, stop);
  return stop;
}

async function findStop(t: TenantTx, workflowSid: string, contactSid: string): Promise<WorkflowContactStop> {
  const row = await t.one<Row>(sql`
    select ${columns} from workflow_contact_stops
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and workflow_sid = ${workflowSid}
       and contact_sid = ${contactSid}`);
  return toStop(row);
}

/** Lets runs begin again; none that ended comes back. Where nothing was stopped, nothing changes. */
export async function resumeContact(t: TenantTx, workflowSid: string, asked: string): Promise<void> {
  await lockWorkflow(t, workflowSid);
  const contactSid = await survivorOf(t, asked);
  const removed = await t.maybe<Row>(sql`
    delete from workflow_contact_stops
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and workflow_sid = ${workflowSid}
       and contact_sid = ${contactSid}
    returning ${columns}`);
  if (!removed) return;
  const { name: action } = contactStopEvents.contact_resumed;
  audit(t, { action, resource: workflowSid, facts: { contactSid } });
  emit(t, contactStopEvents.contact_resumed, toStop(removed));
}

/** Ends every run that is under way now. The workflow itself goes on as it is. */
export async function stopRuns(t: TenantTx, workflowSid: string): Promise<StoppedRuns> {
  await lockWorkflow(t, workflowSid);
  const stopped = await endAllRuns(t, workflowSid);
  const remaining = await countActiveRuns(t, workflowSid);
  audit(t, { action: 'workflow.runs_stopped', resource: workflowSid, facts: { stopped, remaining } });
  const { accountSid, livemode } = t;
  return { object: 'stopped_workflow_runs', workflowSid, accountSid, livemode, stopped, remaining };
}
