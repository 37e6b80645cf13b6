// What a lane needs to go on: the endpoint as it is now, and the next deliveries that are due.
import { createSecretKey } from 'node:crypto';
import type { TenantTx } from '../../../platform/db/database.ts';
import { passingQuery, plainArray, sql } from '../../../platform/db/query.ts';
import { subaccountSidOf } from '../../accounts/index.ts';
import { openHeaders } from '../endpoints/headers.ts';
import { activeSecrets, type SealedSecrets } from '../endpoints/signing-secret.ts';
import { eventBody, type StoredEvent } from '../events/event-body.ts';
import { requestEvents, type WebhookRequest } from '../requests/events.ts';
import type { Parcel, Target } from './attempt.ts';

export type Due = Parcel & {
  dueAt: string;
  tries: number;
  firstAttemptAt: string | null;
  /** The key of a request, whose answer somebody waits for. */
  requestKey: string | null;
};
export type LaneState = Target & {
  open: boolean;
  concurrencyCap: number;
  holder: string | null;
  generation: string;
};

type EndpointRow = SealedSecrets & { sealedHeaders: Buffer | null } & Omit<LaneState, 'secrets' | 'headers'>;

export async function loadLane(t: TenantTx, endpointSid: string): Promise<LaneState> {
  const row = await t.one<EndpointRow>(sql`
    select e.sid, e.url, e.livemode, e.timeout_ms as "timeoutMs", e.concurrency_cap as "concurrencyCap", l.open, l.holder, l.generation,
      e.sealed_secret as "sealedSecret", e.sealed_previous_secret as "sealedPreviousSecret",
      e.previous_secret_expires_at as "previousSecretExpiresAt", e.sealed_headers as "sealedHeaders"
      from webhook_endpoints e join webhook_lanes l on l.account_sid = e.account_sid and l.endpoint_sid = e.sid
     where e.account_sid = ${t.accountSid} and e.sid = ${endpointSid}`);
  const { url, livemode, timeoutMs, concurrencyCap, open, holder, generation } = row;
  // Key objects and not text: of text Node makes a key object at every signature.
  const secrets = activeSecrets(t.sealer, row, t.now).map((secret) => createSecretKey(secret, 'utf8'));
  const headers = openHeaders(t.sealer, endpointSid, row.sealedHeaders);
  return { url, livemode, timeoutMs, concurrencyCap, open, holder, generation, secrets, headers };
}

type Waiting = {
  deliverySid: string;
  sequence: string;
  version: string;
  dueAt: string;
  tries: number;
  firstAttemptAt: string | null;
};

/** The oldest that are due and not among those at hand. */
export async function loadDue(
  t: TenantTx,
  endpointSid: string,
  atHand: ReadonlySet<string>,
  most: number,
): Promise<Due[]> {
  // One that is recorded while this is read may still be seen as due; it was at hand when the reading began.
  const known = new Set(atHand);
  // Those at hand are due too, and older: as many more are read as there are of them. That is cheaper than to tell the
  // database which ones they are, and it needs no place to write down who took what.
  const waiting = await t.many<Waiting>(
    passingQuery(sql`
      select delivery_sid as "deliverySid", event_sequence as sequence, api_version as version, due_at as "dueAt", tries,
        first_attempt_at as "firstAttemptAt"
        from webhook_undelivered
       where account_sid = ${t.accountSid} and endpoint_sid = ${endpointSid} and due_at <= ${t.now}
       order by due_at, event_sequence limit ${known.size + most}`),
  );
  const fresh = waiting.filter(({ deliverySid }) => !known.has(deliverySid)).slice(0, most);
  return fresh.length === 0 ? [] : withBodies(t, fresh);
}

async function withBodies(t: TenantTx, waiting: Waiting[]): Promise<Due[]> {
  // Each by its key, and said so that no plan can do otherwise: by a list of numbers the planner reads all events of the
  // account, as long as it has no statistics of them.
  const events = await t.many<StoredEvent>(
    passingQuery(sql`
      select ev.* from unnest(${plainArray(waiting.map(({ sequence }) => sequence))}::bigint[]) as wanted (sequence)
        cross join lateral (
          select ${eventColumns} from events ev
           where ev.account_sid = ${t.accountSid} and ev.livemode = ${t.livemode} and ev.sequence = wanted.sequence
           limit 1) ev`),
  );
  const bySequence = new Map(events.map((event) => [event.sequence, event]));
  return waiting.map(({ sequence, ...one }) => {
    const event = bySequence.get(sequence)!;
    const body = Buffer.from(eventBody(event, one.version));
    return { ...one, eventSid: event.sid, body, requestKey: requestKeyOf(event) };
  });
}

const requestKeyOf = ({ type, data }: StoredEvent): string | null =>
  type === requestEvents.made.name ? (JSON.parse(data) as WebhookRequest).id : null;

export const eventColumns = sql`ev.sid, ev.type, ev.api_version as "apiVersion", ev.occurred_at as "occurredAt",
  ev.created_at as "createdAt", ev.sequence, ev.livemode, ev.account_sid as "accountSid",
  ${subaccountSidOf(sql`ev.account_sid`)} as "subaccountSid", ev.data::text as data`;
