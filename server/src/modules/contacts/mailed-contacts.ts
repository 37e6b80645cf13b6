// Contacts as whoever writes the same to very many of them needs them: whom a list stands for now, and what texts say about each.
import type { TenantTx } from '../../platform/db/database.ts';
import { plainArray, type Sql, sql } from '../../platform/db/query.ts';
import { isRestricted } from './restrictions.ts';

/**
 * Whom the contacts of a query stand for now, each once: `contact_sid` and `timezone` of the survivor. `named` selects `contact_sid`.
 * Nobody who is restricted is among them.
 */
export const peopleAmong = (t: TenantTx, named: Sql): Sql => sql`
  select s.sid as contact_sid, s.timezone from contacts s
    join (
      select distinct coalesce(c.merged_into, c.sid) as sid from contacts c join (${named}) n on n.contact_sid = c.sid
       where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode}) as person on person.sid = s.sid
   where s.account_sid = ${t.accountSid} and s.livemode = ${t.livemode} and not ${isRestricted(t, sql`s.sid`)}`;

export type MailedContact = {
  /** Whom the given SID stands for now. */
  contactSid: string;
  displayName: string | null;
  locale: string | null;
  /** Those that were asked for and are there. */
  attributes: Record<string, unknown>;
  /** Everybody who was merged into them. */
  mergedSids: string[];
};

/** By the SID that was given; one that does not exist is missing. */
export async function mailedContacts(
  t: TenantTx,
  sids: readonly string[],
  attributeNames: readonly string[],
): Promise<Map<string, MailedContact>> {
  // Only what is named is read: somebody may have 16 KiB of attributes.
  const attributes =
    attributeNames.length === 0
      ? sql`'{}'::jsonb`
      : sql`coalesce((select jsonb_object_agg(name, s.attributes -> name)
          from unnest(${[...attributeNames]}::text[]) as name where s.attributes ? name), '{}')`;
  const rows = await t.many<MailedContact & { given: string }>(sql`
    select c.given, s.sid as "contactSid", s.display_name as "displayName", s.locale, ${attributes} as attributes,
      array(select m.sid from contacts m where m.account_sid = s.account_sid and m.merged_into = s.sid) as "mergedSids"
      from (
        select account_sid, sid as given, coalesce(merged_into, sid) as sid from contacts
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${[...sids]}::text[])
        offset 0) as c
      join contacts s on s.account_sid = c.account_sid and s.sid = c.sid`);
  return new Map(rows.map(({ given, ...contact }) => [given, contact]));
}

/** The merges that any of these took part in: who was merged, and into whom. */
export async function mergesAmong(
  t: TenantTx,
  sids: readonly string[],
): Promise<{ sid: string; survivor: string }[]> {
  const asked = plainArray([...sids]);
  const merged = (column: Sql) => sql`
    select sid, merged_into as survivor from contacts
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and merged_into is not null
       and ${column} = any (${asked}::text[])`;
  return t.many<{ sid: string; survivor: string }>(sql`
    ${merged(sql`sid`)} union ${merged(sql`merged_into`)}`);
}
