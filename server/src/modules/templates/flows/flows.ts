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
