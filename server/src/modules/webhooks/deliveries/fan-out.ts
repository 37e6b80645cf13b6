// Events meet endpoints here: each event becomes one delivery for each endpoint that subscribes to it. The deliveries are written in
// the transaction that moves the cursor of this consumer, so that neither a crash nor two workers can miss an event or hand it on
// twice.
import type { TenantTx } from '../../../platform/db/database.ts';
import { passingQuery, plainArray, sql } from '../../../platform/db/query.ts';
import type { EventConsumer } from '../../../platform/event-consumers/consume.ts';
import type { EventRange } from '../../../platform/event-consumers/cursors.ts';
import { newSid } from '../../../platform/ids.ts';
import { fanOutName } from '../endpoints/endpoints.ts';
import { shapedFor } from '../events/versions.ts';
import { requestEvents } from '../requests/events.ts';
import { handAnswers, type RequestAnswer, unsent } from '../requests/requests.ts';
import { announceDue } from '../sending/lanes.ts';
import { isMeantFor, isOwnPing } from './meant-for.ts';

export const fanOut: EventConsumer = {
  name: fanOutName,
  async handle(t, range) {
    const matches = await matchesIn(t, range);
    const deliverable = matches.filter(({ disabled }) => !disabled);
    await Promise.all([...store(t, deliverable), handAnswers(t, unsentIn(matches))]);
    return undefined;
  },
};

type Match = {
  endpointSid: string;
  sequence: string;
  eventSid: string;
  type: string;
  resourceSid: string | null;
  pinned: string;
  made: string;
  suspended: boolean;
  /** Only of requests: whoever made one waits for an answer that will not come. */
  disabled: boolean;
};

const matchesIn = (t: TenantTx, { after, to }: EventRange) =>
  t.many<Match>(
    passingQuery(sql`
    select e.sid as "endpointSid", ev.sequence, ev.sid as "eventSid", ev.type, ev.resource_sid as "resourceSid",
      e.api_version as pinned, ev.api_version as made, e.suspended_at is not null and e.verified_at is not null as suspended,
      e.disabled_at is not null as disabled
      from events ev
      join webhook_endpoints e on e.account_sid = ev.account_sid and e.livemode = ev.livemode
     where ev.account_sid = ${t.accountSid} and ev.livemode = ${t.livemode}
       and ev.sequence > ${after} and ev.sequence <= ${to}
       and (e.disabled_at is null or ev.type = ${requestEvents.made.name}) and e.subscribed_after < ev.sequence
       and ${isMeantFor} and not ${isOwnPing}
     order by ev.sequence`),
  );

/** Requests that are not sent: their makers need not wait. */
const unsentIn = (matches: Match[]): RequestAnswer[] =>
  matches
    .filter(({ type, disabled, suspended }) => type === requestEvents.made.name && (disabled || suspended))
    .map(({ resourceSid, endpointSid, disabled }) =>
      unsent({ key: resourceSid!, endpointSid, deliverySid: null }, disabled ? 'disabled' : 'suspended'),
    );

function store(t: TenantTx, matches: Match[]): Promise<unknown>[] {
  if (matches.length === 0) return [];
  const column = <K extends keyof Match>(name: K) => matches.map((match) => match[name]);
  const plain = (name: 'endpointSid' | 'sequence' | 'eventSid' | 'type') => plainArray(column(name));
  const endpointSids = (wanted: { suspended: boolean }) => [
    ...new Set(
      matches.filter(({ suspended }) => suspended === wanted.suspended).map(({ endpointSid }) => endpointSid),
    ),
  ];
  const isSuspended = sql`endpoint_sid = any (${endpointSids({ suspended: true })}::text[])`;
  const stored = t.run(
    passingQuery(sql`
    with kept as (
      insert into webhook_deliveries (account_sid, livemode, endpoint_sid, sid, event_sequence, event_sid, event_type,
        resource_sid, api_version, created_at)
      select ${t.accountSid}, ${t.livemode}, item.*, ${t.now}
        from unnest(${plain('endpointSid')}::text[], ${plainArray(matches.map(() => newSid('WD', t.now)))}::text[],
          ${plain('sequence')}::bigint[], ${plain('eventSid')}::text[], ${plain('type')}::text[],
          ${column('resourceSid')}::text[],
          ${plainArray(matches.map(({ pinned, made }) => shapedFor(pinned, made)))}::text[]) as item
      on conflict (account_sid, endpoint_sid, event_sequence) do nothing
      returning endpoint_sid, sid, event_sequence, api_version)
    insert into webhook_undelivered (account_sid, livemode, endpoint_sid, delivery_sid, event_sequence, api_version,
        due_at, gave_up)
    select ${t.accountSid}, ${t.livemode}, endpoint_sid, sid, event_sequence, api_version,
      case when not ${isSuspended} then ${t.now}::timestamptz end, case when ${isSuspended} then 'suspended' end
      from kept`),
  );
  return [stored, announceDue(t, endpointSids({ suspended: false }), t.now)];
}
