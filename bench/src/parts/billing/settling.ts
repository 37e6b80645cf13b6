// What settling costs with the charges it writes, beside the same money moved without them.
import { type FinalPrice, hold, settle } from '../../../../server/src/modules/billing/index.ts';
import type { TenantTx } from '../../../../server/src/platform/db/database.ts';
import { newSid } from '../../../../server/src/platform/ids.ts';
import { settleWithoutCharges } from '../../minimum/settle.ts';
import { type Context, emptyRow, type Row } from '../../part.ts';
import { exactCpuSeconds } from '../../usage.ts';
import { fillMonth, fillSettled, monthBefore } from './data.ts';
import { median } from './median.ts';
import { type Holder, openService } from './service.ts';

const settled = Number(process.env.BENCH_SETTLED ?? 200_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 9);
const most = 1.35;

type Settling = (t: TenantTx, finals: FinalPrice[]) => Promise<unknown>;

export async function measureSettling(context: Context): Promise<Row[]> {
  const service = await openService(context);
  try {
    const holder = await service.newHolder();
    context.say(`${settled.toLocaleString('en')} messages that were settled before`);
    const past = { ...holder, count: settled, month: monthBefore(new Date(), 1) };
    await fillMonth(service.client, past);
    await fillSettled(service.client, past);
    const rows: Row[] = [];
    for (const size of [1, 10, 500]) {
      context.say(`settling ${size} at once`);
      rows.push(...(await compare(context, holder, size)));
    }
    return rows;
  } finally {
    await service.close();
  }
}

type Round = { messages: number; seconds: number; micros: number; walBytes: number; walRecords: number };

/** In turns, a short round each and again: a machine that is slower for a while is slower for both. */
async function compare(context: Context, holder: Holder, size: number): Promise<Row[]> {
  const times = size === 1 ? 400 : Math.ceil(4_000 / size);
  const before: Round[] = [];
  const now: Round[] = [];
  await round(context, holder, settle, size, times);
  await round(context, holder, settleWithoutCharges, size, times);
  for (let i = 0; i < rounds; i += 1) {
    before.push(await round(context, holder, settleWithoutCharges, size, times));
    now.push(await round(context, holder, settle, size, times));
  }
  const ratio = median(now.map(({ micros }, i) => micros / before[i]!.micros));
  const at = size === 1 ? 'one' : `${size} at once`;
  return [
    { ...toRow(`settle ${at}, without charges`, before), ratio: null },
    { ...toRow(`settle ${at}`, now), ratio, most },
  ];
}

async function round(
  { stage }: Context,
  holder: Holder,
  settling: Settling,
  size: number,
  times: number,
): Promise<Round> {
  const batches: FinalPrice[][] = [];
  for (let i = 0; i < times; i += 1) batches.push(await held(holder, size));
  const cpu = async () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6 + (await exactCpuSeconds(stage.postmasterPid, true))!;
  };
  const from = await stage.wal.end();
  const cpuBefore = await cpu();
  const begun = performance.now();
  for (const batch of batches) await holder.write((t) => settling(t, batch), { keepsPlans: true });
  const seconds = (performance.now() - begun) / 1000;
  const used = (await cpu()) - cpuBefore;
  const wal = await stage.wal.since(from);
  const messages = size * times;
  return {
    messages,
    seconds,
    micros: (used * 1e6) / messages,
    walBytes: wal.bytes / messages,
    walRecords: wal.records / messages,
  };
}

/** Messages whose money is held, and what they will cost: as much, as nearly always. */
async function held(holder: Holder, size: number): Promise<FinalPrice[]> {
  return holder.write(async (t) => {
    const sids = Array.from({ length: size }, () => newSid('SM', t.now));
    await hold(
      t,
      sids.map((messageSid) => ({ messageSid, amountMinor: 4000n, wabaSid: `WB${'0'.repeat(26)}` })),
    );
    return sids.map((messageSid) => ({
      messageSid,
      amountMinor: 4000n,
      senderSid: `WA${'0'.repeat(26)}`,
      campaignSid: null,
      category: 'utility',
      pricingType: 'REGULAR',
      transport: 'cloud_api',
      market: 'FR',
      rateCardVersion: 2,
      reported: ['regular', 'utility', 'PMP', true],
    }));
  });
}

const toRow = (name: string, rounds: Round[]): Row => ({
  ...emptyRow,
  name,
  perSecond: median(rounds.map(({ messages, seconds }) => messages / seconds)),
  databaseMicros: median(rounds.map(({ micros }) => micros)),
  walBytes: median(rounds.map(({ walBytes }) => walBytes)),
  walRecords: median(rounds.map(({ walRecords }) => walRecords)),
});

/** Settles one message after the other until the work beside it is done. */
export async function settleBeside(holder: Holder, work: () => Promise<void>) {
  const waits: number[] = [];
  let working = true;
  const worked = work().finally(() => {
    working = false;
  });
  const begun = performance.now();
  while (working) {
    const finals = await held(holder, 1);
    const from = performance.now();
    await holder.write((t) => settle(t, finals), { keepsPlans: true });
    waits.push(performance.now() - from);
  }
  await worked;
  waits.sort((a, b) => a - b);
  const quantile = (q: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * q))] ?? 0;
  return {
    perSecond: (waits.length * 1000) / (performance.now() - begun),
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
  };
}
