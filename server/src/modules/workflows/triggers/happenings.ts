// Events as workflows see them: under the names definitions write, with the contact they are about and the run that caused them.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { HeardEvent } from '../../../platform/event-consumers/cursors.ts';
import { survivorsOf } from '../../contacts/index.ts';
import { customEvent, writtenAs } from '../grammar/catalogue.ts';
import { contactIn, runIn } from '../runs/event-data.ts';

/** The run that did what an event tells of. */
export type Cause = { runSid: string; workflowSid: string; contactSid: string | null; depth: number };

export type Happening = {
  sequence: string;
  sid: string;
  /** In the log. */
  type: string;
  /** In definitions. */
  written: string;
  data: object;
  contactSid: string | null;
  subjectSid: string | null;
  cause: Cause | null;
};

export async function happeningsOf(t: TenantTx, events: readonly HeardEvent[]): Promise<Happening[]> {
  if (events.length === 0) return [];
  const named = [...new Set(events.flatMap(({ data }) => contactIn(data) ?? []))];
  const [survivors, causeOf] = await Promise.all([survivorsOf(t, named), causesOf(t, events)]);
  return events.map((event) => {
    const { sequence, sid, type, resourceSid } = event;
    const data = event.data as object;
    const contactSid = survivors.get(contactIn(data) ?? '') ?? null;
    const written = type === customEvent ? (data as { eventType: string }).eventType : writtenAs(type);
    const subjectSid = contactSid ?? resourceSid;
    return { sequence, sid, type, written, data, contactSid, subjectSid, cause: causeOf(event) };
  });
}

/** Messages say which run sent them; what else a run did is found by the steps that tell of it. */
async function causesOf(
  t: TenantTx,
  events: readonly HeardEvent[],
): Promise<(event: HeardEvent) => Cause | null> {
  const runSids = [...new Set(events.flatMap(({ data }) => runIn(data) ?? []))];
  const silent = events.filter(({ data }) => runIn(data) === null).map(({ sid }) => sid);
  const rows = await t.many<Cause & { eventSid: string | null }>(sql`
    select r.sid as "runSid", r.workflow_sid as "workflowSid", r.contact_sid as "contactSid", r.depth, s.event_sid as "eventSid"
      from workflow_steps s join workflow_runs r on r.account_sid = s.account_sid and r.sid = s.run_sid
     where s.account_sid = ${t.accountSid} and s.livemode = ${t.livemode} and s.event_sid = any (${silent}::text[])
    union all
    select r.sid, r.workflow_sid, r.contact_sid, r.depth, null from workflow_runs r
     where r.account_sid = ${t.accountSid} and r.livemode = ${t.livemode} and r.sid = any (${runSids}::text[])`);
  const byKey = new Map(rows.map(({ eventSid, ...cause }) => [eventSid ?? cause.runSid, cause]));
  return ({ sid, data }) => byKey.get(runIn(data) ?? sid) ?? null;
}
