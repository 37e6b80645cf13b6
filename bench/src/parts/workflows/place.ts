// A service with accounts that know people, entered beside it on the same database: what happens there is written without requests.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openCore } from '../../../../server/src/main/process/core.ts';
import { bootstrap } from '../../../../server/src/main/process/demo.ts';
import { asOperator } from '../../../../server/src/main/process/keys.ts';
import { readConfig } from '../../../../server/src/main/settings.ts';
import { creditWallet } from '../../../../server/src/modules/billing/index.ts';
import { consentsOf } from '../../../../server/src/modules/consent/index.ts';
import { contactsFor } from '../../../../server/src/modules/contacts/index.ts';
import { customEvents } from '../../../../server/src/modules/workflows/resources/events.ts';
import { systemClock } from '../../../../server/src/platform/clock.ts';
import type { TenantTx } from '../../../../server/src/platform/db/database.ts';
import { emit } from '../../../../server/src/platform/events.ts';
import { newUuid } from '../../../../server/src/platform/ids.ts';
import { money } from '../../../../server/src/platform/money.ts';
import { silentLog } from '../../../../server/src/platform/observability/logging.ts';
import { type Context, emptyRow, type Row } from '../../part.ts';
import { familyCpuSeconds, serverUsage } from '../../usage.ts';
import { median } from '../billing/median.ts';

export type Account = {
  accountSid: string;
  key: string;
  senderSid: string;
  contacts: string[];
  phones: string[];
};
export type Round = Awaited<ReturnType<typeof measured>>;
export type Place = Awaited<ReturnType<typeof openPlace>>;

/** How long nothing may move before what is left is told as lost. */
const stalledMs = 30_000;

export const phoneOf = (person: number) => `+3361${String(person).padStart(7, '0')}`;

