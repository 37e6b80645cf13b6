// Charges by the million, made inside the database and gone with it.
import type pg from 'pg';

type Charges = {
  accountSid: string;
  walletId: string;
  count: number;
  /** The month they were charged in, which nothing is in yet. */
  month: Date;
};

// With four categories and five prices, an invoice over them has two hundred lines.
const markets = ['FR', 'US', 'IN', 'BR', 'DE', 'ES', 'GB', 'IT', 'MX', 'OTHER'];

/** Fills a month apart and attaches it afterwards: an index is built faster at once than row by row. */
export async function fillMonth(
  client: pg.Client,
  { accountSid, walletId, count, month }: Charges,
): Promise<void> {
  const name = `charges_${month.toISOString().slice(0, 7).replace('-', '')}`;
  const end = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));
  const stepMs = (end.getTime() - month.getTime()) / count;
  await client.query(`set maintenance_work_mem = '512MB'`);
  await client.query(`create table ${name} (like charges including defaults including constraints)`);
  await client.query(
    `insert into ${name} (account_sid, livemode, id, wallet_id, kind, message_sid, sender_sid, campaign_sid, waba_sid, category,
       pricing_type, transport, market, rate_card_version, basis, fee_minor, pass_through_minor, reported, charged_at)
     select $1, true, charge_id(at), $2, 'MESSAGE', 'SM01' || lpad(n::text, 24, '0'), 'WA01' || lpad((n % 50)::text, 24, '0'),
       case when n % 2 = 0 then 'CP01' || lpad((n / 10000)::text, 24, '0') end, 'WB01' || lpad((n % 5)::text, 24, '0'),
       (array['marketing', 'utility', 'authentication', 'service'])[1 + n % 4], 'REGULAR', 'cloud_api',
       ($3::text[])[1 + n / 4 % 10], 2, 'PROVIDER_REPORT', 4000 + n / 40 % 5 * 100, 0, '["regular","utility","PMP",true]', at
       from (select n, date_trunc('milliseconds', $4::timestamptz + n * $6::float8 * interval '1 millisecond') as at
               from generate_series(0, $5::integer - 1) as n) as each`,
    [accountSid, walletId, markets, month, count, stepMs],
  );
  await client.query(`alter table ${name} enable row level security`);
  await client.query(
    `alter table charges attach partition ${name} for values from ('${month.toISOString()}') to ('${end.toISOString()}')`,
  );
  await client.query(`vacuum analyze ${name}`);
}

/** The month so many before the one of an instant. */
export const monthBefore = (now: Date, months: number) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months));

/** Messages that were settled long ago: what grows with years and must not make the next one dearer. */
export async function fillSettled(
  client: pg.Client,
  { accountSid, walletId, count, month }: Charges,
): Promise<void> {
  await client.query('set session_replication_role = replica');
  await client.query(
    `insert into message_holds (account_sid, livemode, message_sid, wallet_id, amount_minor, state, final_minor, held_at, closed_at)
     select $1, true, 'SM01' || lpad(n::text, 24, '0'), $2, 4000, 'settled', 4000, $4, $4 from generate_series(1, $3::integer) as n`,
    [accountSid, walletId, count, month],
  );
  await client.query(
    `insert into ledger_transfers (account_sid, livemode, wallet_id, kind, reference, debit_account, credit_account, amount_minor,
       created_at)
     select $1, true, $2, 'capture', 'SM01' || lpad(n::text, 24, '0'), 'held', 'revenue', 4000, $4
       from generate_series(1, $3::integer) as n`,
    [accountSid, walletId, count, month],
  );
  await client.query('set session_replication_role = origin');
  await client.query('vacuum analyze message_holds, ledger_transfers');
}
