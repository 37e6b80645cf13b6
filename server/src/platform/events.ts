// The event log. Events are gathered during a transaction and written with it, under the head's row lock, so that an
// account's sequence has no gap and its order is the order of commit.
import type { Static, TObject, TSchema } from 'typebox';
import type { Flush, TenantTx } from './db/database.ts';
import { plainArray, type Sql, sql } from './db/query.ts';
import { newSid } from './ids.ts';

/** The versions of the API, oldest first. Events are made in the last. */
export const apiVersions = ['2026-05-04', '2026-08-21'] as const;
export type ApiVersion = (typeof apiVersions)[number];
export const apiVersion = '2026-08-21' satisfies ApiVersion;

/** A type of event, as the module that emits it declares it in its manifest. */
export type EventType<Data extends object = object> = {
  name: string;
  /** The version of the API it first appeared in. */
  since: ApiVersion;
  description: string;
  /** What its data looks like: the resource, as its module answers with it. */
  schema: TSchema;
  /** Made-up data that passes the schema. */
  sample: Data;
  /** Which of its members says what it is about, where the data has no SID or id of its own. */
  resource?: string;
  /** The scopes any one of which lets somebody hear of it, where no operation reads its resource. */
  heardBy?: readonly string[];
};

type Declaration<Data> = {
  since: ApiVersion;
  description: string;
  /** In what the sample of this type differs from the sample of the resource. */
  sample?: Partial<Data>;
};

/** The types of event about one resource: `declareEvents('inbox', Inbox, inboxSample, { created: … }).created`. */
export function declareEvents<S extends TObject, Verb extends string>(
  noun: string,
  schema: S,
  sample: Static<S>,
  declarations: Record<Verb, Declaration<Static<S>>>,
  resource?: keyof Static<S> & string,
): Record<Verb, EventType<Static<S>>> {
  const entries = Object.entries<Declaration<Static<S>>>(declarations);
  const types = entries.map(([verb, { sample: differing, ...declared }]) => [
    verb,
    { name: `${noun}.${verb}`, ...declared, schema, sample: { ...sample, ...differing }, resource },
  ]);
  return Object.fromEntries(types);
}

/** Says who may hear of these, where no operation reads their resource: whoever holds one of the scopes. */
export function heardBy<Types extends Record<string, EventType>>(
  scopes: readonly string[],
  types: Types,
): Types {
  for (const type of Object.values(types)) type.heardBy = scopes;
  return types;
}

type NewEvent = {
  sid: string;
  type: string;
  data: object;
  resourceSid: string | null;
  occurredAt: Date;
  /** What is written of `data`, once somebody has asked for it. */
  text: string | null;
};

const textOf = (event: NewEvent): string => {
  event.text ??= JSON.stringify(event.data);
  return event.text;
};

const separator = '\u001e';

const eventLog: Flush<NewEvent> = {
  name: 'events',
  write(shares) {
    const { livemode, now } = shares[0]!.t;
    const items = shares.flatMap((share) => share.items);
    if (items.length === 1) return [oneEvent(shares[0]!.t, items[0]!)];
    const accounts = shares.map(({ t }) => t.accountSid);
    const counts = shares.map((share) => share.items.length);
    const owners = shares.flatMap(({ t, items }) => items.map(() => t.accountSid));
    // How many events of its account come after each.
    const after = shares.flatMap(({ items }) => items.map((_, at) => items.length - 1 - at));
    const sids = items.map(({ sid }) => sid);
    const types = items.map(({ type }) => type);
    const resources = items.map(({ resourceSid }) => resourceSid);
    const occurredAt = items.map((item) => item.occurredAt.toISOString());
    // One text instead of an array of texts, whose every quote would be escaped: JSON has no control characters in it.
    const data = items.map(textOf).join(separator);
    return [
      sql`
        with head as (
          insert into event_heads as h (account_sid, livemode, sequence)
          select account_sid, ${livemode}, events
            from unnest(${plainArray(accounts)}::text[], ${plainArray(counts)}::bigint[]) as share (account_sid, events)
           order by account_sid
          on conflict (account_sid, livemode) do update set sequence = h.sequence + excluded.sequence
          returning account_sid, sequence)
        insert into events (account_sid, livemode, sequence, sid, type, api_version, resource_sid,
          occurred_at, created_at, data)
        select head.account_sid, ${livemode}, head.sequence - item.after, item.sid, item.type, ${apiVersion},
          item.resource_sid, item.occurred_at, ${now}, item.data::json
          from unnest(${plainArray(owners)}::text[], ${plainArray(after)}::bigint[], ${plainArray(sids)}::text[],
            ${plainArray(types)}::text[], ${resources}::text[], ${plainArray(occurredAt)}::timestamptz[],
            string_to_array(${data}, ${separator}))
            as item (account_sid, after, sid, type, resource_sid, occurred_at, data)
          join head on head.account_sid = item.account_sid`,
    ];
  },
};

/** Nearly every transaction tells of one event: without lists it costs the database a fifth less. */
const oneEvent = (t: TenantTx, event: NewEvent): Sql => sql`
  with head as (
    insert into event_heads as h (account_sid, livemode, sequence) values (${t.accountSid}, ${t.livemode}, 1)
    on conflict (account_sid, livemode) do update set sequence = h.sequence + 1
    returning sequence)
  insert into events (account_sid, livemode, sequence, sid, type, api_version, resource_sid, occurred_at, created_at,
    data)
  select ${t.accountSid}, ${t.livemode}, head.sequence, ${event.sid}, ${event.type}, ${apiVersion},
    ${event.resourceSid}::text, ${event.occurredAt}::timestamptz, ${t.now}::timestamptz, ${textOf(event)}::json from head`;

