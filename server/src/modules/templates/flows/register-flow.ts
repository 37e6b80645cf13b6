// Flows are built at the provider. Here they are registered by their id there, read again on request, and moved by its
// callbacks. The provider's states are ours: DRAFT, PUBLISHED, THROTTLED, BLOCKED, DEPRECATED.
import type { TenantTx } from '../../../platform/db/database.ts';
import { isUniqueViolation } from '../../../platform/db/failures.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { emit } from '../../../platform/events.ts';
import type { Outside } from '../../../platform/http/operations/operation.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { newSid } from '../../../platform/ids.ts';
import { audit } from '../../audit/index.ts';
import {
  answerOf,
  type FlowUpdate,
  isNews,
  type ProviderFlow,
  type Routed,
  saidAtOf,
  withSaidAt,
} from '../../provider/index.ts';
import { requestFlowKeys } from '../../senders/index.ts';
import { connectionOf, onlyConnectedWaba, requireWaba } from '../../wabas/index.ts';
import { flowEvents } from './events.ts';
import { type FlowStatus, flowStatuses } from './flows.ts';
import type { Flow, FlowQuery, NewFlow } from './schema.ts';

const columns = sql`'flow' as object, sid, account_sid as "accountSid", livemode, waba_sid as "wabaSid",
  provider_flow_id as "providerFlowId", name, status, status_changed_at as "statusChangedAt",
  exchanges_data as "exchangesData", deleted_at as "deletedAt", created_at as "createdAt", updated_at as "updatedAt"`;

/** A state nobody knows is one that cannot be sent. */
const readStatus = (said: string): FlowStatus => flowStatuses.find((status) => status === said) ?? 'DRAFT';

async function targetWaba(t: TenantTx, wabaSid: string | undefined) {
  const sid = wabaSid ?? (await onlyConnectedWaba(t))?.sid;
  if (!sid) {
    const issue = 'is required, for the account does not have exactly one that is connected';
    throw invalid({ path: 'wabaSid', issue });
  }
  await requireWaba(t, sid, 'wabaSid');
  const connection = await connectionOf(t, sid);
  if (!connection) throw new ApiError('WABA_NOT_CONNECTED');
  return { wabaSid: sid, connection };
}

export async function registerFlow(call: Outside, { wabaSid, providerFlowId }: NewFlow): Promise<Flow> {
  const target = await call.read((t) => targetWaba(t, wabaSid));
  const found = answerOf(await call.ports.provider.getFlow(target.connection, providerFlowId));
  return call.write(async (t) => {
    const flow = await insertFlow(t, target.wabaSid, found);
    audit(t, { action: 'flow.registered', resource: flow.sid, facts: { providerFlowId } });
    emit(t, flowEvents.registered, flow);
    if (flow.exchangesData) await requestFlowKeys(t, flow.wabaSid);
    return flow;
  });
}

export async function insertFlow(t: TenantTx, wabaSid: string, found: ProviderFlow): Promise<Flow> {
  try {
    return await t.one<Flow>(sql`
      insert into flows (account_sid, livemode, sid, waba_sid, provider_flow_id, name, status, exchanges_data,
        status_changed_at, created_at, updated_at)
      values (${t.accountSid}, ${t.livemode}, ${newSid('FL', t.now)}, ${wabaSid}, ${found.id}, ${found.name},
        ${readStatus(found.status)}, ${found.endpointUri !== null}, ${t.now}, ${t.now}, ${t.now})
      returning ${columns}`);
  } catch (error) {
    if (!isUniqueViolation(error, 'flows_by_provider_id')) throw error;
    throw new ApiError('CONFLICT', { message: 'This flow is registered already.' });
  }
}

export async function getFlow(t: TenantTx, sid: string): Promise<Flow> {
  const flow = await t.maybe<Flow>(sql`
    select ${columns} from flows
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and deleted_at is null`);
  if (!flow) throw new ApiError('NOT_FOUND');
  return flow;
}

export async function listFlows(t: TenantTx, query: FlowQuery, pager: Pager) {
  const before = pager.after?.[0] ?? null;
  const { status = null, wabaSid = null } = query;
  const rows = await t.many<Flow>(sql`
    select ${columns} from flows
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and deleted_at is null
       and (${status}::text is null or status = ${status}) and (${wabaSid}::text is null or waba_sid = ${wabaSid})
       and (${before}::text is null or sid < ${before})
     order by sid desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ sid }) => [sid],
    (row) => row,
  );
}

/** Reads the flow at the provider and stores what it says. */
export async function syncFlow(call: Outside, sid: string): Promise<Flow> {
  const flow = await call.read((t) => getFlow(t, sid));
  const { connection } = await call.read((t) => targetWaba(t, flow.wabaSid));
  const found = answerOf(await call.ports.provider.getFlow(connection, flow.providerFlowId));
  return call.write(async (t) => {
    const facts = {
      name: found.name,
      status: readStatus(found.status),
      exchangesData: found.endpointUri !== null,
    };
    await changeFlow(t, flow, facts, t.now);
    if (facts.exchangesData) await requestFlowKeys(t, flow.wabaSid);
    return getFlow(t, sid);
  });
}

type Facts = Pick<Flow, 'name' | 'status' | 'exchangesData'>;

async function changeFlow(t: TenantTx, flow: Flow, facts: Facts, saidAt: Date): Promise<void> {
  const changed = await t.maybe<Flow>(sql`
    update flows set name = ${facts.name}, status = ${facts.status}, exchanges_data = ${facts.exchangesData},
      status_changed_at = case when status = ${facts.status} then status_changed_at else ${saidAt}::timestamptz end,
      said_at = ${withSaidAt(['status'], saidAt)}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${flow.sid} and deleted_at is null and ${isNews('status', saidAt)}
    returning ${columns}`);
  const differs = (Object.keys(facts) as (keyof Facts)[]).some((name) => flow[name] !== facts[name]);
  if (changed && differs) emit(t, flowEvents.updated, changed, saidAt);
}

/** The registration goes; the flow stays at the provider. */
export async function forgetFlow(t: TenantTx, sid: string): Promise<Flow> {
  const gone = await t.maybe<Flow>(sql`
    update flows set deleted_at = ${t.now}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and deleted_at is null
    returning ${columns}`);
  if (!gone) throw new ApiError('NOT_FOUND');
  audit(t, { action: 'flow.forgotten', resource: sid });
  emit(t, flowEvents.forgotten, gone);
  return gone;
}

/** Alerts about a flow change nothing; a new status does, if it is newer than what was heard before. */
export async function applyFlowUpdates(t: TenantTx, updates: readonly Routed<FlowUpdate>[]): Promise<void> {
  for (const { flowId, wabaSid, newStatus, occurredAt } of updates) {
    if (newStatus === null) continue;
    const flow = await t.maybe<Flow>(sql`
      select ${columns} from flows
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and waba_sid = ${wabaSid}
         and provider_flow_id = ${flowId} and deleted_at is null for update`);
    const { name, exchangesData } = flow ?? {};
    if (flow) {
      const facts = { name: name!, exchangesData: exchangesData!, status: readStatus(newStatus) };
      await changeFlow(t, flow, facts, saidAtOf(t, occurredAt));
    }
  }
}
