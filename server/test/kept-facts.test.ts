// Facts that processes keep: what each of them is read from changes its version, and nobody judges by one that has changed.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import '../src/main/modules.ts';
import { newPhone } from '../src/modules/contacts/fixtures.ts';
import type { Queries, TenantTx } from '../src/platform/db/database.ts';
import { compileQuery, type Sql, sql } from '../src/platform/db/query.ts';
import { declaredFacts } from '../src/platform/kept-facts.ts';
import { silentLog } from '../src/platform/observability/logging.ts';
import { systemPrincipal } from '../src/platform/principal.ts';
import { generateMasterKey } from '../src/platform/sealing.ts';
import { type Reply, startTestApp, type TestApp } from './harness/app.ts';
import { draftRateCard, publishRateCard } from './harness/billing.ts';
import { deskOf } from './harness/inboxes.ts';
import { sharedLifetime } from './harness/lifetime.ts';

const lifetime = sharedLifetime();
const env = { MASTER_KEY: generateMasterKey() };
let app: TestApp;
let other: TestApp;
let senderSid: string;
before(async () => {
  app = await startTestApp(lifetime, { env });
  other = await startTestApp(lifetime, { env, databaseUrl: app.databaseUrl });
  senderSid = await deskOf(app).sender();
});

/** Runs work inside the account of the test. */
const inside = <T>(work: (t: TenantTx) => Promise<T>, options = {}) => {
  const tenant = { accountSid: app.accountSid, livemode: false };
  const principal = systemPrincipal('test', false);
  const context = { principal, now: app.clock.now(), requestId: 'test', log: silentLog };
  return app.database.write(tenant, context, work, options);
};

const versionOf = async (scope: string) => {
  const [row] = await app.sql<{ facts: string }>('select facts from fact_versions where scope = $1', [scope]);
  return row!.facts;
};

