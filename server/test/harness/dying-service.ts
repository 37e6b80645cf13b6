// A whole service that kills itself at a chosen moment, or loses its database then, for tests of what is left behind. Run as a child
// process of a test, which tells it what time it is and when to die. A moment is just before or just after a commit that changes what
// the test is about, or a call to the payment service, the provider, the carrier or the invoice provider; each is named on a line of output as it comes.
import { writeSync } from 'node:fs';
import pg from 'pg';
import { connectPorts } from '../../src/main/process/ports.ts';
import { startService } from '../../src/main/process/service.ts';
import { readConfig } from '../../src/main/settings.ts';
import { invoiceProviders } from '../../src/modules/billing-documents/submission/invoice-provider.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/observability/logging.ts';
import { createSealer, parseMasterKeys } from '../../src/platform/sealing.ts';

/** When to die: at the so-manieth moment from now on, or at the next or `nth` of this name. A cut takes its database away and lets it live. */
export type Death = ({ at: number } | { named: string; nth?: number }) & { cut?: boolean };
export type Told = { now: string } | { death: Death | null } | { isCut: true };
/** What it tells the test: it serves, it knows when to die, it waits to be cut off from its database. */
export type Tells = { ready: true } | { armed: true } | { cut: true };

/** What a test may be about, and the tables that are changed with it. */
const subjects = {
  billing: 'payment_\\w+|receipts|refunds|refund_consents|invoices|billing_\\w+|operations|wallets',
  workflows: 'workflow_\\w+|idempotency_keys',
  campaigns: 'campaigns|campaign_recipients|operations',
  migrations: 'number_migrations|number_migration_history|senders|operations',
  retention: 'messages|retention_\\w+|legal_\\w+|media',
  removals: 'messages|retention_\\w+|legal_\\w+|erasures|privacy_requests',
  erasure: 'erasures|privacy_requests|contact_identifiers|messages|contacts|operations',
  connections: 'wabas|waba_connections|waba_signups|operations',
  onboarding: 'managed_\\w+|wabas|senders|wallets|operations',
};
export type Subject = keyof typeof subjects;

const [databaseUrl = '', startsAt = '', subject = ''] = process.argv.slice(2);
const clock = manualClock(startsAt);
let death: Death | null = null;
let moments = 0;
let namesakes = 0;
let goOn = () => {};

const tell = (tells: Tells) => process.send!(tells);
process.on('message', (told: Told) => {
  if ('now' in told) return clock.set(told.now);
  if ('isCut' in told) return goOn();
  death = told.death;
  moments = 0;
  namesakes = 0;
  tell({ armed: true });
});

/** Where this is the moment to be cut off: settles when it is. */
function moment(name: string): Promise<void> | null {
  if (!death) return null;
  moments += 1;
  writeSync(1, `${name}\n`);
  if ('named' in death && death.named === name) namesakes += 1;
  const isIt = 'at' in death ? death.at === moments : namesakes === (death.nth ?? 1);
  if (!isIt) return null;
  if (!death.cut) process.kill(process.pid, 'SIGKILL');
  death = null;
  const cut = new Promise<void>((done) => {
    goOn = done;
  });
  tell({ cut: true });
  return cut;
}

async function around<T>(name: string, work: () => Promise<T>): Promise<T> {
  // Nothing is awaited where nothing happens: statements keep their order.
  const before = moment(`before ${name}`);
  if (before) await before;
  const result = await work();
  const after = moment(`after ${name}`);
  if (!after) return result;
  await after;
  // The database did it, and whoever asked never hears so.
  if (name.startsWith('commit')) throw new Error('Connection terminated unexpectedly');
  return result;
}

/** Every call of it is a moment before and a moment after. */
const watched = <T extends object>(of: T): T =>
  new Proxy(of, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function' || name === 'close') return member;
      return (...given: unknown[]) => {
        const call = () => Reflect.apply(member, target, given);
        // A list that is read page by page is left alone: it changes nothing.
        return name === 'events' || name === 'moves' ? call() : around(String(name), call);
      };
    },
  });

// What a transaction changes of it names it: the table that it was about first.
const changes = new RegExp(`(?:insert into|update|delete from) (${subjects[subject as Subject]})\\b`);
const changed = new WeakMap<pg.Client, string>();
const query = pg.Client.prototype.query;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  const [given] = args as [string | { text?: string }];
  const text = (typeof given === 'string' ? given : given?.text) ?? '';
  const run = () => Reflect.apply(query, this, args);
  if (text.startsWith('begin')) changed.delete(this);
  const table = changes.exec(text)?.[1];
  if (table && !changed.has(this)) changed.set(this, table);
  const about = text === 'commit' ? changed.get(this) : undefined;
  return about ? around(`commit of ${about}`, run) : run();
} as never;

const config = readConfig();
const ports = connectPorts(config, createSealer(parseMasterKeys(config.masterKey!)));
const { numberVendors, payments, provider } = ports;
for (const [name, one] of Object.entries(invoiceProviders)) invoiceProviders[name] = watched(one);
await startService({
  config,
  databaseUrl,
  role: 'all',
  clock,
  log: createLog(process.env.TEST_LOG_LEVEL ?? 'silent'),
  ports: {
    provider: watched(provider),
    numberVendors: { ...numberVendors, sandbox: watched(numberVendors.sandbox) },
    payments: {
      ...payments,
      service: (livemode, url) => {
        const service = payments.service(livemode, url);
        return service && watched(service);
      },
    },
  },
});
tell({ ready: true });
