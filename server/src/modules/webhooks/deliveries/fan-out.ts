// Events meet endpoints here: each event becomes one delivery for each endpoint that subscribes to it. How far an account
// has come is a number in the database, moved in the transaction that writes the deliveries, so that neither a crash nor
// two workers can miss an event or hand it on twice.

import type { Tenant, TenantTx } from '../../../platform/db/database.ts';
import { passingQuery, plainArray, sql } from '../../../platform/db/query.ts';
import { eventChannel } from '../../../platform/events.ts';
import { newRequestId, newSid } from '../../../platform/ids.ts';
import type { Loop, LoopContext } from '../../../platform/jobs/claim-loop.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { shapedFor } from '../events/versions.ts';
import { announceDue } from '../sending/lanes.ts';
import { isMeantFor, isOwnPing } from './meant-for.ts';

const batch = 1_000;
const accountsAtOnce = 4;
const accountsPerTurn = 100;

const isBehind = sql`webhook_cursors c join event_heads h using (account_sid, livemode) where h.sequence > c.sequence`;

export const fanOut: Loop = {
  name: 'webhooks.fan-out',
  toldOn: [eventChannel],
  nextDue: () => sql`(select '-infinity'::timestamptz from ${isBehind} limit 1)`,
  apartMs: 20,
  begin: (context) => ({ turn: () => fanOutOnce(context) }),
};

/** Hands on what is new in accounts that are behind. True when some may have more. */
export async function fanOutOnce(context: LoopContext): Promise<boolean> {
  const behind = await context.database.ask<Tenant>(sql`
    select c.account_sid as "accountSid", c.livemode from ${isBehind} limit ${accountsPerTurn}`);
  let more = behind.length === accountsPerTurn;
  const waiting = behind.values();
  const follow = async () => {
    for (const tenant of waiting) {
      if ((await handOn(context, tenant)) === batch) more = true;
    }
  };
  await Promise.all(Array.from({ length: Math.min(accountsAtOnce, behind.length) }, follow));
  return more;
}

async function handOn({ database, now, log }: LoopContext, tenant: Tenant): Promise<number> {
  const requestContext = {
    principal: systemPrincipal('webhooks.fan-out', tenant.livemode),
    now: now(),
    requestId: newRequestId(),
    log,
  };
  return database.write(tenant, requestContext, handOnBatch);
}

/** Hands on the next events of an account and tells how many they were; none while somebody else does. */
export async function handOnBatch(t: TenantTx): Promise<number> {
  const cursor = await t.maybe<{ sequence: string }>(sql`
    select sequence from webhook_cursors
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} for update skip locked`);
  if (!cursor) return 0;
  const [{ head }, matches] = await Promise.all([
    lastOfBatch(t, cursor.sequence),
    matchesAfter(t, cursor.sequence),
  ]);
  if (head === null) return 0;
  await Promise.all([
    ...store(t, matches),
    t.run(sql`
      update webhook_cursors set sequence = ${head}
       where account_sid = ${t.accountSid} and livemode = ${t.livemode}`),
  ]);
  return Number(BigInt(head) - BigInt(cursor.sequence));
}

const inBatch = (t: TenantTx, after: string) => sql`
  ev.account_sid = ${t.accountSid} and ev.livemode = ${t.livemode}
    and ev.sequence > ${after} and ev.sequence <= ${after}::bigint + ${batch}::bigint`;

const lastOfBatch = (t: TenantTx, after: string) =>
  t.one<{ head: string | null }>(
    sql`select max(ev.sequence) as head from events ev where ${inBatch(t, after)}`,
  );

type Match = {
  endpointSid: string;
  sequence: string;
  eventSid: string;
  type: string;
  resourceSid: string | null;
  pinned: string;
  made: string;
  suspended: boolean;
};

const matchesAfter = (t: TenantTx, after: string) =>
  t.many<Match>(
    passingQuery(sql`
    select e.sid as "endpointSid", ev.sequence, ev.sid as "eventSid", ev.type, ev.resource_sid as "resourceSid",
      e.api_version as pinned, ev.api_version as made, e.suspended_at is not null and e.verified_at is not null as suspended
      from events ev
      join webhook_endpoints e on e.account_sid = ev.account_sid and e.livemode = ev.livemode
     where ${inBatch(t, after)}
       and e.disabled_at is null and e.subscribed_after < ev.sequence
       and ${isMeantFor} and not ${isOwnPing}
     order by ev.sequence`),
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
