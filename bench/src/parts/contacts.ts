// Contacts by the million: every question of the API beside the same question asked in SQL by hand, in turns, one at a
// time. Asked of an account with ten thousand contacts and of one with a million, to see that look-ups stay flat.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { openCore } from '../../../server/src/main/process/core.ts';
import { bootstrap } from '../../../server/src/main/process/demo.ts';
import { readConfig } from '../../../server/src/main/settings.ts';
import { systemClock } from '../../../server/src/platform/clock.ts';
import { createPager } from '../../../server/src/platform/http/operations/pagination.ts';
import { silentLog } from '../../../server/src/platform/observability/logging.ts';
import type { Sealer } from '../../../server/src/platform/sealing.ts';
import { type BesideSql, measureBeside } from '../beside-sql.ts';
import type { Context, Part, Row } from '../part.ts';
import type { Godwit } from '../stage.ts';
import { generateContacts, sidOf } from './contacts-data.ts';

const small = 10_000;
const large = Number(process.env.BENCH_CONTACTS ?? 1_000_000);
const pageSize = 100;

type Account = { sid: string; key: string; size: number };
export const contacts: Part = {
  name: 'contacts',
  description: `${large.toLocaleString('en')} contacts with consents and suppressions: look-ups, search, pages, segments`,
  async run(context) {
    const godwit = await context.stage.startGodwit();
    const { accounts, sealer } = await prepare(context, godwit);
    const client = new pg.Client({ connectionString: godwit.databaseUrl });
    await client.connect();
    try {
      const cases = accounts.flatMap((account) => casesOf({ godwit, account, client, sealer }));
      const chosen = cases.filter(
        ({ name }) => context.only.length === 0 || context.only.some((word) => name.includes(word)),
      );
      const rows: Row[] = [];
      for (const one of chosen) {
        context.say(one.name);
        rows.push(await measureBeside(one));
      }
      return rows;
    } finally {
      await client.end();
    }
  },
};

async function prepare({ say }: Context, godwit: Godwit) {
  const core = await openCore(readConfig({ DATA_DIR: godwit.dataDir }), godwit.databaseUrl, silentLog);
  const context = { database: core.database, clock: systemClock, log: silentLog };
  const accounts: Account[] = [];
  for (const size of [small, large]) {
    const made = await bootstrap(context, {
      organizationName: 'Bench',
      accountName: `${size}`,
      region: 'local',
    });
    accounts.push({ sid: made.accountSid, key: made.sandboxKey, size });
  }
  await core.database.close();
  say(`generating ${(small + large).toLocaleString('en')} contacts`);
  await generateContacts(godwit.databaseUrl, accounts);
  return { accounts, sealer: core.sealer };
}

type Place = { godwit: Godwit; account: Account; client: pg.Client; sealer: Sealer };