suite('the version of a fact', () => {
  /** Something each fact can be asked for, which need not exist. */
  const samples: Record<string, unknown> = {
    account_status: null,
    connected_senders: null,
    paying_wallet: null,
    portfolio_limit: 'WB0',
    rate_cards: null,
    sender: 'WA0',
    template: { wabaSid: 'WB0', name: 'hello', language: 'en' },
    waba: 'WB0',
  };

  const literal = (value: unknown): string => {
    if (Array.isArray(value)) return `array[${value.map(literal).join(', ')}]`;
    return typeof value === 'string' ? `'${value}'` : String(value);
  };

  /** The statements with which a fact is read, as they are once their values are known. */
  async function statementsOf(fact: ReturnType<typeof declaredFacts>[number]): Promise<string[]> {
    const texts: string[] = [];
    await inside(async (t) => {
      const noting =
        (run: Queries['many']) =>
        <Row>(query: Sql) => {
          const { text, values } = compileQuery(query);
          texts.push(text.replaceAll(/\$(\d+)/g, (_, number) => literal(values[Number(number) - 1])));
          return run<Row>(query);
        };
      const noted = {
        ...t,
        many: noting(t.many),
        one: noting(t.one as never),
        maybe: noting(t.maybe as never),
      };
      await fact.load(noted as unknown as TenantTx, [samples[fact.name]]);
    });
    return texts;
  }

  /** The columns a statement reads, as PostgreSQL notes them for a view. */
  async function columnsRead(statement: string): Promise<string[]> {
    await app.sql(`create view read_by_fact as ${statement}`);
    const rows = await app.sql<{ column: string }>(`
      select distinct c.relname || '.' || a.attname as column
        from pg_rewrite r join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
        join pg_class c on d.refclassid = 'pg_class'::regclass and c.oid = d.refobjid
        join pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid
       where r.ev_class = 'read_by_fact'::regclass and d.refobjsubid > 0`);
    await app.sql('drop view read_by_fact');
    return rows.map(({ column }) => column);
  }

  /** The columns with which the version changes, at every kind of change. */
  async function columnsWatched(): Promise<Set<string>> {
    const rows = await app.sql<{ name: string; table: string; args: string }>(`
      select t.tgname as name, c.relname as table, encode(t.tgargs, 'escape') as args
        from pg_trigger t join pg_class c on c.oid = t.tgrelid
       where t.tgfoid = 'note_changed_facts'::regproc and t.tgenabled = 'O'`);
    const of = (name: string) =>
      new Set(
        rows
          .filter((row) => row.name === name)
          .flatMap(({ table, args }) =>
            args
              .split('\\000')[1]!
              .split(',')
              .map((column) => `${table}.${column.trim()}`),
          ),
      );
    const [inserted, updated, deleted] = ['facts_inserted', 'facts_updated', 'facts_deleted'].map(of);
    return updated!.intersection(inserted!).intersection(deleted!);
  }

  test('changes with every column the fact is read from', async () => {
    const watched = await columnsWatched();
    for (const fact of declaredFacts()) {
      assert.ok(Object.hasOwn(samples, fact.name), `${fact.name} needs a sample to be asked for`);
      const read = (await Promise.all((await statementsOf(fact)).map(columnsRead))).flat();
      assert.ok(read.length > 0, `${fact.name} reads nothing`);
      const unwatched = read.filter((column) => !watched.has(column));
      assert.deepEqual(unwatched, [], `${fact.name} reads columns no version follows`);
    }
  });

  test('changes in the transaction of the change, and not for what no fact is read from', async () => {
    const before = await versionOf(app.accountSid);
    await app.sql('update senders set said_at = said_at, status = status where sid = $1', [senderSid]);
    await app.sql('update wabas set read_at = now() where account_sid = $1', [app.accountSid]);
    assert.equal(await versionOf(app.accountSid), before);
    await assert.rejects(
      inside(async (t) => {
        await t.run(sql`update senders set display_name = 'Other' where sid = ${senderSid}`);
        const { facts } = await t.one<{ facts: string }>(
          sql`select facts from fact_versions where scope = ${app.accountSid}`,
        );
        assert.notEqual(facts, before);
        throw new Error('rolled back');
      }),
      /rolled back/,
    );
    assert.equal(await versionOf(app.accountSid), before);
    await app.sql(`update senders set display_name = display_name || '!' where sid = $1`, [senderSid]);
    assert.notEqual(await versionOf(app.accountSid), before);
  });

  test('is seen by its own account, and changed by nobody directly', async () => {
    const stranger = await app.newAccount();
    const seen = await inside((t) =>
      t.many<{ scope: string }>(sql`select scope from fact_versions order by 1`),
    );
    assert.deepEqual(
      seen.map(({ scope }) => scope),
      ['*', app.accountSid],
    );
    assert.ok(await versionOf(stranger.accountSid));
    const change = sql`update fact_versions set facts = gen_random_uuid()`;
    await assert.rejects(
      inside((t) => t.run(change)),
      { code: '42501' },
    );
  });

  test('cannot be changed by a transaction that uses kept facts', async () => {
    const change = (t: TenantTx) =>
      t.run(sql`update senders set display_name = 'X' where sid = ${senderSid}`);
    await assert.rejects(inside(change, { usesKeptFacts: true }), /cannot change senders/);
  });
});

