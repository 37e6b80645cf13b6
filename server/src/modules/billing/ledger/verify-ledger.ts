// Proves the ledger: recomputes every wallet from its transfers and holds, and names the first difference of each. One
// statement a wallet, so that what is compared was true at the same moment, however busy the wallet is.
import type { Database, SystemTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ownAccounts, sqlOfMessages } from './kinds.ts';

export type Discrepancy = { what: string; stored: string; recomputed: string };
export type LedgerReport = {
  accountSid: string;
  livemode: boolean;
  currency: string;
  transfers: number;
  /** The first difference; null when everything agrees. */
  broken: Discrepancy | null;
};

type WalletName = Pick<LedgerReport, 'accountSid' | 'livemode' | 'currency'> & { id: string };

export async function* verifyLedger(database: Database, accountSid?: string): AsyncGenerator<LedgerReport> {
  const wallets = await database.system((s) =>
    s.many<WalletName>(sql`
      select account_sid as "accountSid", livemode, currency, id from wallets
       where ${accountSid ?? null}::text is null or account_sid = ${accountSid ?? null}
       order by account_sid, livemode, currency`),
  );
  for (const { id, ...wallet } of wallets) {
    yield { ...wallet, ...(await verifyWallet(database, wallet.accountSid, id)) };
  }
}

/** The same of one wallet. */
export const verifyWallet = (database: Database, accountSid: string, walletId: string) =>
  database.system((s) => compare(s, accountSid, walletId));

type Compared = { transfers: number; differences: Discrepancy[] };

