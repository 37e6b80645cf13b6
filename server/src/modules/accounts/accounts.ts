import type { SystemTx, TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { apiVersion } from '../../platform/events.ts';
import { newSid, newUuid } from '../../platform/ids.ts';

export type NewAccount = { organizationName: string; accountName: string; country?: string; region: string };

/** Founds an organization with its first account. */
export async function createOrganization(
  s: SystemTx,
  now: Date,
  { organizationName, accountName, country, region }: NewAccount,
): Promise<{ organizationId: string; accountSid: string }> {
  const organizationId = newUuid(now);
  const accountSid = newSid('AC', now);
  await s.run(sql`
    insert into organizations (id, name, country, created_at)
    values (${organizationId}, ${organizationName}, ${country ?? null}, ${now})`);
  await s.run(sql`
    insert into accounts (sid, organization_id, name, region, created_at, updated_at)
    values (${accountSid}, ${organizationId}, ${accountName}, ${region}, ${now}, ${now})`);
  return { organizationId, accountSid };
}

export async function hasAccounts(s: SystemTx): Promise<boolean> {
  return (await s.one<{ found: boolean }>(sql`select exists (select from accounts) as found`)).found;
}

export type AccountPlace = { accountSid: string; parentAccountSid: string | null; organizationId: string };

export async function findAccount(s: SystemTx, accountSid: string): Promise<AccountPlace | null> {
  const found = await s.maybe<AccountPlace>(sql`
    select sid as "accountSid", parent_account_sid as "parentAccountSid", organization_id as "organizationId"
      from accounts where sid = ${accountSid}`);
  return found ?? null;
}

/** Where what concerns the whole organization is written down: its oldest account. */
export async function homeAccount(s: SystemTx, organizationId: string): Promise<string> {
  const { sid } = await s.one<{ sid: string }>(sql`
    select sid from accounts where organization_id = ${organizationId} and parent_account_sid is null
     order by created_at, sid limit 1`);
  return sid;
}

export async function accountExists(s: SystemTx, accountSid: string): Promise<boolean> {
  return (await s.maybe(sql`select 1 from accounts where sid = ${accountSid}`)) !== undefined;
}

type AccountRow = {
  accountSid: string;
  accountName: string;
  accountStatus: 'active' | 'suspended';
  parentAccountSid: string | null;
  organizationId: string;
  organizationName: string;
  region: string;
};

/** Tells a credential what it is. */
export async function describeMe(t: TenantTx) {
  const account = await t.one<AccountRow>(sql`
    select a.sid as "accountSid", a.name as "accountName", a.status as "accountStatus",
      a.parent_account_sid as "parentAccountSid", a.region, o.id as "organizationId", o.name as "organizationName"
      from accounts a join organizations o on o.id = a.organization_id
     where a.sid = ${t.accountSid}`);
  return {
    object: 'me',
    principal: { type: t.principal.kind, ref: t.principal.ref },
    ...account,
    livemode: t.livemode,
    scopes: [...(t.principal.scopesOn(t.accountSid) ?? [])].sort(),
    apiVersion,
  };
}
