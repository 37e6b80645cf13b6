// Proves the cash: what the payment service's own account with us moved by is what our payments, refunds and disputes say, and
// what they say is what the ledger moved. Names every difference.
import type { Database, RequestContext, SystemTx, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { money } from '../../../platform/money.ts';
import { getWallet, movementsBetween, type TransferKind, widen } from '../../billing/index.ts';
import type { BalanceMove, PaymentService } from '../ports.ts';

export type CashDifference = { what: string; ours: string; theirs: string };
export type CashReport = { moves: number; payments: number; differences: CashDifference[] };

type Cash = { amountMinor: bigint; feeMinor: bigint | null; currency: string };
type Row = { sourceId: string; amountMinor: string; feeMinor: string | null; currency: string };

// What happened this lately may be known on one side only.
const settlingMs = 3_600_000;
const dayMs = 86_400_000;

type Asked = { database: Database; service: PaymentService; livemode: boolean; context: RequestContext };

export async function verifyCash({ database, service, livemode, context }: Asked): Promise<CashReport> {
  const until = new Date(context.now.getTime() - settlingMs);
  const theirs = await movesOf(service, await firstPayment(database, livemode, context.now));
  const ours = await database.system((s) => known(s, livemode));
  const differences = compare(ours, theirs, until);
  for (const { accountSid, walletId } of await database.system((s) => walletsPaidInto(s, livemode)))
    differences.push(...(await verifyPaidInto({ database, livemode, context }, accountSid, walletId)));
  return { moves: theirs.count, payments: ours.size, differences };
}

/** The part of it that needs nobody else: what payments, refunds and disputes of a wallet say is what its ledger moved. */
export async function verifyPaidInto(
  { database, livemode, context }: Omit<Asked, 'service'>,
  accountSid: string,
  walletId: string,
): Promise<CashDifference[]> {
  const found = await database.read({ accountSid, livemode }, context, (t) => compareLedger(t, walletId));
  return found.map((one) => ({ ...one, what: `${accountSid} ${one.what}` }));
}

async function firstPayment(database: Database, livemode: boolean, now: Date): Promise<Date> {
  const { first } = await database.system((s) =>
    s.one<{ first: string | null }>(
      sql`select min(created_at) as first from payment_intents where livemode = ${livemode}`,
    ),
  );
  return new Date((first === null ? now.getTime() : Date.parse(first)) - dayMs);
}

type Theirs = { bySource: Map<string, Cash & { at: Date }>; count: number };

/** Payments, refunds and disputes; what is paid out to the operator's bank is no payment of ours. */
const isPayment = ({ type }: BalanceMove) =>
  ['charge', 'payment', 'refund', 'payment_refund', 'refund_failure', 'adjustment'].includes(type);

async function movesOf(service: PaymentService, since: Date): Promise<Theirs> {
  const bySource: Theirs['bySource'] = new Map();
  let count = 0;
  for await (const move of service.moves(since)) {
    if (!isPayment(move) || move.sourceId === null) continue;
    count += 1;
    const sum = bySource.get(move.sourceId);
    bySource.set(move.sourceId, {
      amountMinor: (sum?.amountMinor ?? 0n) + move.amountMinor,
      feeMinor: (sum?.feeMinor ?? 0n) + move.feeMinor,
      currency: move.currency,
      at: sum && sum.at > move.createdAt ? sum.at : move.createdAt,
    });
  }
  return { bySource, count };
}

/** By the service's names: what each payment, refund and dispute should have moved. */
async function known(s: SystemTx, livemode: boolean): Promise<Map<string, Cash & { at: Date }>> {
  const rows = await s.many<Row & { at: string }>(sql`
    select charge_id as "sourceId", (net_minor + tax_minor) as "amountMinor", fee_minor as "feeMinor", currency,
      updated_at as at
      from payment_intents where livemode = ${livemode} and charge_id is not null and succeeded_at is not null
    union all
    select a.object_id, case when a.outcome = 'failed' then 0 else -a.amount_minor end, 0, p.currency,
      coalesce(a.resolved_at, a.created_at)
      from payment_attempts a join payment_intents p on p.account_sid = a.account_sid and p.id = a.intent_id
     where a.livemode = ${livemode} and a.step = 'refund' and a.object_id is not null and a.amount_minor is not null
    union all
    select d.dispute_id, -d.withdrawn_minor, d.fee_minor, p.currency, d.updated_at
      from payment_disputes d join payment_intents p on p.account_sid = d.account_sid and p.id = d.intent_id
     where d.livemode = ${livemode}`);
  return new Map(
    rows.map(({ sourceId, amountMinor, feeMinor, currency, at }) => [
      sourceId,
      {
        amountMinor: BigInt(amountMinor),
        feeMinor: feeMinor === null ? null : BigInt(feeMinor),
        currency,
        at: new Date(at),
      },
    ]),
  );
}

const shown = ({ amountMinor, feeMinor, currency }: Cash) =>
  `${amountMinor} less ${feeMinor ?? '?'} ${currency}`;

function compare(
  ours: Map<string, Cash & { at: Date }>,
  { bySource }: Theirs,
  until: Date,
): CashDifference[] {
  const differences: CashDifference[] = [];
  for (const source of new Set([...ours.keys(), ...bySource.keys()])) {
    const [mine, theirs] = [ours.get(source), bySource.get(source)];
    if ((mine?.at ?? until) > until || (theirs?.at ?? until) > until) continue;
    const [said, moved] = [mine ? shown(mine) : 'nothing', theirs ? shown(theirs) : 'nothing'];
    const nothing = !theirs && mine?.amountMinor === 0n;
    if (said !== moved && !nothing) differences.push({ what: source, ours: said, theirs: moved });
  }
  return differences;
}

type PaidInto = { accountSid: string; walletId: string };

const walletsPaidInto = (s: SystemTx, livemode: boolean) =>
  s.many<PaidInto>(sql`
    select distinct account_sid as "accountSid", wallet_id as "walletId" from payment_intents
     where livemode = ${livemode} and succeeded_at is not null order by account_sid, wallet_id`);

/** Which kinds of transfer stand for what, and whether they add to it or take from it. */
const ledgerKinds: Record<string, Partial<Record<TransferKind, 1n | -1n>>> = {
  'top-ups': { top_up: 1n, top_up_tax: 1n },
  // Together: what a bank took beyond what an invoice had got is the wallet's, and what it gives back to one that was voided is credit.
  'payments of invoices less disputes': {
    invoice_payment: 1n,
    invoice_overpayment: 1n,
    dispute_open: -1n,
    dispute_open_tax: -1n,
    dispute_open_invoice: -1n,
    dispute_won: 1n,
    dispute_won_tax: 1n,
    dispute_won_invoice: 1n,
  },
  refunds: { refund_paid: 1n, refund_returned: -1n },
  fees: { processor_fee: 1n, processor_fee_back: -1n },
};

async function compareLedger(t: TenantTx, walletId: string): Promise<CashDifference[]> {
  const wallet = await getWallet(t, walletId);
  const { currency, scale } = wallet.available;
  const moved = await movementsBetween(t, walletId, null, new Date('9999-01-01T00:00:00Z'));
  const sums = new Map(moved.map(({ kind, amountMinor }) => [kind as string, amountMinor]));
  const said = await sumsOf(t, walletId);
  return Object.entries(ledgerKinds).flatMap(([what, kinds]) => {
    const { amountMinor: ours } = widen(money(said[what] ?? 0n, currency, 2), scale);
    const ledger = Object.entries(kinds).reduce(
      (sum, [kind, sign]) => sum + sign * (sums.get(kind) ?? 0n),
      0n,
    );
    return ours === ledger ? [] : [{ what: `ledger: ${what}`, ours: String(ledger), theirs: String(ours) }];
  });
}

async function sumsOf(t: TenantTx, walletId: string): Promise<Record<string, bigint>> {
  const rows = await t.many<{ what: string; sum: string | null }>(sql`
    select case purpose when 'top_up' then 'top-ups' else 'payments of invoices less disputes' end as what,
      sum(net_minor + tax_minor)::bigint as sum
      from payment_intents
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and wallet_id = ${walletId}
       and succeeded_at is not null
     group by 1
    union all
    select of_payment.what, sum(of_payment.minor)::bigint
      from payment_intents p, lateral (values ('fees', p.fee_minor), ('refunds', p.refunded_minor)) as of_payment (what, minor)
     where p.account_sid = ${t.accountSid} and p.livemode = ${t.livemode} and p.wallet_id = ${walletId}
     group by 1
    union all
    select of_dispute.what, sum(of_dispute.minor)::bigint
      from payment_disputes d join payment_intents p on p.account_sid = d.account_sid and p.id = d.intent_id,
        lateral (values ('payments of invoices less disputes', -d.withdrawn_minor), ('fees', d.fee_minor)) as of_dispute (what, minor)
     where d.account_sid = ${t.accountSid} and d.livemode = ${t.livemode} and p.wallet_id = ${walletId}
     group by 1`);
  const sums: Record<string, bigint> = {};
  for (const { what, sum } of rows) sums[what] = (sums[what] ?? 0n) + BigInt(sum ?? 0);
  return sums;
}
