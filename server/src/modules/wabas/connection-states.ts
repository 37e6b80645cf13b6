// What was last seen of the connection to a business account, beside whether there is one: three aspects, none of which follows
// from another. A token may be refused while events still come, and events may be missing while messages leave.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { unfinishedAmong } from '../operations/index.ts';

export const tokenStates = ['VALID', 'INVALID', 'UNKNOWN'] as const;
export const subscriptionStates = ['SUBSCRIBED', 'MISSING', 'UNKNOWN'] as const;

export type Seen = {
  token: (typeof tokenStates)[number];
  subscription: (typeof subscriptionStates)[number];
};
export type ConnectionStates = Seen & {
  /** What works on the connection; null when nothing does. */
  operationSid: string | null;
};

type Row = Seen & { wabaSid: string; operationSid: string | null };

const nothingSeen: ConnectionStates = { token: 'UNKNOWN', subscription: 'UNKNOWN', operationSid: null };

export async function connectionStates(
  t: TenantTx,
  wabaSids: readonly string[],
): Promise<ReadonlyMap<string, ConnectionStates>> {
  const rows = await t.many<Row>(sql`
    select waba_sid as "wabaSid", token, subscription, operation_sid as "operationSid" from waba_connections
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and waba_sid = any(${[...wabaSids]}::text[])`);
  const unfinished = await unfinishedAmong(
    t,
    rows.flatMap(({ operationSid }) => operationSid ?? []),
  );
  const known = new Map(
    rows.map(({ wabaSid, operationSid, ...seen }) => {
      const working = operationSid !== null && unfinished.has(operationSid) ? operationSid : null;
      return [wabaSid, { ...seen, operationSid: working }];
    }),
  );
  return new Map(wabaSids.map((sid) => [sid, known.get(sid) ?? nothingSeen]));
}

export const connectionStateOf = async (t: TenantTx, wabaSid: string): Promise<ConnectionStates> =>
  (await connectionStates(t, [wabaSid])).get(wabaSid)!;

/** Writes down what was seen; what is not named stays as it was known. Tells whether anything is new. */
export async function noteSeen(t: TenantTx, wabaSid: string, seen: Partial<Seen>): Promise<boolean> {
  const { token = null, subscription = null } = seen;
  const touched = await t.run(sql`
    insert into waba_connections as c (account_sid, livemode, waba_sid, token, subscription, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${wabaSid}, coalesce(${token}, 'UNKNOWN'), coalesce(${subscription}, 'UNKNOWN'), ${t.now})
    on conflict (account_sid, waba_sid) do update
      set token = coalesce(${token}, c.token), subscription = coalesce(${subscription}, c.subscription), updated_at = ${t.now}
     where (c.token, c.subscription) is distinct from (coalesce(${token}, c.token), coalesce(${subscription}, c.subscription))`);
  return touched > 0;
}

/** Before the provider is asked to send nothing more: whenever that arrives, it undoes what was subscribed until then. */
export async function noteUnsubscribing(t: TenantTx, wabaSid: string): Promise<void> {
  await t.run(sql`
    insert into waba_connections (account_sid, livemode, waba_sid, unsubscribed_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${wabaSid}, ${t.now}, ${t.now})
    on conflict (account_sid, waba_sid) do update set unsubscribed_at = ${t.now}, updated_at = ${t.now}`);
}

export async function unsubscribedSince(t: TenantTx, wabaSid: string, since: Date): Promise<boolean> {
  const row = await t.maybe(sql`
    select from waba_connections
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and waba_sid = ${wabaSid} and unsubscribed_at > ${since}`);
  return row !== undefined;
}

/** One operation at a time works on a connection. To be called under the lock of the account. */
export async function refuseWhileWorkedOn(t: TenantTx, wabaSid: string): Promise<void> {
  const { operationSid } = await connectionStateOf(t, wabaSid);
  if (operationSid !== null)
    throw new ApiError('CONFLICT', {
      message: `The operation ${operationSid} works on the connection of this account already.`,
    });
}

/** From now on this operation works on the connection. What another found is forgotten. */
export async function workOnConnection(t: TenantTx, wabaSid: string, operationSid: string): Promise<void> {
  await t.run(sql`
    insert into waba_connections (account_sid, livemode, waba_sid, operation_sid, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${wabaSid}, ${operationSid}, ${t.now})
    on conflict (account_sid, waba_sid) do update
      set operation_sid = ${operationSid}, found = null, updated_at = ${t.now}`);
}

/** What the operation found before it changed anything: the first time counts, however often it was interrupted since. */
export async function keepFound<Found extends object>(
  t: TenantTx,
  wabaSid: string,
  operationSid: string,
  found: Found,
): Promise<Found> {
  const row = await t.one<{ found: Found }>(sql`
    update waba_connections set found = coalesce(found, ${JSON.stringify(found)}::json), updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and waba_sid = ${wabaSid}
       and operation_sid = ${operationSid}
    returning found`);
  return row.found;
}
