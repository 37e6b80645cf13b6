// People whose data is kept and not used, because a privacy request says so. They are not written to, not searched for, in no audience and
// in no file; nobody changes or merges them. What they say themselves is recorded as before.
import type { Asked, MergedQueries, TenantTx } from '../../platform/db/database.ts';
import { accountsOf } from '../../platform/db/merge.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import { declareFact, factOf } from '../../platform/kept-facts.ts';
import { contactEvents } from './events.ts';

/** A condition that is true where the contact with this SID is restricted: a column with the name of its table. */
export const isRestricted = (
  { accountSid }: Pick<TenantTx, 'accountSid'>,
  contactSid: Sql,
): Sql => sql`exists (
  select from contact_restrictions r where r.account_sid = ${accountSid} and r.contact_sid = ${contactSid})`;

/** Most accounts restrict nobody, and have nothing to ask for with every message. */
const anybodyRestricted = declareFact<null, boolean>({
  name: 'anybody_restricted',
  of: 'account',
  key: () => '',
  load: async (t) => [await restrictsAnybody(t)],
});

export async function restrictsAnybody(t: TenantTx): Promise<boolean> {
  const found = await t.maybe(sql`
    select from contact_restrictions where account_sid = ${t.accountSid} and livemode = ${t.livemode} limit 1`);
  return found !== undefined;
}

/** Those of these contacts that are restricted, with the request that says so; costs nothing where nobody is. */
export async function restrictionsOf(
  t: TenantTx,
  contactSids: readonly string[],
): Promise<Map<string, string>> {
  if (contactSids.length === 0 || !(await factOf(t, anybodyRestricted))) return new Map();
  return restrictionsNow(t, contactSids);
}

/** The same as it stands now, whatever was kept before. */
export async function restrictionsNow(
  t: TenantTx,
  contactSids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await t.merged(findRestrictions, [...contactSids]);
  return new Map(rows.map(({ contactSid, requestSid }) => [contactSid, requestSid]));
}

const findRestrictions = (q: MergedQueries, asked: readonly Asked<string>[]) =>
  q.many<{ accountSid: string; contactSid: string; requestSid: string }>(sql`
    select person.account_sid as "accountSid", person.contact_sid as "contactSid", standing.request_sid as "requestSid"
      from unnest(${accountsOf(asked)}::text[], ${asked.map(({ item }) => item)}::text[]) as person (account_sid, contact_sid)
     cross join lateral (
       select r.request_sid from contact_restrictions r
        where r.account_sid = person.account_sid and r.contact_sid = person.contact_sid
        order by r.request_sid limit 1) as standing`);

/** Why a restricted contact is not changed. */
export const restrictedConflict = (contactSid: string, requestSid: string, path = 'contactSid'): ApiError =>
  new ApiError('CONFLICT', {
    message: `The contact is restricted by the privacy request ${requestSid}.`,
    details: [{ path, issue: `${contactSid} is restricted by ${requestSid}` }],
  });

/** Refuses what would change one of them. */
export async function refuseRestricted(t: TenantTx, contactSids: readonly string[]): Promise<void> {
  for (const [contactSid, requestSid] of await restrictionsNow(t, contactSids))
    throw restrictedConflict(contactSid, requestSid);
}

/** Restricts a contact that the caller has locked. Once this is answered nothing more leaves for them. */
export async function restrictContact(t: TenantTx, contactSid: string, requestSid: string): Promise<void> {
  await t.run(sql`
    insert into contact_restrictions (account_sid, livemode, contact_sid, request_sid, created_at)
    values (${t.accountSid}, ${t.livemode}, ${contactSid}, ${requestSid}, ${t.now})`);
  t.outwait(contactSid);
  emit(t, contactEvents.restricted, told(t, contactSid, requestSid));
}

/** What another request restricts stays restricted. */
export async function unrestrictContact(t: TenantTx, contactSid: string, requestSid: string): Promise<void> {
  await t.run(sql`
    delete from contact_restrictions
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid} and request_sid = ${requestSid}`);
  emit(t, contactEvents.unrestricted, told(t, contactSid, requestSid));
}

const told = ({ accountSid, livemode }: TenantTx, contactSid: string, requestSid: string) => ({
  object: 'contact_restriction' as const,
  contactSid,
  accountSid,
  livemode,
  requestSid,
});
