import type { Queries, SystemTx, TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { newSid, newUuid } from '../../platform/ids.ts';
import { declareFact, factOf } from '../../platform/kept-facts.ts';
import type { Account } from './schema.ts';

type AccountStatus = Account['status'];

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

export type AccountPlace = {
  accountSid: string;
  parentAccountSid: string | null;
  organizationId: string;
  accountStatus: AccountStatus;
};

export async function findAccount(s: SystemTx, accountSid: string): Promise<AccountPlace | null> {
  const found = await s.maybe<AccountPlace>(sql`
    select sid as "accountSid", parent_account_sid as "parentAccountSid", organization_id as "organizationId",
      status as "accountStatus" from accounts where sid = ${accountSid}`);
  return found ?? null;
}

/** Where what concerns the whole organization is written down: its oldest account. */
export async function homeAccount(s: SystemTx, organizationId: string): Promise<string> {
  const { sid } = await s.one<{ sid: string }>(sql`
    select sid from accounts where organization_id = ${organizationId} and parent_account_sid is null
     order by created_at, sid limit 1`);
  return sid;
}

/** The same for many organizations, by their ids. */
export async function homeAccounts(
  s: SystemTx,
  organizationIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await s.many<{ organizationId: string; sid: string }>(sql`
    select distinct on (organization_id) organization_id as "organizationId", sid from accounts
     where organization_id = any (${[...organizationIds]}::uuid[]) and parent_account_sid is null
     order by organization_id, created_at, sid`);
  return new Map(rows.map(({ organizationId, sid }) => [organizationId, sid]));
}

export type AccountSummary = {
  accountSid: string;
  accountName: string;
  accountStatus: AccountStatus;
  parentAccountSid: string | null;
  region: string;
};

/** The accounts of an organization, oldest first. */
export function accountsOf(s: SystemTx, organizationId: string): Promise<AccountSummary[]> {
  return s.many<AccountSummary>(sql`
    select sid as "accountSid", name as "accountName", status as "accountStatus",
      parent_account_sid as "parentAccountSid", region
      from accounts where organization_id = ${organizationId} order by created_at, sid`);
}

export async function organizationName(s: SystemTx, organizationId: string): Promise<string> {
  return (await s.one<{ name: string }>(sql`select name from organizations where id = ${organizationId}`))
    .name;
}

/** Whose account it is: what people know them by, and where they are at home, if they said so. */
export function organizationOf(
  q: Queries,
  accountSid: string,
): Promise<{ name: string; country: string | null }> {
  return q.one<{ name: string; country: string | null }>(sql`
    select o.name, o.country from accounts a join organizations o on o.id = a.organization_id where a.sid = ${accountSid}`);
}

export async function accountExists(s: SystemTx, accountSid: string): Promise<boolean> {
  return (await s.maybe(sql`select 1 from accounts where sid = ${accountSid}`)) !== undefined;
}

type AccountRow = AccountSummary & { organizationId: string; organizationName: string };

export async function describeAccount(t: TenantTx): Promise<AccountRow> {
  return t.one<AccountRow>(sql`
    select a.sid as "accountSid", a.name as "accountName", a.status as "accountStatus",
      a.parent_account_sid as "parentAccountSid", a.region, o.id as "organizationId", o.name as "organizationName"
      from accounts a join organizations o on o.id = a.organization_id
     where a.sid = ${t.accountSid}`);
}

/** What everything an account does is judged by first. */
export type Standing = {
  accountStatus: AccountStatus;
  /** The name of its plan; null for none, which limits nothing. */
  plan: string | null;
  /** The account with whose use of the plan its own is counted; null for one that is counted by itself. */
  countedWith: string | null;
};

const standingFact = declareFact<null, Standing>({
  name: 'account_standing',
  of: 'account',
  key: () => '',
  async load(t) {
    return [
      await t.one<Standing>(sql`
        select status as "accountStatus", plan, counted_with as "countedWith" from accounts where sid = ${t.accountSid}`),
    ];
  },
});

/** Whether the account may act, and how much; the account of a tenant's transaction always exists. */
export async function accountStanding(t: TenantTx): Promise<Standing> {
  return (await factOf(t, standingFact))!;
}

/** The name of an account's plan; null for none. */
export async function planNameOf(q: Queries, accountSid: string): Promise<string | null> {
  const row = await q.one<{ plan: string | null }>(sql`select plan from accounts where sid = ${accountSid}`);
  return row.plan;
}

/**
 * Gives the account another plan; null for none. Tells the one it had. One that was counted with the account above it is counted by itself
 * from then on.
 */
export async function changePlan(t: TenantTx, plan: string | null): Promise<string | null> {
  const { plan: former } = await t.one<{ plan: string | null }>(sql`
    select plan from accounts where sid = ${t.accountSid} for no key update`);
  await t.run(sql`
    update accounts set plan = ${plan}, counted_with = case when counted_with = sid then sid end, updated_at = ${t.now}
     where sid = ${t.accountSid}`);
  return former;
}

/** How many accounts have each plan. */
export const accountsByPlan = (s: SystemTx) =>
  s.many<{ plan: string; accounts: number }>(sql`
    select plan, count(*)::integer as accounts from accounts where plan is not null group by plan`);
