// Flows: forms made at the provider and known here by their id there. PUBLISHED and THROTTLED can be sent.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';

export const flowStatuses = ['DRAFT', 'PUBLISHED', 'DEPRECATED', 'BLOCKED', 'THROTTLED'] as const;
export type FlowStatus = (typeof flowStatuses)[number];

export type FlowFacts = {
  sid: string;
  wabaSid: string;
  providerFlowId: string;
  name: string;
  status: FlowStatus;
  /** Whether it calls the business's own endpoint, for which the sender needs an encryption key. */
  exchangesData: boolean;
};

export async function findFlow(t: TenantTx, flowSid: string): Promise<FlowFacts | null> {
  return (await findFlows(t, [flowSid])).get(flowSid) ?? null;
}

/** The flows of one business account that can be sent and of whose name another has none that can. */
export const flowsMissing = (
  t: TenantTx,
  { from, to, most }: { from: string; to: string; most: number },
): Promise<(Pick<FlowFacts, 'sid' | 'name'> & { total: number })[]> =>
  t.many(sql`
    select f.sid, f.name, (count(*) over ())::integer as total from flows f
     where f.account_sid = ${t.accountSid} and f.livemode = ${t.livemode} and f.waba_sid = ${from}
       and f.status in ('PUBLISHED', 'THROTTLED') and f.deleted_at is null and not exists (
         select from flows o
          where o.account_sid = f.account_sid and o.livemode = f.livemode and o.waba_sid = ${to} and o.name = f.name
            and o.status in ('PUBLISHED', 'THROTTLED') and o.deleted_at is null)
     order by f.name, f.sid limit ${most}`);

/** Many at once, for whoever judges many messages. */
export async function findFlows(t: TenantTx, flowSids: readonly string[]): Promise<Map<string, FlowFacts>> {
  const rows = await t.many<FlowFacts>(sql`
    select sid, waba_sid as "wabaSid", provider_flow_id as "providerFlowId", name, status,
      exchanges_data as "exchangesData"
      from flows
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any(${[...flowSids]}::text[])
       and deleted_at is null`);
  return new Map(rows.map((row) => [row.sid, row]));
}
