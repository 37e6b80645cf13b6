// Facts that processes keep: what each of them is read from changes its version, and nobody judges by one that has changed.
import assert from 'node:assert/strict';
import { before, beforeEach, suite, test } from 'node:test';
import '../src/main/modules.ts';
import { rememberKeys } from '../src/modules/api-keys/remember-keys.ts';
import { newPhone } from '../src/modules/contacts/fixtures.ts';
import type { Database, Queries, SystemTx, TenantTx } from '../src/platform/db/database.ts';
import { compileQuery, type Sql, sql } from '../src/platform/db/query.ts';
import { declaredFacts } from '../src/platform/kept-facts.ts';
import { silentLog } from '../src/platform/observability/logging.ts';
import { systemPrincipal } from '../src/platform/principal.ts';
import { generateMasterKey } from '../src/platform/sealing.ts';
import { bearer, type Reply, startTestApp, type TestApp } from './harness/app.ts';
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
    account_standing: null,
    anybody_restricted: null,
    connected_senders: null,
    opt_out_key: null,
    paying_wallet: null,
    plans: null,
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

  /** Does work that reads, and tells its statements as they are once their values are known. */
  async function statementsOf(work: (t: TenantTx) => Promise<unknown>): Promise<string[]> {
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
      await work(noted as unknown as TenantTx);
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

  /** The columns that work reads and the version does not follow. */
  async function readBeside(watched: Set<string>, work: (t: TenantTx) => Promise<unknown>) {
    const read = new Set<string>();
    for (const statement of await statementsOf(work)) {
      for (const column of await columnsRead(statement)) read.add(column);
    }
    assert.ok(read.size > 0, 'nothing was read');
    return [...read].filter((column) => !watched.has(column)).sort();
  }

  /** The columns with which the version changes, at every kind of change. */
  async function columnsWatched(version: 'facts' | 'credentials'): Promise<Set<string>> {
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
    const [inserted, updated, deleted] = ['inserted', 'updated', 'deleted'].map((at) =>
      of(`${version}_${at}`),
    );
    return updated!.intersection(inserted!).intersection(deleted!);
  }

  test('changes with every column the fact is read from', async () => {
    const watched = await columnsWatched('facts');
    for (const fact of declaredFacts()) {
      assert.ok(Object.hasOwn(samples, fact.name), `${fact.name} needs a sample to be asked for`);
      const unwatched = await readBeside(watched, (t) => fact.load(t, [samples[fact.name]]));
      assert.deepEqual(unwatched, [], `${fact.name} reads columns no version follows`);
    }
  });

  test('of credentials changes with every column an API key is read from', async () => {
    const [key] = await app.sql<{ lookup: string }>('select lookup from api_keys where account_sid = $1', [
      app.accountSid,
    ]);
    const unwatched = await readBeside(await columnsWatched('credentials'), async (t) => {
      const database = {
        system: (work: (s: SystemTx) => unknown) => work(t),
        listen: async () => async () => {},
      };
      const keys = await rememberKeys(database as unknown as Database);
      assert.ok((await keys.find(key!.lookup, app.clock.now())).key);
    });
    assert.deepEqual(unwatched, ['fact_versions.credentials', 'fact_versions.scope']);
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

/**
 * Changes something while both processes are asked. Whoever began before the change was made may meet either; of those that
 * began afterwards, all ends are told.
 */
async function whileAsking(
  ask: (by: TestApp) => Promise<string>,
  change: () => Promise<unknown>,
): Promise<string[]> {
  const ends = new Set<string>();
  let changed = false;
  let after = 0;
  const lanes = [app, app, other, other].map(async (by) => {
    for (let own = 0; own < 3; own += changed ? 1 : 0) {
      const begunAfter = changed;
      const end = await ask(by);
      if (begunAfter) ends.add(end);
      after += begunAfter ? 1 : 0;
    }
  });
  await change();
  changed = true;
  await Promise.all(lanes);
  assert.ok(after >= 8, 'too few began after the change');
  return [...ends];
}

const message = () => ({
  from: senderSid,
  to: newPhone(),
  type: 'template',
  template: { name: 'hello_world', language: 'en' },
});

suite('a send that begins after a fact was changed', () => {
  /** Somebody else, whose sends share their transactions with the account's. */
  let neighbour: { accountSid: string; sandboxKey: string; senderSid: string };
  before(async () => {
    const made = await app.newAccount();
    const { body } = await app.get(`/v1/accounts/${made.accountSid}/senders`, bearer(made.sandboxKey));
    neighbour = { ...made, senderSid: body.data[0].sid };
  });

  const endOf = ({ status, body }: Reply) =>
    status === 201 ? `price ${body.price.estimate.amountMinor}` : body.error.code;
  const send = async (by: TestApp) =>
    endOf(await by.post(`${app.at}/messages`, message(), bearer(app.sandboxKey)));
  const sendBeside = async (by: TestApp) => {
    const { accountSid, sandboxKey, senderSid: from } = neighbour;
    const path = `/v1/accounts/${accountSid}/messages`;
    return by.post(path, { ...message(), from }, bearer(sandboxKey));
  };
  const whileSending = (change: () => Promise<unknown>) =>
    whileAsking(async (by) => {
      const [end, beside] = await Promise.all([send(by), sendBeside(by)]);
      assert.equal(beside.status, 201, beside.text);
      return end;
    }, change);

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
      const accepted = await send(app);
      assert.match(accepted, /^price/);
      assert.deepEqual(await whileSending(() => other.sql(change, [app.accountSid])), [refused]);
      assert.deepEqual(await whileSending(() => other.sql(undo, [app.accountSid])), [accepted]);
    });
  }

  test('is priced by the card in force, in every process', async () => {
    const before = await send(app);
    const now = app.clock.now().toISOString();
    await draftRateCard(app, 12, now);
    const [after] = await whileSending(() => publishRateCard(other, 12, now));
    assert.match(after!, /^price/);
    assert.notEqual(after, before);
    assert.deepEqual(await whileSending(async () => {}), [after]);
  });
});

