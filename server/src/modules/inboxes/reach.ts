// Which inboxes a caller reaches. Who holds a scope on the account reaches all of its inboxes. Who holds it inside
// single inboxes reaches those, and a person only where they are a member as well: a role says what they may do in an
// inbox, membership that it is theirs.
import type { Tenant, TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import type { Principal } from '../../platform/principal.ts';
import { hasInboxScope } from '../roles/index.ts';

/** Whoever asks, and where: all that their reach follows from. */
export type Asking = Tenant & { principal: Principal };

/** Whether the caller may do this anywhere in the account, inboxes and what is in none alike. */
export const holdsOnAccount = ({ principal, accountSid }: Asking, scope: string): boolean =>
  principal.kind === 'system' || (principal.scopesOn(accountSid)?.has(scope) ?? false);

/** A condition on rows of inboxes, called `i`: those in which the caller holds the scope. */
export function withinReach(t: Asking, scope: string): Sql {
  const { principal } = t;
  if (holdsOnAccount(t, scope)) return sql`true`;
  const theirs = sql`i.sid = any (${boundTo(t, scope)})`;
  if (principal.kind !== 'user') return theirs;
  return sql`${theirs} and exists (select from inbox_members m
    where m.account_sid = i.account_sid and m.inbox_sid = i.sid and m.user_sid = ${principal.ref})`;
}

/** The inboxes in which the caller holds the scope by a role bound to the inbox itself. */
const boundTo = ({ principal }: Asking, scope: string): string[] =>
  [...principal.partScopes.keys()].filter((sid) => hasInboxScope(principal, sid, scope));

/** The inboxes in which the caller holds the scope, as a query; null for whoever holds it on the account. */
export function inboxesWithinReach(t: Asking, scope: string): Sql | null {
  if (holdsOnAccount(t, scope)) return null;
  return sql`select i.sid from inboxes i
    where i.account_sid = ${t.accountSid} and i.livemode = ${t.livemode} and ${withinReach(t, scope)}`;
}

/** Of these inboxes, those in which the caller holds the scope. */
export async function inboxesAmongReach(t: TenantTx, sids: string[], scope: string): Promise<string[]> {
  const rows = await t.many<{ sid: string }>(sql`
    select i.sid from inboxes i
     where i.account_sid = ${t.accountSid} and i.livemode = ${t.livemode} and i.sid = any (${sids}::text[])
       and ${withinReach(t, scope)}`);
  return rows.map(({ sid }) => sid);
}

/** The inboxes the caller is a member of and holds the scope in, as a query: those that are theirs, however far they reach. A key is a member of none. */
export function inboxesJoined(t: Asking, scope: string): Sql {
  const held = holdsOnAccount(t, scope) ? sql`true` : sql`m.inbox_sid = any (${boundTo(t, scope)})`;
  return sql`select m.inbox_sid from inbox_members m
    where m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode} and m.user_sid = ${t.principal.ref} and ${held}`;
}

/** Whether the caller may do this in this inbox: by the account, or by the inbox itself. */
export async function reachesInbox(t: TenantTx, inboxSid: string, scope: string): Promise<boolean> {
  return (await inboxesAmongReach(t, [inboxSid], scope)).length > 0;
}

export type Membership = { inboxSid: string; userSid: string };

/** Which of these people are members of these inboxes. */
export async function membersAmong(
  t: TenantTx,
  asked: readonly Membership[],
): Promise<(one: Membership) => boolean> {
  const key = ({ inboxSid, userSid }: Membership) => `${inboxSid} ${userSid}`;
  const rows =
    asked.length === 0
      ? []
      : await t.many<Membership>(sql`
          select inbox_sid as "inboxSid", user_sid as "userSid" from inbox_members
           where account_sid = ${t.accountSid} and livemode = ${t.livemode}
             and (inbox_sid, user_sid) in (select * from unnest(
               ${asked.map(({ inboxSid }) => inboxSid)}::text[], ${asked.map(({ userSid }) => userSid)}::text[]))`);
  const members = new Set(rows.map(key));
  return (one) => members.has(key(one));
}

/** The members of an inbox, by SID, a page at a time. */
export async function membersOf(
  t: TenantTx,
  inboxSid: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await t.many<{ userSid: string }>(sql`
    select user_sid as "userSid" from inbox_members
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and inbox_sid = ${inboxSid}
       and user_sid > ${after}
     order by user_sid limit ${limit}`);
  return rows.map(({ userSid }) => userSid);
}

export async function inboxExists(t: TenantTx, inboxSid: string): Promise<boolean> {
  const found = await t.maybe(sql`
    select 1 from inboxes
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${inboxSid}`);
  return found !== undefined;
}
