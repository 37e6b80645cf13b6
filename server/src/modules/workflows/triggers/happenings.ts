// Events as workflows see them: under the names definitions write, with the contact they are about and the run that caused them.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { HeardEvent } from '../../../platform/event-consumers/cursors.ts';
import { changedHands, contactsNow } from '../../contacts/index.ts';
import { customEvent, writtenAs } from '../grammar/catalogue.ts';
import { addressIn, contactIn, runIn } from '../runs/event-data.ts';

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
  const [contactOf, causeOf] = await Promise.all([contactsIn(t, events), causesOf(t, events)]);
  return events.map((event) => {
    const { sequence, sid, type, resourceSid } = event;
    const data = event.data as object;
    const contactSid = contactOf(data);
    const written = type === customEvent ? (data as { eventType: string }).eventType : writtenAs(type);
    const subjectSid = contactSid ?? resourceSid;
    return { sequence, sid, type, written, data, contactSid, subjectSid, cause: causeOf(event) };
  });
}

/** By the data of an event: the contact it is about, as they are called now. */
async function contactsIn(t: TenantTx, events: readonly { data: unknown }[]) {
  const namedIn = (data: unknown) => {
    const contactSid = contactIn(data);
    return contactSid === null ? null : { contactSid, address: addressIn(data) };
  };
  const contactNow = await contactsNow(
    t,
    events.flatMap(({ data }) => namedIn(data) ?? []),
  );
  return (data: unknown): string | null => {
    const named = namedIn(data);
    return named && contactNow(named);
  };
}

/**
 * Once the runs of contacts are locked: a merge, or the end of one, that came between looking up the contacts and locking took runs
 * elsewhere, and all of it is done again.
 */
export async function requireSameContacts(t: TenantTx, happenings: readonly Happening[]): Promise<void> {
  const contactOf = await contactsIn(t, happenings);
  if (happenings.some(({ data, contactSid }) => contactOf(data) !== contactSid)) throw changedHands();
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