suite('a request that begins after its key was changed', () => {
  const asked: Record<string, (by: TestApp, key: object) => Promise<Reply>> = {
    'a send': (by, key) => by.post(`${app.at}/messages`, message(), key),
    'a preflight': (by, key) => by.post(`${app.at}/messages/preflight`, message(), key),
    'a write': (by, key) =>
      by.post(
        `${app.at}/contacts`,
        { identifiers: [{ identifierType: 'phone_e164', value: newPhone() }] },
        key,
      ),
    'a read': (by, key) => by.get(`${app.at}/contacts?limit=1`, key),
    'a download': (by, key) => by.get(`${app.at}/media/ME${'0'.repeat(26)}/content`, key),
    'a call outside': (by, key) => by.post(`${app.at}/senders/${nobody}/refresh`, undefined, key),
  };
  const nobody = `WA${'0'.repeat(26)}`;
  const endOf = ({ status, body }: Reply) => (status < 300 ? 'accepted' : body.error.code);

  // Only versions are left to go by.
  before(async () => {
    for (const table of ['api_keys', 'role_bindings'])
      await app.sql(`alter table ${table} disable trigger announce`);
  });

  const scopes = ['messages:send', 'contacts:read', 'contacts:write', 'wabas:write', 'media:read'];
  const newKey = async () => {
    const { id, key } = await app.key(scopes);
    return { id, headers: bearer(key) };
  };

  // Refused keys use up what their address may guess.
  beforeEach(() => {
    for (const { clock } of [app, other]) clock.advance(3_600_000);
  });

  for (const [what, ask] of Object.entries(asked)) {
    test(`is judged by the change, in every process, when it is ${what}`, async () => {
      const { id, headers } = await newKey();
      const change = (set: string) => () => other.sql(`update api_keys set ${set} where id = $1`, [id]);
      const asking = async (by: TestApp) => endOf(await ask(by, headers));
      const usual = await asking(app);
      assert.deepEqual(await whileAsking(asking, change('disabled_at = now()')), ['API_KEY_DISABLED']);
      assert.deepEqual(await whileAsking(asking, change('disabled_at = null')), [usual]);
      assert.deepEqual(await whileAsking(asking, change(`scopes = '{}'`)), ['AUTHORIZATION_ERROR']);
      assert.deepEqual(await whileAsking(asking, change(`scopes = '{${scopes}}'`)), [usual]);
      assert.deepEqual(await whileAsking(asking, change(`secret_hash = ''`)), ['AUTHENTICATION_ERROR']);
    });
  }

  test('is judged by a role that was given to the key, and taken from it', async () => {
    const { id, headers } = await newKey();
    const asking = async (by: TestApp) => endOf(await by.get(`${app.at}/webhooks`, headers));
    assert.equal(await asking(app), 'AUTHORIZATION_ERROR');
    const bind = `insert into role_bindings (id, organization_id, account_sid, principal_type, principal_ref, role,
        scope_kind, environment, created_by, created_at)
      select gen_random_uuid(), organization_id, null, 'API_KEY', $2, 'DEVELOPER', 'ORGANIZATION', 'both', 'system:test',
        $3 from accounts where sid = $1`;
    const binding = () => other.sql(bind, [app.accountSid, id, app.clock.now()]);
    assert.deepEqual(await whileAsking(asking, binding), ['accepted']);
    const revoke = () =>
      other.sql('update role_bindings set revoked_at = now() where principal_ref = $1', [id]);
    assert.deepEqual(await whileAsking(asking, revoke), ['AUTHORIZATION_ERROR']);
  });

  test('leaves nothing behind when it is refused', async () => {
    const { id, headers } = await newKey();
    await app.get(`${app.at}/contacts`, headers);
    await other.sql('update api_keys set disabled_at = now() where id = $1', [id]);
    const rows = async () => [
      await app.count('contacts'),
      await app.count('messages'),
      await app.count('idempotency_keys'),
    ];
    const before = await rows();
    for (const what of ['a send', 'a write'])
      assert.equal(endOf(await asked[what]!(app, headers)), 'API_KEY_DISABLED');
    assert.deepEqual(await rows(), before);
  });
});

test('what is kept is counted for operators', async () => {
  const { text } = await app.get('/metrics');
  assert.match(text, /godwit_kept_facts_total\{fact="template",result="hit"\} [1-9]/);
  assert.match(text, /godwit_kept_facts_total\{fact="template",result="miss"\} [1-9]/);
  assert.match(text, /godwit_kept_facts_bytes [1-9]/);
});
