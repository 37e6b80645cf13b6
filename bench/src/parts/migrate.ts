// How long a sender is silent while its number moves to another business account: from the last message the provider took under the old
// id to the first under the new one, in its own record, with messages sent all the time and a provider that takes 50 ms to answer.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { verificationCode } from '@godwit/simulator';
import { openCore } from '../../../server/src/main/process/core.ts';
import { bootstrap } from '../../../server/src/main/process/demo.ts';
import { asOperator } from '../../../server/src/main/process/keys.ts';
import { readConfig } from '../../../server/src/main/settings.ts';
import { creditWallet } from '../../../server/src/modules/billing/index.ts';
import { startMigration, submitCode } from '../../../server/src/modules/number-migrations/requests.ts';
import { getMigration } from '../../../server/src/modules/number-migrations/resource.ts';
import { systemClock } from '../../../server/src/platform/clock.ts';
import type { TenantTx } from '../../../server/src/platform/db/database.ts';
import { newUuid } from '../../../server/src/platform/ids.ts';
import { money } from '../../../server/src/platform/money.ts';
import { silentLog } from '../../../server/src/platform/observability/logging.ts';
import { freePort } from '../free-port.ts';
import { type Context, emptyRow, type Part, type Row } from '../part.ts';
import { quantile } from './webhooks-data.ts';

const answerDelayMs = 50;
const betweenSendsMs = 20;
const fewestMoves = 5;
const why = { caseRef: 'bench', reason: 'bench' };

export const migrate: Part = {
  name: 'migrate',
  description: 'how long a sender is silent while its number moves to another business account',
  async run(context) {
    const place = await openPlace(context);
    const gaps: number[] = [];
    const moves = Math.max(fewestMoves, Math.round(context.seconds / 2));
    while (gaps.length < moves) gaps.push(await place.move());
    return [await rowOf(place, gaps)];
  },
};

async function rowOf({ wrong }: Place, gaps: number[]): Promise<Row> {
  const sorted = gaps.toSorted((a, b) => a - b);
  const firstError = await wrong();
  return {
    ...emptyRow,
    name: `silence while a number moves, provider at ${answerDelayMs} ms`,
    perSecond: 0,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    mostP99Ms: 3_000,
    errors: firstError === null ? 0 : 1,
    firstError,
  };
}

type Place = Awaited<ReturnType<typeof openPlace>>;
type Taken = { opaque: string; phoneNumberId: string; atMs: number };
// biome-ignore lint/suspicious/noExplicitAny: answers of our own API, read by their field names
type Answer = any;