function casesOf({ godwit, account, client, sealer }: Place): BesideSql[] {
  const { sid, key, size } = account;
  const base = `http://127.0.0.1:${godwit.port}/v1/accounts/${sid}`;
  const call = async (method: string, path: string, expected: number, body?: object) => {
    const answer = await fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(method !== 'GET' && { 'idempotency-key': randomUUID() }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.status !== expected) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  };
  const ask = (text: string, ...values: unknown[]) => client.query(text, [sid, ...values]);
  // Spread over the account, the same in every run.
  const someone = (turn: number) => (turn * 7_919) % size;
  const phone = (n: number) => `+3361${String(n).padStart(7, '0')}`;
  const contact = (n: number) => ({ identifiers: [{ identifierType: 'phone_e164', value: phone(n) }] });
  const mine = `account_sid = $1 and not livemode`;
  const label = `${size.toLocaleString('en')}`;
  const deep = Math.min(10_000, Math.floor(size / pageSize)) - 1;
  const cursor = (page: number) =>
    createPager(sealer, 'listContacts', { accountSid: sid, livemode: false }, { limit: 1 }).page(
      [sidOf(size - page * pageSize), ''],
      (last) => [last],
      () => null,
    ).nextCursor;
  const listed = (page: number): BesideSql => ({
    name: `page ${(page + 1).toLocaleString('en')} of ${pageSize}, ${label}`,
    turns: 60,
    ask: () => call('GET', `/contacts?limit=${pageSize}${page ? `&cursor=${cursor(page)}` : ''}`, 200),
    byHand: () =>
      ask(
        `select c.*, (select json_agg(i) from contact_identifiers i where i.account_sid = $1 and i.contact_sid = c.sid),
           (select json_agg(s) from consent_states s where s.account_sid = $1 and s.contact_sid = c.sid)
           from contacts c where ${mine} and merged_into is null and sid < $2 order by sid desc limit ${pageSize + 1}`,
        page ? sidOf(size - page * pageSize) : 'CTZ',
      ),
  });
  const filters = {
    attributes: { plan: 'gold' },
    consent: { purpose: 'MARKETING', status: 'OPTED_IN' },
    localeIn: ['fr', 'de'],
  };
  const matching = `from contacts c where c.account_sid = $1 and not c.livemode and c.merged_into is null
    and c.attributes -> 'plan' = '"gold"' and c.locale = any ('{fr,de}')
    and exists (select from consent_states s where s.account_sid = c.account_sid and s.contact_sid = c.sid
      and s.purpose = 'MARKETING' and s.status = 'OPTED_IN' and (s.expires_at is null or s.expires_at > now()))`;
  return [
    {
      name: `find by identifier, ${label}`,
      turns: 300,
      ask: (turn) => call('GET', `/contacts?identifier=${encodeURIComponent(phone(someone(turn)))}`, 200),
      byHand: (turn) =>
        ask(
          `select c.*, s.* from contact_identifiers i join contacts c on c.account_sid = i.account_sid and c.sid = i.contact_sid
             left join consent_states s on s.account_sid = c.account_sid and s.contact_sid = c.sid
            where i.account_sid = $1 and not i.livemode and i.value = $2`,
          phone(someone(turn)),
        ),
    },
    {
      name: `find or create: found, ${label}`,
      turns: 300,
      ask: (turn) => call('POST', '/contacts', 200, contact(someone(turn))),
      byHand: (turn) =>
        ask(`select contact_sid from contact_identifiers where ${mine} and value = $2`, phone(someone(turn))),
    },
    {
      name: `find or create: created, ${label}`,
      turns: 200,
      ask: (turn) => call('POST', '/contacts', 201, contact(9_000_000 + turn)),
      byHand: (turn) =>
        ask(
          `with made as (insert into contacts (account_sid, livemode, sid, search, created_at, updated_at)
             values ($1, false, 'CTH' || $2, ' ' || $2, now(), now()) returning sid)
           insert into contact_identifiers (account_sid, livemode, id, contact_sid, identifier_type, value, created_at)
             select $1, false, gen_random_uuid(), sid, 'phone_e164', $2, now() from made`,
          `+3371${String(turn).padStart(7, '0')}`,
        ),
    },
    {
      name: `search, part of a name, ${label}`,
      turns: 60,
      ask: (turn) => call('GET', `/contacts?q=artin%20${someone(turn)}`, 200),
      byHand: (turn) =>
        ask(
          `select * from contacts where ${mine} and search like $2 order by sid desc limit 26`,
          `%artin ${someone(turn)}%`,
        ),
    },
    listed(0),
    listed(deep),
    {
      name: `segment preview, 3 filters, ${label}`,
      turns: 7,
      ask: () => call('POST', '/segments/preview', 200, { kind: 'DYNAMIC', filters }),
      byHand: async () => {
        await ask(`select count(*) ${matching}`);
        await ask(`select c.sid ${matching} order by c.sid desc limit 10`);
      },
    },
    {
      name: `segment create, 3 filters, ${label}`,
      turns: 7,
      ask: (turn) => call('POST', '/segments', 201, { kind: 'DYNAMIC', name: `Segment ${turn}`, filters }),
      byHand: (turn) =>
        ask(
          `insert into segment_members (account_sid, livemode, segment_sid, contact_sid, filter_version, consent_sid, matched_at)
             select $1, false, $2, c.sid, 1, (select consent_sid from consent_states s where s.account_sid = c.account_sid
               and s.contact_sid = c.sid and s.purpose = 'MARKETING'), now() ${matching}`,
          `by hand ${turn}`,
        ),
      aim: 1 / 1.5,
    },
    {
      name: `consent coverage, ${label}`,
      turns: 7,
      ask: () => call('GET', '/consent-coverage', 200),
      byHand: async () => {
        await ask(`select count(*) from contacts where ${mine} and merged_into is null`);
        await ask(`select purpose, status, count(*) from consent_states where ${mine} group by 1, 2`);
        await ask(`select count(distinct contact_sid) from suppressions where ${mine} and lifted_at is null`);
      },
    },
  ];
}
