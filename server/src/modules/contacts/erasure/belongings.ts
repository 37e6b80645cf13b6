import { cameToBe, type Person, type Store, untilFew } from '../../../platform/belongings.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { fieldList } from '../fields.ts';
import { copyOfConflicts, copyOfContacts, copyOfIdentifiers, copyOfMerges } from './copies.ts';

const nothingMoved = JSON.stringify({ redirected: [], belongings: {} });
const forgotten = '[erased]';

const here = (t: TenantTx) => sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}`;
/** When what is about a contact, or about two, was written down. */
const writtenOf =
  (table: Sql, ...contacts: Sql[]) =>
  (t: TenantTx, { family }: Person) =>
    sql.join(
      contacts.map(
        (contact) =>
          sql`select created_at from ${table} where ${here(t)} and ${contact} = any (${family}::text[])`,
      ),
      sql` union all `,
    );

export const contactBelongings: Store[] = [
  {
    name: 'contact_identifiers',
    copy: copyOfIdentifiers,
    within: cameToBe(writtenOf(sql`contact_identifiers`, sql`contact_sid`)),
    async erase(t, { family }) {
      const rows = await t.run(sql`
        delete from contact_identifiers
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${family}::text[])`);
      return { rows, next: null };
    },
  },
  {
    name: 'contacts',
    copy: copyOfContacts,
    within: cameToBe(writtenOf(sql`contacts`, sql`sid`)),
    kept: 'That there was somebody, by SID and instants, because messages and consents refer to it (GDPR Art. 17(3)(b), (e)).',
    async erase(t, { family }) {
      const none = fieldList((column) => sql`${column} = null`);
      const rows = await t.run(sql`
        update contacts set ${none}, attributes = '{}', search = '', erased_at = coalesce(erased_at, ${t.now}), updated_at = ${t.now}
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${family}::text[])
           and (erased_at is null or search <> '')`);
      return { rows, next: null, resources: family };
    },
  },
  {
    name: 'contact_conflicts',
    copy: copyOfConflicts,
    within: cameToBe(writtenOf(sql`contact_conflicts`, sql`contact_sid`, sql`other_contact_sid`)),
    async erase(t, { family }, page) {
      const rows = await t.many<{ id: string }>(sql`
        delete from contact_conflicts
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = any (array(
           select id from contact_conflicts
            where account_sid = ${t.accountSid} and livemode = ${t.livemode}
              and (contact_sid = any (${family}::text[]) or other_contact_sid = any (${family}::text[])) limit ${page.limit}))
        returning id`);
      return untilFew(
        rows.length,
        page,
        rows.map(({ id }) => id),
      );
    },
  },
  {
    name: 'contact_merges',
    copy: copyOfMerges,
    within: cameToBe(writtenOf(sql`contact_merges`, sql`survivor_sid`, sql`merged_sid`)),
    kept: 'That two contacts became one, by SID, so that what refers to either can be understood (GDPR Art. 5(1)(d)).',
    async erase(t, { family }, page) {
      const rows = await t.many<{ id: string }>(sql`
        update contact_merges set reason = ${forgotten}, snapshot = ${nothingMoved}::json, revert_report = null, updated_at = ${t.now}
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = any (array(
           select id from contact_merges
            where account_sid = ${t.accountSid} and livemode = ${t.livemode} and snapshot::text <> ${nothingMoved}
              and (survivor_sid = any (${family}::text[]) or merged_sid = any (${family}::text[])) limit ${page.limit}))
        returning id`);
      return untilFew(
        rows.length,
        page,
        rows.map(({ id }) => id),
      );
    },
  },
  {
    name: 'erased_opt_outs',
    kept: 'That somebody said no, under a keyed hash of what they were known by, so that it is kept to (GDPR Art. 17(3)(b), 21(3)).',
  },
];