/** Where it is told that events happened. */
export const eventChannel = 'events';

const announced = new WeakMap<object, NewEvent>();

type Inspector = (type: EventType, data: object) => void;
let inspector: Inspector | null = null;

/** Tests look at everything this process emits. */
export function inspectEvents(inspect: Inspector): void {
  inspector = inspect;
}

type Reaction = (t: TenantTx, data: object) => void;
let reactions: ReadonlyMap<string, Reaction> = new Map();

/** Lets something else be written with every event of a type, in its transaction. Told once, at the start. */
export function reactToEvents(byType: ReadonlyMap<string, Reaction>): void {
  reactions = byType;
}

/**
 * Announces a change: `data` is the full resource as it is after the event. What somebody outside told happened when they
 * say, but never after we heard of it: their clock may be ahead of ours, or wrong.
 */
export function emit<Data extends object>(
  t: TenantTx,
  type: EventType<Data>,
  data: NoInfer<Data>,
  toldAt: Date = t.now,
): void {
  inspector?.(type, data);
  const { sid, id, [type.resource ?? '']: other } = data as Record<string, string | undefined>;
  const occurredAt = toldAt < t.now ? toldAt : t.now;
  const resourceSid = sid ?? id ?? other ?? null;
  const event = { sid: newSid('EV', t.now), type: type.name, data, resourceSid, occurredAt, text: null };
  announced.set(data, event);
  t.atCommit(eventLog, event);
  t.tell(eventChannel);
  reactions.get(type.name)?.(t, data);
}

/** The event that announces this very object, and the text it is told in: who answers with it need not write it again. */
export function announcementOf(data: unknown): { eventSid: string; text: string } | null {
  const event = typeof data === 'object' && data !== null ? announced.get(data) : undefined;
  return event ? { eventSid: event.sid, text: textOf(event) } : null;
}

export type LoggedEvent = { sid: string; type: string; createdAt: string; data: unknown };

/** What happened to one resource, in order. */
export function eventsOf(t: TenantTx, resourceSid: string): Promise<LoggedEvent[]> {
  return t.many<LoggedEvent>(sql`
    select sid, type, created_at as "createdAt", data from events
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and resource_sid = ${resourceSid}
     order by sequence`);
}

/** Takes these members out of what events about the resources tell: for what must not be known any more. */
export async function blankEvents(
  t: TenantTx,
  resourceSids: readonly string[],
  members: readonly string[],
): Promise<void> {
  const own = sql`e.account_sid = ${t.accountSid} and e.livemode = ${t.livemode}`;
  // They are neighbours, and hardly any has events left: one look at the stretch is less than one for each.
  const [first, last] = endsOf(resourceSids);
  const known = new Set(resourceSids);
  const found = await t.many<{ sequence: string; resourceSid: string; data: object }>(sql`
    select e.sequence, e.resource_sid as "resourceSid", e.data from events e
     where ${own} and e.resource_sid >= ${first} and e.resource_sid <= ${last}`);
  const events = found.filter(({ resourceSid }) => known.has(resourceSid));
  if (events.length === 0) return;
  // Not by PostgreSQL, whose functions refuse what people can write (\u0000).
  const blanked = events.map(({ data }) => JSON.stringify({ ...data, ...nulls(members) }));
  await t.run(sql`
    update events e set data = item.data::json
      from unnest(${events.map(({ sequence }) => sequence)}::bigint[], ${blanked}::text[]) as item (sequence, data)
     where ${own} and e.sequence = item.sequence`);
}

function endsOf(sids: readonly string[]): [first: string, last: string] {
  let [first, last] = [sids[0]!, sids[0]!];
  for (const sid of sids) {
    if (sid < first) first = sid;
    if (sid > last) last = sid;
  }
  return [first, last];
}

const erasedEnd = ',"erased":true}';

const untouched = sql`right(e.data::text, ${erasedEnd.length}) <> ${erasedEnd}`;

/** Events about the resources that name one of these, too, and were not erased. */
export const eventsNaming = (t: TenantTx, resourceSids: readonly string[], names: readonly string[]) =>
  t.many<{ sid: string }>(sql`
    select e.sid from events e
     where e.account_sid = ${t.accountSid} and e.livemode = ${t.livemode} and e.resource_sid = any (${[...resourceSids]}::text[])
       and e.data::text ~ ${names.join('|')} and ${untouched}`);

/** The events among SIDs of anything. */
export const eventSids = (sids: readonly string[]) => sids.filter((sid) => /^EV[0-9A-Z]{26}$/.test(sid));

/** Leaves of events about the resources, or named themselves, only what they are about; tells how many there were that told more. */
export const eraseEvents = (t: TenantTx, resourceSids: readonly string[]): Promise<number> => {
  const named = eventSids(resourceSids);
  const themselves = named.length > 0 ? sql`or e.sid = any (${named}::text[])` : sql``;
  // What a resource is stands first in it, and words can have no bare quotes: its text is searched, since the functions for JSON refuse
  // what people can write (\u0000).
  return t.run(sql`
    update events e set data = concat('{"object":"', substring(e.data::text from '"object":"([a-z_.]+)"'),
        case when e.resource_sid ~ '^[A-Z]{2}[0-9A-Z]{26}$' then '","sid":"' else '","id":"' end, e.resource_sid,
        '","accountSid":"', e.account_sid, '","livemode":', e.livemode::text, ${erasedEnd}::text)::json
     where e.account_sid = ${t.accountSid} and e.livemode = ${t.livemode}
       and (e.resource_sid = any (${[...resourceSids]}::text[]) ${themselves}) and ${untouched}`);
};

const nulls = (members: readonly string[]) => Object.fromEntries(members.map((name) => [name, null]));
