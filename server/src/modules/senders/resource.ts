// A sender as people see it: its own facts, and what its business account lets it do.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { inForce } from '../provider/index.ts';
import { loadWabas, type Waba } from '../wabas/index.ts';
import { canSend } from './can-send.ts';
import type { SenderResource, SenderStatusChange } from './schema.ts';
import { listSenderRows, pairRate, requireSender, type Sender, type SenderFilter } from './senders.ts';

function toResource(t: TenantTx, sender: Sender, waba: Waba | undefined): SenderResource {
  const {
    sid: _,
    pausedBy: __,
    throughputLevel: level,
    throughputPerSecond: messagesPerSecond,
    ...rest
  } = sender;
  return {
    object: 'sender',
    sid: sender.sid,
    accountSid: t.accountSid,
    livemode: t.livemode,
    ...rest,
    ready: canSend(sender, waba, t.now),
    throughput: { level, messagesPerSecond },
    pairRate,
    restrictions: inForce(waba?.restrictions ?? [], t.now),
  };
}

async function withWabas(t: TenantTx, senders: Sender[]): Promise<SenderResource[]> {
  const sids = senders.flatMap(({ wabaSid }) => wabaSid ?? []);
  const wabas = sids.length > 0 ? await loadWabas(t, [...new Set(sids)]) : new Map<string, Waba>();
  return senders.map((sender) => toResource(t, sender, wabas.get(sender.wabaSid ?? '')));
}

export async function readSender(t: TenantTx, sender: Sender): Promise<SenderResource> {
  return (await withWabas(t, [sender]))[0]!;
}

export async function getSender(t: TenantTx, sid: string): Promise<SenderResource> {
  return readSender(t, await requireSender(t, sid));
}

export async function listSenders(t: TenantTx, filter: SenderFilter, pager: Pager) {
  const rows = await listSenderRows(t, filter, pager);
  const resources = await withWabas(t, rows);
  return pager.page(
    resources,
    ({ sid }) => [sid],
    (resource) => resource,
  );
}

export async function listStatusHistory(t: TenantTx, senderSid: string, pager: Pager) {
  await requireSender(t, senderSid);
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<SenderStatusChange & { sequence: string }>(sql`
    select 'sender_status_change' as object, sender_sid as "senderSid", account_sid as "accountSid", livemode, status,
      previous_status as "previousStatus", quality, reason, occurred_at as "occurredAt", created_at as "createdAt", sequence
      from sender_status_history
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sender_sid = ${senderSid}
       and (${before}::bigint is null or sequence < ${before})
     order by sequence desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ sequence }) => [sequence],
    ({ sequence: _, ...change }) => change,
  );
}