async function openPlace({ stage, say }: Context) {
  const port = await freePort();
  const godwit = await stage.startGodwit({ role: 'all', env: { SIMULATOR_PORT: String(port) } });
  const core = await openCore(readConfig({ DATA_DIR: godwit.dataDir }), godwit.databaseUrl, silentLog);
  const context = { database: core.database, clock: systemClock, log: silentLog };
  const names = { organizationName: 'Bench', accountName: 'Bench', region: 'local' };
  const { accountSid, sandboxKey } = await bootstrap(context, names);
  const write = <T>(work: (t: TenantTx) => Promise<T>) =>
    core.database.write({ accountSid, livemode: false }, asOperator(context, false), work);
  await write((t) =>
    creditWallet(t, { amount: money(10n ** 13n, 'USD', 6), reason: 'bench', reference: newUuid(t.now) }),
  );
  const taken = await slowProvider(port);
  const call = clientOf(`${godwit.url}/v1/accounts/${accountSid}`, sandboxKey);
  const first = async (path: string) => (await call('GET', path)).data[0];

  let people = 0;
  const phone = () => {
    people += 1;
    return `+3361${String(people).padStart(7, '0')}`;
  };
  const sent: string[] = [];
  const send = async (from: string) => {
    const template = { name: 'hello_world', language: 'en' };
    sent.push((await call('POST', 'messages', { from, to: phone(), type: 'template', template })).sid);
  };
  const until = async (sid: string, holds: (migration: Answer) => boolean) => {
    for (;;) {
      const migration = await write((t) => getMigration(t, sid));
      if (holds(migration)) return migration;
      if (migration.state === 'FAILED') throw new Error(JSON.stringify(migration.error));
      await sleep(20);
    }
  };

  return {
    /** Moves a new number; tells for how many milliseconds nothing left. */
    async move(): Promise<number> {
      say('a number moves');
      const source = await call('POST', 'wabas', { name: 'Depot' });
      const destination = await call('POST', 'wabas', { name: 'Shop', portfolioId: source.portfolio.id });
      const sender = await first(`senders?wabaSid=${source.sid}`);
      const template = await first(`templates?wabaSid=${destination.sid}&name=hello_world&language=en`);
      const identifiers = [{ identifierType: 'phone_e164', value: phone() }];
      const contact = await call('POST', 'contacts', { identifiers });
      let moves = true;
      const sending = (async () => {
        for (; moves; await sleep(betweenSendsMs)) await send(sender.sid);
      })();
      const { sid } = await write((t) =>
        startMigration(t, {
          ...why,
          stepUpToken: '',
          countryCode: sender.phoneNumber.slice(1, 2),
          phoneNumber: sender.phoneNumber.slice(2),
          senderSid: sender.sid,
          destinationWabaSid: destination.sid,
          registrationPin: '482916',
          validation: { contactSid: contact.sid, templateSid: template.sid },
        }),
      );
      await until(sid, ({ awaits }) => awaits !== null);
      await write((t) => submitCode(t, sid, { ...why, code: verificationCode }));
      const { providerPhoneNumberId } = await until(sid, ({ state }) => state === 'SUCCEEDED');
      moves = false;
      await sending;
      const record = await taken();
      const atMs = (id: string) => record.filter((one) => one.phoneNumberId === id).map((one) => one.atMs);
      return Math.min(...atMs(providerPhoneNumberId!)) - Math.max(...atMs(sender.providerPhoneNumberId));
    },
    /** What is wrong with what was sent; null when each was taken once. */
    async wrong(): Promise<string | null> {
      const count = async () => Map.groupBy(await taken(), ({ opaque }) => opaque);
      let times = await count();
      for (let looks = 0; looks < 100 && sent.some((sid) => !times.has(sid)); looks += 1) {
        await sleep(100);
        times = await count();
      }
      const lost = sent.filter((sid) => !times.has(sid)).length;
      const doubled = sent.filter((sid) => (times.get(sid)?.length ?? 0) > 1).length;
      await core.database.close();
      return lost + doubled === 0
        ? null
        : `of ${sent.length} messages ${lost} were lost and ${doubled} doubled`;
    },
  };
}

/** Has the simulator answer slowly; tells what it took. */
async function slowProvider(port: number): Promise<() => Promise<Taken[]>> {
  const control = async (method: string, path: string, body?: object): Promise<Answer> => {
    const headers = { 'content-type': 'application/json' };
    const given = { method, ...(body && { headers, body: JSON.stringify(body) }) };
    return (await fetch(`http://127.0.0.1:${port}/_control/${path}`, given)).json();
  };
  const unlimited = { throughputLimit: false, pairLimit: false, duplicateCallbacks: 0, reorderCallbacks: 0 };
  await control('PATCH', 'settings', unlimited);
  const management = ['phone_numbers', 'request_code', 'verify_code', 'register', 'subscribed_apps', 'node'];
  for (const path of ['messages', ...management])
    await control('POST', 'rules', { match: { path }, behaviour: { answerDelayMs } });
  return async () => {
    const all: Taken[] = [];
    for (let after = 0; ; ) {
      const page = await control('GET', `messages?after=${after}&limit=10000`);
      if (page.data.length === 0) return all;
      all.push(...page.data);
      after = page.after;
    }
  };
}

const clientOf =
  (url: string, key: string) =>
  async (method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await fetch(`${url}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`);
    return JSON.parse(text);
  };
