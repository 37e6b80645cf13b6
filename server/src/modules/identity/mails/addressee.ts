import type { SystemTx, TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { organizationName } from '../../accounts/index.ts';
import type { MailLocale } from '../../mails/index.ts';

export type Addressee = {
  to: { name: string; address: string };
  name: string | null;
  locale: MailLocale;
  organization: string;
};

type Row = { email: string; displayName: string | null; locale: MailLocale; organizationId: string };

/** Where a person's mail goes and in which language; null for someone who is gone. */
export async function addresseeOf(t: TenantTx, userSid: string): Promise<Addressee | null> {
  const row = await t.maybe<Row>(sql`
    select email, display_name as "displayName", locale, organization_id as "organizationId"
      from users where sid = ${userSid} and status <> 'DEACTIVATED'`);
  if (!row) return null;
  return {
    to: { name: row.displayName ?? '', address: row.email },
    name: row.displayName,
    locale: row.locale,
    organization: await organizationName(t, row.organizationId),
  };
}

export type Person = {
  userSid: string;
  organizationId: string;
  address: string;
  name: string | null;
  locale: MailLocale;
};

const personColumns = sql`sid as "userSid", organization_id as "organizationId", email as address, display_name as name,
  locale`;

/** Those of these people who can sign in: not who left, nor who was only invited. */
export function activePeople(t: TenantTx, userSids: readonly string[]): Promise<Person[]> {
  return t.many<Person>(sql`
    select ${personColumns} from users where sid = any (${[...userSids]}::text[]) and status = 'ACTIVE' order by sid`);
}

/** A page of everybody there is, in every organization, by SID: for the operator's word to all. */
export function everybody(s: SystemTx, after: string, limit: number): Promise<Person[]> {
  return s.many<Person>(sql`
    select ${personColumns} from users where sid > ${after} and status = 'ACTIVE' order by sid limit ${limit}`);
}

/** The language somebody reads in, as part of a query. */
export const localeOf = (userSid: string): Sql =>
  sql`(select u.locale from users u where u.sid = ${userSid})`;
