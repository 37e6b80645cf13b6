// What a lane needs to go on: the endpoint as it is now, and the next deliveries that are due.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { activeSecrets, type SealedSecrets } from '../endpoints/signing-secret.ts';
import { eventBody, type StoredEvent } from '../events/event-body.ts';
import type { Parcel, Target } from './attempt.ts';

export type Due = Parcel & { dueAt: string; tries: number; firstAttemptAt: string | null };
export type LaneState = Target & { open: boolean; concurrencyCap: number; generation: string };

type EndpointRow = SealedSecrets & Omit<LaneState, 'secrets'>;

export async function loadLane(t: TenantTx, endpointSid: string): Promise<LaneState> {
  const row = await t.one<EndpointRow>(sql`
    select e.sid, e.url, e.timeout_ms as "timeoutMs", e.concurrency_cap as "concurrencyCap", l.open, l.generation,
      e.sealed_secret as "sealedSecret", e.sealed_previous_secret as "sealedPreviousSecret",
      e.previous_secret_expires_at as "previousSecretExpiresAt"
      from webhook_endpoints e join webhook_lanes l on l.account_sid = e.account_sid and l.endpoint_sid = e.sid
     where e.account_sid = ${t.accountSid} and e.sid = ${endpointSid}`);
  const { url, timeoutMs, concurrencyCap, open, generation } = row;
  return { url, timeoutMs, concurrencyCap, open, generation, secrets: activeSecrets(t.sealer, row, t.now) };
}

/** The oldest that are due and not among those at hand. */
export async function loadDue(
  t: TenantTx,
  endpointSid: string,
  atHand: ReadonlySet<string>,
  most: number,
): Promise<Due[]> {
  // Those at hand are due too, and older: as many more are read as there are of them. That is cheaper than to tell the
  // database which ones they are, and it needs no place to write down who took what.
  const due = await t.many<{ deliverySid: string }>(sql`
    select delivery_sid as "deliverySid" from webhook_undelivered
     where account_sid = ${t.accountSid} and endpoint_sid = ${endpointSid} and due_at <= ${t.now}
     order by due_at, delivery_sid limit ${atHand.size + most}`);
  // What is no longer at hand was recorded, perhaps after it was read above; it is read again below, and seen as it is.
  const fresh = due.map(({ deliverySid }) => deliverySid).filter((sid) => !atHand.has(sid));
  return fresh.length === 0 ? [] : loadParcels(t, endpointSid, fresh.slice(0, most));
}

type Row = StoredEvent & Omit<Due, 'body' | 'eventSid'>;

async function loadParcels(t: TenantTx, endpointSid: string, deliverySids: string[]): Promise<Due[]> {
  const rows = await t.many<Row>(sql`
    select u.delivery_sid as "deliverySid", u.due_at as "dueAt", u.tries, u.first_attempt_at as "firstAttemptAt",
      d.api_version as version, ${eventColumns}
      from webhook_undelivered u
      join webhook_deliveries d on d.account_sid = u.account_sid and d.endpoint_sid = u.endpoint_sid
        and d.sid = u.delivery_sid
      join events ev on ev.account_sid = u.account_sid and ev.livemode = u.livemode and ev.sequence = u.event_sequence
     where u.account_sid = ${t.accountSid} and u.endpoint_sid = ${endpointSid}
       and u.delivery_sid = any (${deliverySids}::text[]) and u.due_at <= ${t.now}
     order by u.due_at, u.delivery_sid`);
  return rows.map((row) => ({
    deliverySid: row.deliverySid,
    eventSid: row.sid,
    version: row.version,
    body: Buffer.from(eventBody(row, row.version)),
    dueAt: row.dueAt,
    tries: row.tries,
    firstAttemptAt: row.firstAttemptAt,
  }));
}

export const eventColumns = sql`ev.sid, ev.type, ev.api_version as "apiVersion", ev.occurred_at as "occurredAt",
  ev.created_at as "createdAt", ev.sequence, ev.livemode, ev.account_sid as "accountSid",
  ev.subaccount_sid as "subaccountSid", ev.data::text as data`;
