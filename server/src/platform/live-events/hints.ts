// What is told of an event to whoever watches: that it happened, and to what. Never its data.
import type { Tenant, TenantTx } from '../db/database.ts';
import { type Sql, sql } from '../db/query.ts';

export type Hint = { sequence: number; type: string; resourceSid: string | null };

type Row = Omit<Hint, 'sequence'> & { sequence: string };
export type Head = Tenant & { sequence: string };

/** The events above a number, in order; all of them are committed, and there is no gap between them. */
export async function hintsAfter(t: TenantTx, after: number, limit: number): Promise<Hint[]> {
  const rows = await t.many<Row>(sql`
    select sequence, type, resource_sid as "resourceSid" from events
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sequence > ${after}
     order by sequence limit ${limit}`);
  return rows.map((row) => ({ ...row, sequence: Number(row.sequence) }));
}

/** The number of the last event. */
export async function lastSequence(t: TenantTx): Promise<number> {
  const head = await t.maybe<{ sequence: string }>(sql`
    select sequence from event_heads where account_sid = ${t.accountSid} and livemode = ${t.livemode}`);
  return Number(head?.sequence ?? 0);
}

/** How far the logs of these accounts have come. */
export const headsOf = (tenants: readonly Tenant[]): Sql => sql`
  select h.account_sid as "accountSid", h.livemode, h.sequence
    from event_heads h join unnest(${tenants.map(({ accountSid }) => accountSid)}::text[],
      ${tenants.map(({ livemode }) => livemode)}::boolean[]) as asked (account_sid, livemode)
      on asked.account_sid = h.account_sid and asked.livemode = h.livemode`;
