// A month closed with a million charges in it: how long its invoice, its statement and their PDFs take beside the bare aggregation of
// the same rows, and how long the wallet waits meanwhile.
import { changeTerms } from '../../../../server/src/modules/billing/index.ts';
import { renderDocument } from '../../../../server/src/modules/billing-documents/documents/jobs.ts';
import { closeTime, settlePeriod } from '../../../../server/src/modules/invoices/closing/closing.ts';
import { submitOnce } from '../../../../server/src/modules/invoices/issuing/submit-invoice.ts';
import type { TenantTx } from '../../../../server/src/platform/db/database.ts';
import { compileQuery, type Sql } from '../../../../server/src/platform/db/query.ts';
import { type Context, emptyRow, type Row } from '../../part.ts';
import { fillMonth, monthBefore } from './data.ts';
import { median } from './median.ts';
import { type Holder, openService, type Service } from './service.ts';
import { settleBeside } from './settling.ts';

export const closingSize = Number(process.env.BENCH_CHARGES ?? 50_000);
const most = 2;
const mostLockedMs = 50;

export async function measureClosing(context: Context): Promise<Row[]> {
  const service = await openService(context);
  try {
    const holder = await service.newHolder();
    const months = [monthBefore(new Date(), 2), monthBefore(new Date(), 1)] as const;
    await holder.write((t) => changeTerms(t, { commercialMode: 'postpaid', creditLimitMinor: 10n ** 13n }));
    await service.client.query('update wallets set created_at = $1 where id = $2', [
      months[0],
      holder.walletId,
    ]);
    for (const month of months) {
      context.say(`${closingSize.toLocaleString('en')} charges in ${month.toISOString().slice(0, 7)}`);
      await fillMonth(service.client, { ...holder, count: closingSize, month });
    }
    const bare = await aggregationSeconds(service, holder, months[0]);
    context.say('closing the first month');
    const closed = await close(service, holder);
    const alone = await settleBeside(holder, () => pause(2_000));
    context.say('closing the second month beside settlements');
    let beside: Closed;
    const during = await settleBeside(holder, async () => {
      beside = await close(service, holder);
    });
    return [
      { ...emptyRow, name: 'bare aggregation of a month', perSecond: closingSize / bare },
      row('month closed: statement, draft of the invoice', closed.closingSeconds, bare),
      row('and issued, with both PDFs', closed.seconds, bare, most),
      locked('wallet locked by closing', closed),
      locked('wallet locked by closing, settlements beside', beside!),
      { ...emptyRow, name: 'settle one', perSecond: alone.perSecond, p50Ms: alone.p50Ms, p99Ms: alone.p99Ms },
      {
        ...emptyRow,
        name: 'settle one, closing beside',
        perSecond: during.perSecond,
        p50Ms: during.p50Ms,
        p99Ms: during.p99Ms,
      },
    ];
  } finally {
    await service.close();
  }
}

const row = (name: string, seconds: number, bare: number, most?: number): Row => ({
  ...emptyRow,
  name,
  perSecond: closingSize / seconds,
  ratio: seconds / bare,
  ...(most !== undefined && { most }),
});

const locked = (name: string, { lockedMs }: Closed): Row => ({
  ...emptyRow,
  name: `${name}: ${lockedMs.map((ms) => ms.toFixed(0)).join(', ')} ms (${Math.max(...lockedMs) < mostLockedMs ? '' : 'not '}< ${mostLockedMs})`,
  perSecond: 0,
  p99Ms: Math.max(...lockedMs),
});

type Closed = {
  seconds: number;
  closingSeconds: number;
  /** How long the wallet was locked by each of the transactions: closing its time, writing the period, issuing the invoice. */
  lockedMs: number[];
};

/** What the jobs do, one after the other. */
async function close({ client }: Service, holder: Holder): Promise<Closed> {
  const lockedMs: number[] = [];
  const write = <T>(work: (t: TenantTx) => Promise<T>) => timed(holder, work, lockedMs);
  const begun = performance.now();
  if (!(await write((t) => closeTime(t, holder.walletId)))) throw new Error('there is nothing to close');
  await write((t) => settlePeriod(t, holder.walletId));
  const closingSeconds = (performance.now() - begun) / 1000;
  const { rows: drafts } = await client.query<{ sid: string }>(
    `select sid from invoices where account_sid = $1 and state = 'draft'`,
    [holder.accountSid],
  );
  if (drafts.length !== 1) throw new Error(`${drafts.length} invoices were drafted`);
  await submitOnce({ write }, drafts[0]!.sid);
  const { rows: documents } = await client.query<{ sequence: number }>(
    `select sequence::integer as sequence from billing_documents d where account_sid = $1 and not exists (
       select from billing_document_pdfs p where p.account_sid = d.account_sid and p.livemode = d.livemode and p.sequence = d.sequence)`,
    [holder.accountSid],
  );
  if (documents.length !== 2) throw new Error(`${documents.length} documents were issued`);
  const context = { read: holder.write, write: holder.write } as unknown as Parameters<
    typeof renderDocument.run
  >[0];
  for (const { sequence } of documents) await renderDocument.run(context, { sequence });
  return { seconds: (performance.now() - begun) / 1000, closingSeconds, lockedMs };
}

// What takes the lock of a wallet or keeps it.
const locks = /from wallets.*for no key update|insert into ledger_transfers|update wallets/s;

/** Notes for how long a transaction holds the wallet: from the answer of what locked it until the commit. */
async function timed<T>(holder: Holder, work: (t: TenantTx) => Promise<T>, lockedMs: number[]): Promise<T> {
  let lockedAt: number | null = null;
  const noting =
    <R>(submit: (query: Sql) => Promise<R>) =>
    async (query: Sql) => {
      const answer = await submit(query);
      if (locks.test(compileQuery(query).text)) lockedAt ??= performance.now();
      return answer;
    };
  const result = await holder.write((t) =>
    work({
      ...t,
      run: noting(t.run),
      many: noting(t.many) as TenantTx['many'],
      one: noting(t.one) as TenantTx['one'],
      maybe: noting(t.maybe) as TenantTx['maybe'],
    }),
  );
  if (lockedAt !== null) lockedMs.push(performance.now() - lockedAt);
  return result;
}

async function aggregationSeconds({ client }: Service, holder: Holder, month: Date): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    const begun = performance.now();
    await client.query(
      `select category, market, pricing_type, transport, fee_minor + pass_through_minor, count(*), sum(fee_minor + pass_through_minor)
         from charges
        where account_sid = $1 and livemode and wallet_id = $2 and charged_at >= $3
          and charged_at < $3::timestamptz + interval '1 month'
        group by 1, 2, 3, 4, 5`,
      [holder.accountSid, holder.walletId, month],
    );
    times.push((performance.now() - begun) / 1000);
  }
  return median(times);
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