async function compare(s: SystemTx, accountSid: string, walletId: string) {
  // A year of a large account takes longer to add up than a request's statement may run.
  await s.takesUpTo(30 * 60);
  const { transfers, differences } = await s.one<Compared>(sql`
    with moves as (
      select kind, reference, debit_account, credit_account, amount_minor, members, created_at from ledger_transfers
       where account_sid = ${accountSid} and wallet_id = ${walletId}),
    balances as (
      select account, balance_minor, minimum_minor, maximum_minor from ledger_accounts
       where account_sid = ${accountSid} and wallet_id = ${walletId}),
    credit as (
      select w.credit_minor, case when w.billing_status = 'suspended' then 0
          when w.commercial_mode in ('credit_line', 'hybrid') then greatest(0, w.credit_limit_minor + coalesce(
            (select balance_minor from balances where account = 'receivable'), 0))
          else w.credit_limit_minor end as expected_minor
        from wallets w where w.account_sid = ${accountSid} and w.id = ${walletId}),
    periods as (
      select n, starts_at, ends_at, position_minor, lag(ends_at) over (order by n) as previous_end from billing_periods
       where account_sid = ${accountSid} and wallet_id = ${walletId}),
    recomputed as (
      select account, sum(change) as balance_minor
        from (select credit_account as account, amount_minor as change from moves
              union all select debit_account, -amount_minor from moves) entries
       group by account),
    holds as (
      select message_sid, amount_minor, state, coalesce(final_minor, 0) as final_minor from message_holds
       where account_sid = ${accountSid} and wallet_id = ${walletId}),
    charged as (
      select id, kind, message_sid, fee_minor + pass_through_minor as amount_minor from charges
       where account_sid = ${accountSid} and wallet_id = ${walletId}),
    parts as (
      select kind, reference, amount_minor from moves
       where kind in (${sqlOfMessages}) and members is null
      union all
      select kind, member.key, member.value::bigint from moves, json_each_text(members) as member),
    of_message as (
      select reference as message_sid, coalesce(sum(amount_minor) filter (where kind = 'hold'), 0) as held,
        coalesce(sum(amount_minor) filter (where kind = 'release'), 0) as released,
        coalesce(sum(amount_minor) filter (where kind not in ('hold', 'release')), 0) as taken
        from parts group by reference),
    differences (place, what, stored, recomputed) as (
      select 1, 'balance of ' || account, coalesce(b.balance_minor::text, 'none'), coalesce(r.balance_minor, 0)::text
        from balances b full join recomputed r using (account)
       where b.balance_minor is distinct from coalesce(r.balance_minor, 0)
      union all
      select 2, 'sum of all balances', sum(balance_minor)::text, '0' from balances having sum(balance_minor) <> 0
      union all
      select 3, 'minimum of ' || account, coalesce(b.minimum_minor::text, 'none'), coalesce(expected.minimum_minor::text, 'none')
        from balances b join ledger_account_types y using (account), lateral (
          select case y.lowest when 'zero' then 0 when 'credit_limit' then
            (select least(-expected_minor, b.balance_minor) from credit) end as minimum_minor) expected
       where b.minimum_minor is distinct from expected.minimum_minor
      union all
      select 3, 'maximum of ' || account, coalesce(b.maximum_minor::text, 'none'), coalesce(expected.maximum_minor::text, 'none')
        from balances b join ledger_account_types y using (account),
          lateral (select case y.highest when 'zero' then 0 end as maximum_minor) expected
       where b.maximum_minor is distinct from expected.maximum_minor
      union all
      select 3, 'credit', credit_minor::text, expected_minor::text from credit where credit_minor <> expected_minor
      union all
      select 4, 'open holds against the balance of held', b.balance_minor::text, open.amount_minor::text
        from balances b, (select coalesce(sum(amount_minor), 0) as amount_minor from holds where state = 'held') open
       where b.account = 'held' and b.balance_minor <> open.amount_minor
      union all
      select 5, 'hold of ' || message_sid, coalesce(h.amount_minor::text, 'none'), coalesce(m.held, 0)::text
        from holds h full join of_message m using (message_sid)
       where h.amount_minor is distinct from coalesce(m.held, 0)
      union all
      select 6, 'price of ' || message_sid, h.final_minor::text, coalesce(m.taken, 0)::text
        from holds h left join of_message m using (message_sid)
       where h.final_minor <> coalesce(m.taken, 0)
      union all
      select 7, 'given back of ' || message_sid, expected.released::text, coalesce(m.released, 0)::text
        from holds h left join of_message m using (message_sid),
          lateral (select case h.state when 'released' then h.amount_minor
            when 'settled' then greatest(h.amount_minor - h.final_minor, 0) else 0 end as released) expected
       where expected.released <> coalesce(m.released, 0)
      union all
      select 8, 'members of hold ' || reference, moves.amount_minor::text, listed.amount_minor::text
        from moves, lateral (select sum(value::bigint) as amount_minor from json_each_text(members)) as listed
       where members is not null and moves.amount_minor <> listed.amount_minor
      union all
      select 9, 'charge of ' || message_sid, coalesce(c.amount_minor::text, 'none'), coalesce(h.final_minor::text, 'none')
        from (select message_sid, sum(amount_minor) as amount_minor from charged where kind = 'MESSAGE' group by 1) c
        full join (select message_sid, final_minor from holds where state = 'settled') h using (message_sid)
       where c.amount_minor is distinct from h.final_minor
      union all
      select 9, 'adjustment ' || coalesce(c.id::text, m.reference), coalesce(c.amount_minor::text, 'none'),
          coalesce(m.amount_minor::text, 'none')
        from (select id, amount_minor from charged where kind = 'ADJUSTMENT') c
        full join (
          select reference, sum(case when kind like 'adjust_charge%' then amount_minor else -amount_minor end) as amount_minor
            from moves where kind like 'adjust_%' group by reference) m on m.reference = c.id::text
       where c.amount_minor <> 0 and c.amount_minor is distinct from m.amount_minor or c.id is null
      union all
      select 10, 'start of period ' || n, starts_at::text, previous_end::text from periods where starts_at <> previous_end
      union all
      select 11, 'what period ' || n || ' ended with', periods.position_minor::text, recomputed.position_minor::text
        from periods, lateral (
          select coalesce(sum(amount_minor * ((credit_account in (${ownAccounts}))::integer
              - (debit_account in (${ownAccounts}))::integer)), 0) as position_minor
            from moves where created_at < ends_at) recomputed
       where periods.position_minor <> recomputed.position_minor)
    select (select count(*)::integer from moves) as transfers,
      coalesce((select json_agg(json_build_object('what', what, 'stored', stored, 'recomputed', recomputed))
        from (select * from differences order by place, what limit 1) first), '[]') as differences`);
  return { transfers, broken: differences[0] ?? null };
}