suite('a send that begins after a fact was changed', () => {
  const send = (by: TestApp, key = app.sandboxKey): Promise<Reply> =>
    by.post(
      `${app.at}/messages`,
      {
        from: senderSid,
        to: newPhone(),
        type: 'template',
        template: { name: 'hello_world', language: 'en' },
      },
      { authorization: `Bearer ${key}` },
    );
  const endOf = ({ status, body }: Reply) =>
    status === 201 ? `price ${body.price.estimate.amountMinor}` : body.error.code;

  /**
   * Changes something while both processes send. Whoever began before the change was made may meet either; of those that
   * began afterwards, all ends are told.
   */
  async function whileSending(change: () => Promise<unknown>, key?: string): Promise<string[]> {
    const ends = new Set<string>();
    let changed = false;
    let after = 0;
    const lanes = [app, app, other, other].map(async (by) => {
      for (let own = 0; own < 3; own += changed ? 1 : 0) {
        const begunAfter = changed;
        const end = endOf(await send(by, key));
        if (begunAfter) ends.add(end);
        after += begunAfter ? 1 : 0;
      }
    });
    await change();
    changed = true;
    await Promise.all(lanes);
    assert.ok(after >= 8, 'too few sends began after the change');
    return [...ends];
  }

  const ofAccount = 'where account_sid = $1 and not livemode';
  const facts: Record<string, { change: string; undo: string; refused: string }> = {
    'a suspended account': {
      change: `update accounts set status = 'suspended' where sid = $1`,
      undo: `update accounts set status = 'active' where sid = $1`,
      refused: 'ACCOUNT_SUSPENDED',
    },
    'a disconnected sender': {
      change: `update senders set status = 'DISCONNECTED' ${ofAccount}`,
      undo: `update senders set status = 'CONNECTED' ${ofAccount}`,
      refused: 'SENDER_NOT_READY',
    },
    'a disabled business account': {
      change: `update wabas set ban_state = 'DISABLED' ${ofAccount}`,
      undo: `update wabas set ban_state = 'NONE' ${ofAccount}`,
      refused: 'WABA_RESTRICTED',
    },
    'a restriction': {
      change: `update wabas set restrictions =
        '[{"type": "RESTRICTED_BIZ_INITIATED_MESSAGING", "expiresAt": null}]' ${ofAccount}`,
      undo: `update wabas set restrictions = '[]' ${ofAccount}`,
      refused: 'SENDER_TEMPLATE_RESTRICTED',
    },
    'a paused template': {
      change: `update templates set status = 'PAUSED' ${ofAccount}`,
      undo: `update templates set status = 'APPROVED' ${ofAccount}`,
      refused: 'TEMPLATE_PAUSED',
    },
    'a lower limit of the portfolio': {
      change: `update portfolios set messaging_limit = 'TIER_50' ${ofAccount}`,
      undo: `update portfolios set messaging_limit = 'TIER_2K' ${ofAccount}`,
      refused: 'PORTFOLIO_LIMIT_EXHAUSTED',
    },
  };

  before(async () => {
    await app.sql(`update portfolios set messaging_limit = 'TIER_2K' ${ofAccount}`, [app.accountSid]);
    await app.sql(
      `insert into portfolio_recipients (account_sid, livemode, portfolio_id, contact_sid, started_at)
       select account_sid, livemode, id, 'CT' || n, $2 from portfolios, generate_series(1, 60) n ${ofAccount}`,
      [app.accountSid, app.clock.now()],
    );
  });

  for (const [what, { change, undo, refused }] of Object.entries(facts)) {
    test(`is judged by ${what}, in every process`, async () => {
      const accepted = endOf(await send(app));
      assert.match(accepted, /^price/);
      assert.deepEqual(await whileSending(() => other.sql(change, [app.accountSid])), [refused]);
      assert.deepEqual(await whileSending(() => other.sql(undo, [app.accountSid])), [accepted]);
    });
  }

  test('is priced by the card in force, in every process', async () => {
    const before = endOf(await send(app));
    const now = app.clock.now().toISOString();
    await draftRateCard(app, 2, now);
    const [after] = await whileSending(() => publishRateCard(other, 2, now));
    assert.match(after!, /^price/);
    assert.notEqual(after, before);
    assert.deepEqual(await whileSending(async () => {}), [after]);
  });
});

test('what is kept is counted for operators', async () => {
  const { text } = await app.get('/metrics');
  assert.match(text, /godwit_kept_facts_total\{fact="template",result="hit"\} [1-9]/);
  assert.match(text, /godwit_kept_facts_total\{fact="template",result="miss"\} [1-9]/);
  assert.match(text, /godwit_kept_facts_bytes [1-9]/);
});
