// Pools of senders: their members, with how much each carries and who is asked first.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError, invalid } from '../../platform/errors/errors.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { newSid } from '../../platform/ids.ts';
import { audit } from '../audit/index.ts';
import { maxMembers, type NewSenderPool, type PoolMemberChange, type SenderPool } from './schema.ts';
import { requireSender } from './senders.ts';

const columns = sql`'sender_pool' as object, p.sid, p.account_sid as "accountSid", p.livemode, p.name,
  p.deleted_at as "deletedAt", p.created_at as "createdAt", p.updated_at as "updatedAt",
  coalesce((
    select json_agg(json_build_object('senderSid', m.sender_sid, 'weight', m.weight, 'priority', m.priority,
        'status', s.status, 'assignedContacts', m.assigned) order by m.priority, m.sender_sid)
      from sender_pool_members m
      join senders s on s.account_sid = m.account_sid and s.sid = m.sender_sid
     where m.account_sid = p.account_sid and m.pool_sid = p.sid), '[]') as members`;

export async function createSenderPool(t: TenantTx, input: NewSenderPool): Promise<SenderPool> {
  refuseBlank(input.name);
  const sid = newSid('SP', t.now);
  await t.run(sql`
    insert into sender_pools (account_sid, livemode, sid, name, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, ${input.name}, ${t.now}, ${t.now})`);
  for (const [i, { senderSid, ...member }] of (input.members ?? []).entries()) {
    await putMember(t, sid, senderSid, member, `members[${i}].senderSid`);
  }
  audit(t, { action: 'sender_pool.created', resource: sid });
  return getSenderPool(t, sid);
}

export async function getSenderPool(t: TenantTx, sid: string): Promise<SenderPool> {
  const found = await t.maybe<SenderPool>(sql`
    select ${columns} from sender_pools p
     where p.account_sid = ${t.accountSid} and p.livemode = ${t.livemode} and p.sid = ${sid} and p.deleted_at is null`);
  if (!found) throw new ApiError('NOT_FOUND');
  return found;
}

/** Locks the pool against every pick and every other change. */
async function lockSenderPool(t: TenantTx, sid: string): Promise<void> {
  const found = await t.maybe(sql`
    select 1 from sender_pools
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and deleted_at is null for update`);
  if (!found) throw new ApiError('NOT_FOUND');
}

export async function listSenderPools(t: TenantTx, pager: Pager) {
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<SenderPool>(sql`
    select ${columns} from sender_pools p
     where p.account_sid = ${t.accountSid} and p.livemode = ${t.livemode} and p.deleted_at is null
       and (${before}::text is null or p.sid < ${before})
     order by p.sid desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ sid }) => [sid],
    (row) => row,
  );
}

export async function renameSenderPool(t: TenantTx, sid: string, name: string): Promise<SenderPool> {
  refuseBlank(name);
  await lockSenderPool(t, sid);
  await t.run(sql`
    update sender_pools set name = ${name}, updated_at = ${t.now} where account_sid = ${t.accountSid} and sid = ${sid}`);
  return getSenderPool(t, sid);
}

/** Messages keep the sender that was picked for them; what the pool remembered of contacts goes. */
export async function deleteSenderPool(t: TenantTx, sid: string): Promise<SenderPool> {
  await lockSenderPool(t, sid);
  const pool = await getSenderPool(t, sid);
  await t.run(
    sql`delete from sender_pool_contacts where account_sid = ${t.accountSid} and pool_sid = ${sid}`,
  );
  await t.run(sql`delete from sender_pool_members where account_sid = ${t.accountSid} and pool_sid = ${sid}`);
  await t.run(sql`
    update sender_pools set deleted_at = ${t.now}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${sid}`);
  audit(t, { action: 'sender_pool.deleted', resource: sid });
  const now = t.now.toISOString();
  return { ...pool, deletedAt: now, updatedAt: now };
}

export async function setPoolMember(
  t: TenantTx,
  poolSid: string,
  senderSid: string,
  member: PoolMemberChange,
): Promise<SenderPool> {
  await lockSenderPool(t, poolSid);
  await putMember(t, poolSid, senderSid, member);
  await t.run(sql`
    update sender_pools set updated_at = ${t.now} where account_sid = ${t.accountSid} and sid = ${poolSid}`);
  return getSenderPool(t, poolSid);
}

/** A newcomer starts with the lightest share there is: with none it would be given every contact until it caught up. */
async function putMember(
  t: TenantTx,
  poolSid: string,
  senderSid: string,
  { weight, priority }: PoolMemberChange,
  path?: string,
): Promise<void> {
  await requireSender(t, senderSid, path);
  await t.run(sql`
    insert into sender_pool_members as m (account_sid, livemode, pool_sid, sender_sid, weight, priority, assigned, created_at)
    select ${t.accountSid}, ${t.livemode}, ${poolSid}, ${senderSid}, ${weight ?? 1}::integer, ${priority ?? 0}::integer,
      coalesce(floor(min(peer.assigned::numeric / peer.weight) * ${weight ?? 1}::integer), 0), ${t.now}::timestamptz
      from sender_pool_members peer
     where peer.account_sid = ${t.accountSid} and peer.pool_sid = ${poolSid}
    on conflict (account_sid, pool_sid, sender_sid) do update
      set weight = coalesce(${weight ?? null}::integer, m.weight), priority = coalesce(${priority ?? null}::integer, m.priority)`);
  const { count } = await t.one<{ count: number }>(sql`
    select count(*)::integer as count from sender_pool_members
     where account_sid = ${t.accountSid} and pool_sid = ${poolSid}`);
  if (count > maxMembers) throw invalid({ path: 'members', issue: `must have at most ${maxMembers} items` });
}

/** Removing who is not there is no error: the caller has what it asked for. */
export async function removePoolMember(t: TenantTx, poolSid: string, senderSid: string): Promise<SenderPool> {
  await lockSenderPool(t, poolSid);
  await requireSender(t, senderSid);
  await t.run(sql`
    delete from sender_pool_contacts
     where account_sid = ${t.accountSid} and pool_sid = ${poolSid} and sender_sid = ${senderSid}`);
  await t.run(sql`
    delete from sender_pool_members
     where account_sid = ${t.accountSid} and pool_sid = ${poolSid} and sender_sid = ${senderSid}`);
  await t.run(sql`
    update sender_pools set updated_at = ${t.now} where account_sid = ${t.accountSid} and sid = ${poolSid}`);
  return getSenderPool(t, poolSid);
}

function refuseBlank(name: string): void {
  if (name.trim() === '') throw invalid({ path: 'name', issue: 'must not be blank' });
}
