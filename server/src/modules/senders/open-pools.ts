// Chooses, for people written to through a pool, the sender each of them hears from. Whoever was chosen before stays chosen
// while that sender can send; otherwise the member with the least load takes over and keeps the contact.
import { needsOwnTransaction, type TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { loadWabas } from '../wabas/index.ts';
import { canSend } from './can-send.ts';
import { type Candidate, chooseMember } from './choose-member.ts';
import { loadSenders, type Sender } from './senders.ts';

/** A pool and what it has to choose from. Its loads and choices grow with each choice made from it. */
export type OpenPool = {
  sid: string;
  members: Candidate[];
  /** Those able to send, each with the portfolio it belongs to. */
  able: ReadonlyMap<string, { sender: Sender; portfolioId: string | null }>;
  /** Whom each person hears from, by contact SID or, for somebody who is no contact yet, by address. */
  chosen: Map<string, string>;
  /** Whose sender changed since the pool was opened, and whom they heard from before. */
  former: Map<string, string | null>;
};

export type Person = {
  /** The contact SID, or the address of somebody who is no contact yet. */
  key: string;
  /** Senders they are in conversation with, best first. */
  talking: readonly string[];
  /** The portfolios that can write to them; null when any can. */
  portfolios: ReadonlySet<string> | null;
};

type MemberRow = Omit<Candidate, 'ready' | 'assigned'> & { poolSid: string; assigned: string };

/**
 * The pools of these SIDs; unknown ones are missing. With `lock` nobody else chooses from them or deletes them until the
 * transaction ends: open them before looking up whom to choose for, so that whoever came first is followed.
 */
export async function openPools(
  t: TenantTx,
  sids: readonly string[],
  { lock }: { lock: boolean },
): Promise<Map<string, OpenPool>> {
  if (sids.length === 0) return new Map();
  if (lock) needsOwnTransaction(t);
  const locking = (how: Sql) => (lock ? how : sql``);
  const [pools, members] = await Promise.all([
    t.many<{ sid: string }>(sql`
      select sid from sender_pools
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${[...sids]}::text[])
         and deleted_at is null
       order by sid ${locking(sql`for share`)}`),
    t.many<MemberRow>(sql`
      select pool_sid as "poolSid", sender_sid as "senderSid", weight, priority, assigned from sender_pool_members
       where account_sid = ${t.accountSid} and pool_sid = any (${[...sids]}::text[])
       order by pool_sid, sender_sid ${locking(sql`for update`)}`),
  ]);
  const able = await ableAmong(
    t,
    members.map(({ senderSid }) => senderSid),
  );
  return new Map(
    pools.map(({ sid }) => {
      const candidates = members
        .filter(({ poolSid }) => poolSid === sid)
        .map((row) => ({ ...row, assigned: Number(row.assigned), ready: able.has(row.senderSid) }));
      const own = candidates.filter(({ ready }) => ready).map(({ senderSid }) => senderSid);
      return [
        sid,
        {
          sid,
          members: candidates,
          able: new Map(own.map((senderSid) => [senderSid, able.get(senderSid)!])),
          chosen: new Map(),
          former: new Map(),
        },
      ];
    }),
  );
}

async function ableAmong(t: TenantTx, senderSids: string[]): Promise<OpenPool['able']> {
  const senders = [...(await loadSenders(t, [...new Set(senderSids)])).values()];
  const wabaSids = senders.flatMap(({ wabaSid }) => wabaSid ?? []);
  const wabas = await loadWabas(t, [...new Set(wabaSids)]);
  const wabaOf = ({ wabaSid }: Sender) => wabas.get(wabaSid ?? '');
  return new Map(
    senders
      .filter((sender) => canSend(sender, wabaOf(sender), t.now))
      .map((sender) => [sender.sid, { sender, portfolioId: wabaOf(sender)?.portfolioId ?? null }]),
  );
}

/** Looks up whom the pools chose for these contacts before. */
export async function recallChoices(
  t: TenantTx,
  pools: ReadonlyMap<string, OpenPool>,
  contactSids: readonly string[],
): Promise<void> {
  if (pools.size === 0 || contactSids.length === 0) return;
  const rows = await t.many<{ poolSid: string; contactSid: string; senderSid: string }>(sql`
    select pool_sid as "poolSid", contact_sid as "contactSid", sender_sid as "senderSid" from sender_pool_contacts
     where account_sid = ${t.accountSid} and pool_sid = any (${[...pools.keys()]}::text[])
       and contact_sid = any (${[...contactSids]}::text[])`);
  for (const { poolSid, contactSid, senderSid } of rows)
    pools.get(poolSid)!.chosen.set(contactSid, senderSid);
}

/**
 * The sender this person hears from: one they are in conversation with, the one chosen before, else whoever carries the
 * least. Null when no member can write to them.
 */
export function chooseFrom(pool: OpenPool, { key, talking, portfolios }: Person): Sender | null {
  const reaches = (senderSid: string) => {
    const member = pool.able.get(senderSid);
    return member !== undefined && (portfolios === null || portfolios.has(member.portfolioId ?? ''));
  };
  const former = pool.chosen.get(key);
  const kept = [former ?? ''].filter(reaches);
  const heard = talking.filter(reaches);
  const senderSid = kept.find((sid) => heard.includes(sid)) ?? heard[0] ?? kept[0] ?? lightest(pool, reaches);
  if (senderSid === undefined) return null;
  if (senderSid !== former) {
    for (const member of pool.members) {
      if (member.senderSid === senderSid) member.assigned += 1;
      if (member.senderSid === former) member.assigned -= 1;
    }
    pool.chosen.set(key, senderSid);
    pool.former.set(key, former ?? null);
  }
  return pool.able.get(senderSid)!.sender;
}

const lightest = ({ members }: OpenPool, reaches: (senderSid: string) => boolean) =>
  chooseMember(members.filter(({ senderSid }) => reaches(senderSid)))?.senderSid;

export type Choice = { poolSid: string; contactSid: string; senderSid: string };

/** Writes down whom contacts heard from, and moves the loads with them. The pools are held by whoever chose. */
export async function rememberChoices(t: TenantTx, choices: readonly Choice[]): Promise<void> {
  if (choices.length === 0) return;
  const last = new Map(choices.map((choice) => [`${choice.poolSid} ${choice.contactSid}`, choice]));
  const given = [...last.values()];
  await t.run(sql`
    with given as (
      select * from unnest(${given.map(({ poolSid }) => poolSid)}::text[],
        ${given.map(({ contactSid }) => contactSid)}::text[], ${given.map(({ senderSid }) => senderSid)}::text[])
        as g (pool_sid, contact_sid, sender_sid)
    ), former as (
      select c.pool_sid, c.contact_sid, c.sender_sid from sender_pool_contacts c
       where c.account_sid = ${t.accountSid} and (c.pool_sid, c.contact_sid) in (select pool_sid, contact_sid from given)
    ), stored as (
      insert into sender_pool_contacts as c (account_sid, livemode, pool_sid, contact_sid, sender_sid, chosen_at)
      select ${t.accountSid}, ${t.livemode}, pool_sid, contact_sid, sender_sid, ${t.now} from given
      on conflict (account_sid, pool_sid, contact_sid) do update
        set sender_sid = excluded.sender_sid, chosen_at = excluded.chosen_at
        where c.sender_sid <> excluded.sender_sid
      returning c.pool_sid, c.contact_sid, c.sender_sid
    ), moved as (
      select pool_sid, sender_sid, sum(by) as by from (
        select pool_sid, sender_sid, 1 as by from stored
        union all
        select f.pool_sid, f.sender_sid, -1 from former f join stored s using (pool_sid, contact_sid)
      ) moves group by 1, 2
    )
    update sender_pool_members m set assigned = greatest(0, m.assigned + moved.by)
      from moved
     where m.account_sid = ${t.accountSid} and m.pool_sid = moved.pool_sid and m.sender_sid = moved.sender_sid`);
}
