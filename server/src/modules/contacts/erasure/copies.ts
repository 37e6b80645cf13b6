// What a person is shown of themselves as a contact, and of the contacts that turned out to be them.
import { type Copying, copied } from '../../../platform/belongings.ts';
import { sql } from '../../../platform/db/query.ts';
import { fieldList } from '../fields.ts';
import type { Contact, Identifier } from '../schema.ts';

type Fields = Omit<
  Contact,
  'object' | 'accountSid' | 'livemode' | 'consent' | 'identifiers' | 'status' | 'restrictedBy'
>;

export const copyOfContacts: Copying = {
  provided: true,
  purpose: 'To know whom the business writes to, and what it knows of them.',
  source: 'The person, their messages, and what the business has recorded or imported.',
  async page(t, { family }, page) {
    const rows = await t.many<Fields & { place: string }>(sql`
      select c.sid as place, c.sid, c.merged_into as "mergedInto", ${fieldList((column, name) => sql`c.${column} as ${sql.id(name)}`)},
        c.attributes, c.created_at as "createdAt", c.updated_at as "updatedAt"
        from contacts c
       where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.sid = any (${family}::text[])
         and c.sid > ${page.after ?? ''}
       order by c.sid limit ${page.limit}`);
    return copied(rows, page);
  },
};

export const copyOfIdentifiers: Copying = {
  provided: true,
  purpose: 'To reach the person, and to know them again when they write.',
  source:
    'The person, the provider that carries their messages, and what the business has recorded or imported.',
  async page(t, { family }, page) {
    const rows = await t.many<Identifier & { place: string; contactSid: string; createdAt: string }>(sql`
      select id::text as place, contact_sid as "contactSid", identifier_type as "identifierType", value,
        nullif(scope_ref, '') as "scopeRef", created_at as "createdAt"
        from contact_identifiers
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${family}::text[])
         and id::text > ${page.after ?? ''}
       order by id::text limit ${page.limit}`);
    return copied(rows, page);
  },
};

type Merge = Record<'survivorSid' | 'mergedSid' | 'reason' | 'createdAt', string> & {
  revertedAt: string | null;
};

export const copyOfMerges: Copying = {
  purpose: 'To keep one record of a person who was known as two.',
  source: 'The business.',
  async page(t, { family }, page) {
    const rows = await t.many<Merge & { place: string }>(sql`
      select id::text as place, survivor_sid as "survivorSid", merged_sid as "mergedSid", reason, created_at as "createdAt",
        reverted_at as "revertedAt"
        from contact_merges
       where account_sid = ${t.accountSid} and livemode = ${t.livemode}
         and survivor_sid = any (${family}::text[]) and merged_sid = any (${family}::text[]) and id::text > ${page.after ?? ''}
       order by id::text limit ${page.limit}`);
    return copied(rows, page);
  },
};

type Conflict = { status: string; resolution: string | null; createdAt: string; resolvedAt: string | null };

/** Whom the person was taken for is nobody's business but that other's. */
export const copyOfConflicts: Copying = {
  purpose: 'To decide whether two records are of one person.',
  source: 'Requests and messages in which the two were named together.',
  async page(t, { family }, page) {
    const rows = await t.many<Conflict & { place: string }>(sql`
      select id::text as place, status, resolution, created_at as "createdAt", resolved_at as "resolvedAt"
        from contact_conflicts
       where account_sid = ${t.accountSid} and livemode = ${t.livemode}
         and (contact_sid = any (${family}::text[]) or other_contact_sid = any (${family}::text[]))
         and id::text > ${page.after ?? ''}
       order by id::text limit ${page.limit}`);
    return copied(rows, page);
  },
};
