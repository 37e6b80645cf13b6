// The proofs that an operator can ask for (`godwit ledger verify`, `documents verify`, `cash verify`), of what a test left behind:
// whatever leaves books that do not add up fails, whether it looked at them or not.
import type pg from 'pg';
import { verifyWallet } from '../../src/modules/billing/index.ts';
import { verifyDocuments } from '../../src/modules/billing-documents/index.ts';
import {
  type CashDifference,
  serviceOf,
  verifyCash,
  verifyPaidInto,
} from '../../src/modules/payments/index.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import type { Patience } from '../../src/platform/db/pool.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import type { Ports, Site } from '../../src/platform/ports.ts';
import { systemPrincipal } from '../../src/platform/principal.ts';
import type { Sealer } from '../../src/platform/sealing.ts';

type Left = { url: string; sealer: Sealer; site: () => Site; patience: Patience; admin: pg.Pool };
type Wallet = { accountSid: string; livemode: boolean; walletId: string };

type Touched = { moved: Wallet[]; isNumbered: boolean; paid: Wallet[] };

/** Only what was touched is looked at: play money is in every sandbox, and most tests touch no other. */
async function touched(admin: pg.Pool): Promise<Touched> {
  const wallet = `jsonb_build_object('accountSid', account_sid, 'livemode', livemode, 'walletId', wallet_id)`;
  const { rows } = await admin.query<Touched>(`
    select array(select distinct ${wallet} from ledger_transfers where kind <> 'play_money') as moved,
      exists (select from billing_document_numbers) as "isNumbered",
      array(select distinct ${wallet} from payment_intents where succeeded_at is not null) as paid`);
  return rows[0]!;
}

// Planning the proof of a wallet takes ten times as long as running it on the few rows of a test.
const planOnce = `do $$ begin
  execute format('alter database %I set plan_cache_mode = force_generic_plan', current_database());
end $$`;

/** Names every fault it finds; nothing when there is none. The service has stopped: nobody writes any more. */
export async function faultsLeft({ admin, ...left }: Left): Promise<string[]> {
  const { moved, isNumbered, paid } = await touched(admin);
  if (moved.length === 0 && !isNumbered && paid.length === 0) return [];
  await admin.query(planOnce);
  const database = openDatabase({ ...left, maxConnections: 2, log: silentLog });
  try {
    return [
      ...(await faultsOfLedger(database, moved)),
      ...(isNumbered ? await faultsOfDocuments(database) : []),
      ...(await faultsOfCash(database, paid)),
    ];
  } finally {
    await database.close();
  }
}

type Asked = { database: Database; ports: Ports; site: Site; now: Date; expected: ReadonlySet<string> };

// `cash verify` looks at what happened more than an hour ago; nothing is under way any more when a test ends.
const allSettledMs = 2 * 3_600_000;

/** What the payment service itself says it moved, beside what it is said to have moved here. A fee may be asked for later. */
export async function faultsOfService({ database, now, expected, ...asked }: Asked): Promise<string[]> {
  const context = { ...systemContext(false), now: new Date(now.getTime() + allSettledMs) };
  const service = serviceOf(asked, false);
  const { differences } = await verifyCash({ database, service, livemode: false, context });
  return differences.filter((one) => !expected.has(one.what) && !isFeeUnknown(one)).map(tellDifference);
}

function isFeeUnknown({ ours, theirs }: CashDifference): boolean {
  const [amount] = theirs.split(' less ');
  return ours.startsWith(`${amount} less ? `);
}

async function faultsOfLedger(database: Database, wallets: Wallet[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { accountSid, livemode, walletId } of wallets) {
    const { broken } = await verifyWallet(database, accountSid, walletId);
    const name = `${accountSid} ${livemode ? 'live' : 'sandbox'}`;
    if (broken) faults.push(`ledger of ${name}: ${JSON.stringify(broken)}`);
  }
  return faults;
}

async function faultsOfDocuments(database: Database): Promise<string[]> {
  const faults: string[] = [];
  for await (const { accountSid, broken } of verifyDocuments(database))
    if (broken) faults.push(`documents of ${accountSid}: ${broken.sequence}: ${broken.reason}`);
  return faults;
}

async function faultsOfCash(database: Database, wallets: Wallet[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { accountSid, livemode, walletId } of wallets) {
    const context = systemContext(livemode);
    faults.push(
      ...(await verifyPaidInto({ database, livemode, context }, accountSid, walletId)).map(tellDifference),
    );
  }
  return faults;
}

const systemContext = (livemode: boolean) => ({
  principal: systemPrincipal('test', livemode),
  now: new Date(),
  requestId: 'test',
  log: silentLog,
});

const tellDifference = ({ what, ours, theirs }: CashDifference) =>
  `cash of ${what}: ${ours} moved, ${theirs} paid`;