export async function openPlace({ stage }: Context, sizes: { accounts: number; people: number }) {
  const godwit = await stage.startGodwit({ role: 'all', env: { SIMULATOR_PORT: '0' } });
  const core = await openCore(readConfig({ DATA_DIR: godwit.dataDir }), godwit.databaseUrl, silentLog);
  const context = { database: core.database, clock: systemClock, log: silentLog };
  const client = new pg.Client({ connectionString: godwit.databaseUrl });
  await client.connect();

  const write = <T>({ accountSid }: Pick<Account, 'accountSid'>, work: (t: TenantTx) => Promise<T>) =>
    core.database.write({ accountSid, livemode: false }, asOperator(context, false), work);
  const count = async (from: string, ...values: unknown[]) =>
    (await client.query<{ n: number }>(`select count(*)::integer as n ${from}`, values)).rows[0]!.n;
  const newAccount = async (): Promise<Account> => {
    const names = { organizationName: 'Bench', accountName: 'Bench', region: 'local' };
    const { accountSid, sandboxKey: key } = await bootstrap(context, names);
    const phones = Array.from({ length: sizes.people }, (_, person) => phoneOf(person));
    const contacts = await write({ accountSid }, async (t) => {
      await creditWallet(t, {
        amount: money(10n ** 13n, 'USD', 6),
        reason: 'bench',
        reference: newUuid(t.now),
      });
      const identifiers = phones.map((value) => ({
        identifierType: 'phone_e164' as const,
        value,
        scopeRef: null,
      }));
      return contactsFor(t, { consentsOf }, identifiers);
    });
    // What is sent is admitted and then waits: handing it over is measured elsewhere.
    const { rows } = await client.query<{ sid: string }>(
      `update senders set throughput_per_second = 1
        where account_sid = $1 and not livemode and waba_sid is not null returning sid`,
      [accountSid],
    );
    return { accountSid, key, senderSid: rows[0]!.sid, contacts, phones };
  };
  const accounts: Account[] = [];
  while (accounts.length < sizes.accounts) accounts.push(await newAccount());
  await client.query("update portfolios set messaging_limit = 'TIER_UNLIMITED'");
  await client.query('vacuum analyze');

  const post = async (account: Account, path: string, body?: object) => {
    const answer = await fetch(`${godwit.url}/v1/accounts/${account.accountSid}/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${account.key}`,
        'idempotency-key': newUuid(systemClock.now()),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`);
    return JSON.parse(text);
  };

  return {
    godwit,
    client,
    accounts,
    write,
    count,
    post,
    async publish(account: Account, eventType: string, actions: object[]): Promise<string> {
      const definition = {
        trigger: { eventTypes: [eventType], allowReentry: true },
        conditions: [],
        actions,
      };
      const { sid } = await post(account, 'workflows', { name: 'Bench', definition });
      await post(account, `workflows/${sid}/publish`);
      return sid;
    },
    /** Tells, in one commit, that the same happened to the first so many people of an account. */
    happens: (account: Account, eventType: string, many: number) =>
      write(account, async (t) => {
        for (const contactSid of account.contacts.slice(0, many))
          emit(t, customEvents.event, {
            object: 'custom_event',
            accountSid: t.accountSid,
            livemode: t.livemode,
            eventType,
            contactSid,
            payload: { size: 3 },
            createdAt: t.now.toISOString(),
          });
      }),
    /** Does the work and waits until so many more runs are complete; tells what that took. */
    untilComplete: (runs: number, work: () => Promise<unknown>) =>
      measured({ stage, url: godwit.url }, runs, async () => {
        // By the index of ended runs: reading all runs would cost as much as what is measured.
        const begun = new Date();
        const completed = `from workflow_runs where account_sid = any ($1::text[]) and not livemode
          and ended_at >= $2::timestamptz and state = 'COMPLETED'`;
        const sids = accounts.map(({ accountSid }) => accountSid);
        await work();
        let last = { done: 0, atMs: performance.now() };
        while (last.done < runs && performance.now() - last.atMs < stalledMs) {
          const lookedMs = performance.now();
          const done = await count(completed, sids, begun);
          if (done > last.done) last = { done, atMs: performance.now() };
          // Counting must stay a small part of what is measured.
          if (done < runs) await sleep(Math.max(5, 10 * (performance.now() - lookedMs)));
        }
        return last.done;
      }),
    async close() {
      await client.end();
      await core.database.close();
    },
  };
}

/** How fast so many things are done, and the processor time each takes in a server and in the database. `work` tells how many were. */
export async function measured(
  { stage, url }: { stage: Context['stage']; url: string },
  things: number,
  work: () => Promise<number>,
) {
  const cpu = async () => ({
    server: (await serverUsage(url)).cpuSeconds,
    database: (await familyCpuSeconds(stage.postmasterPid)) ?? 0,
  });
  const before = await cpu();
  const begunMs = performance.now();
  const done = await work();
  const seconds = (performance.now() - begunMs) / 1000;
  const after = await cpu();
  return {
    perSecond: done / seconds,
    serverMicros: ((after.server - before.server) * 1e6) / things,
    databaseMicros: ((after.database - before.database) * 1e6) / things,
    missing: things - done,
  };
}

/** One row of several rounds. */
export async function rowOf(name: string, place: Place, rounds: Round[]): Promise<Row> {
  const errors = rounds.reduce((sum, { missing }) => sum + missing, 0);
  return {
    ...emptyRow,
    name,
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    serverMicros: median(rounds.map(({ serverMicros }) => serverMicros)),
    databaseMicros: median(rounds.map(({ databaseMicros }) => databaseMicros)),
    errors,
    firstError: await firstFault(place, errors),
  };
}

/** How the runs stand, where some came to no good end. */
async function firstFault({ client }: Place, missing: number): Promise<string | null> {
  if (missing === 0) return null;
  const { rows } = await client.query(
    'select state, error::text, count(*)::integer as n from workflow_runs group by 1, 2 limit 10',
  );
  return `${missing} are missing; all runs: ${JSON.stringify(rows)}`;
}
