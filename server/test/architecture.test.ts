// The rules of the map, as tests: who may import whom, who may read the clock, whose table is whose.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { modules } from '../src/main/modules.ts';
import { cloneDatabase, ownerPool } from './harness/postgres.ts';

const source = fileURLToPath(new URL('../src', import.meta.url));
const names = (await readdir(source, { recursive: true })).filter((name) => name.endsWith('.ts'));
// Tests and what only tests import may look anywhere.
const isForTests = (name: string) => /\.test(-data)?\.ts$|fixtures\.ts$/.test(name);
const files = await Promise.all(
  names
    .filter((name) => !isForTests(name))
    .map(async (name) => ({ name, text: await readFile(join(source, name), 'utf8') })),
);

const importForm = /(?:from|import)\s*\(?\s*'([^']+)'/g;
const importsOf = ({ name, text }: { name: string; text: string }) =>
  [...text.matchAll(importForm)]
    .map((match) => match[1]!)
    .map((target) =>
      target.startsWith('.') ? relative(source, join(source, dirname(name), target)) : target,
    );

const layerOf = (path: string) => path.split('/')[0]!;
const moduleOf = (path: string) => (layerOf(path) === 'modules' ? path.split('/')[1]! : null);
const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '$1');

const root = join(source, '../..');
const all = (
  await Promise.all(
    ['server/src', 'simulator/src', 'bench/src', 'sdk/typescript/src', 'console/src'].map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true })).map((name) => `${folder}/${name}`),
    ),
  )
)
  .flat()
  .filter((name) => /\.tsx?$/.test(name));
/** Each file with those it imports; types and dynamic imports count. */
const imports = new Map(
  await Promise.all(
    all.map(async (name) => {
      const text = withoutComments(await readFile(join(root, name), 'utf8'));
      const targets = [...text.matchAll(importForm)].map((match) => join(dirname(name), match[1]!));
      return [name, targets] as const;
    }),
  ),
);

suite('imports', () => {
  const below: Record<string, string[]> = {
    platform: ['platform'],
    modules: ['modules', 'platform'],
    adapters: ['adapters', 'modules', 'platform'],
    main: ['main', 'adapters', 'modules', 'platform'],
  };
  test('point from main to adapters to modules to platform, never back', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => Object.hasOwn(below, layerOf(target)))
        .filter((target) => !below[layerOf(file.name)]!.includes(layerOf(target)))
        .map((target) => `${file.name} → ${target}`),
    );
    assert.deepEqual(wrong, []);
  });
  test('enter another module by its door, and only one that stands earlier in main/modules.ts', () => {
    const order = modules.map(({ name }) => name);
    const wrong = files.flatMap((file) => {
      const own = moduleOf(file.name);
      return importsOf(file)
        .filter((target) => moduleOf(target) !== null && moduleOf(target) !== own)
        .filter((target) => {
          const other = moduleOf(target)!;
          // Settings are read before any feature is loaded, so that commands which need none answer at once.
          const isSettings = file.name === 'main/settings.ts' && target === `modules/${other}/settings.ts`;
          const byDoor = target === `modules/${other}/index.ts` || isSettings;
          const earlier = own === null || order.indexOf(other) < order.indexOf(own);
          return !byDoor || !earlier;
        })
        .map((target) => `${file.name} → ${target}`);
    });
    assert.deepEqual(wrong, []);
  });
  // The rooms of a module, ground floor first. The files beside them, its door among them, may enter every room.
  const roomsOf: Record<string, string[]> = {
    billing: ['ledger', 'pricing', 'wallets', 'periods', 'charges'],
    workflows: [
      'definition',
      'grammar',
      'conditions',
      'interpreter',
      'analysis',
      'resources',
      'runs',
      'life',
      'trials',
      'triggers',
      'turns',
    ],
  };
  const roomOf = (path: string) => (path.split('/').length > 3 ? path.split('/')[2]! : null);
  for (const [module, rooms] of Object.entries(roomsOf)) {
    test(`enter from a room of ${module} only a room that stands earlier, and nothing beside the rooms`, () => {
      const inside = files.filter(({ name }) => moduleOf(name) === module && roomOf(name) !== null);
      const wrong = inside.flatMap((file) => {
        const own = roomOf(file.name)!;
        return importsOf(file)
          .filter((target) => moduleOf(target) === module && roomOf(target) !== own)
          .filter((target) => {
            const place = rooms.indexOf(roomOf(target) ?? '');
            return place === -1 || place > rooms.indexOf(own);
          })
          .map((target) => `${file.name} → ${target}`);
      });
      assert.deepEqual(wrong, []);
      assert.deepEqual([...new Set(inside.map(({ name }) => roomOf(name)!))].sort(), rooms.toSorted());
    });
  }
  test('consumers of events have a name each', () => {
    const names = modules.flatMap(({ consumers = [] }) => consumers.map(({ name }) => name));
    assert.deepEqual([...new Set(names)], names);
    assert.ok(names.includes('webhooks'));
  });
  test('every module folder is listed', async () => {
    const folders = await readdir(join(source, 'modules'));
    assert.deepEqual(folders.sort(), modules.map(({ name }) => name).sort());
  });
});

suite('circles', () => {
  /** The first circle, as the way around it; null when there is none. */
  function circleIn(graph: ReadonlyMap<string, Iterable<string>>): string | null {
    const seen = new Set<string>();
    const way: string[] = [];
    const visit = (name: string): string | null => {
      if (way.includes(name)) return [...way.slice(way.indexOf(name)), name].join(' → ');
      if (seen.has(name)) return null;
      seen.add(name);
      way.push(name);
      for (const next of graph.get(name) ?? []) {
        const circle = visit(next);
        if (circle) return circle;
      }
      way.pop();
      return null;
    };
    for (const name of graph.keys()) {
      const circle = visit(name);
      if (circle) return circle;
    }
    return null;
  }

  test('no file imports itself by way of others, types included', () => {
    assert.equal(circleIn(imports), null);
  });

  // Folders whose rooms may import each other both ways.
  const knotted: Record<string, string> = {
    'simulator/src': 'one simulation holds the state of every room, and each room works on all of it',
  };
  const folders = new Set(
    all.flatMap((name) => [...name.matchAll(/\//g)].map(({ index }) => name.slice(0, index))),
  );
  test('the rooms of a folder and the files beside them do not import each other in circles', () => {
    const circles = [...folders]
      .filter((folder) => !Object.hasOwn(knotted, folder))
      .map((folder) => {
        const roomOf = (name: string) =>
          name.startsWith(`${folder}/`) ? name.slice(folder.length + 1).split('/')[0]! : null;
        const rooms = new Map<string, Set<string>>();
        for (const [name, targets] of imports) {
          const room = roomOf(name);
          if (room === null || isForTests(name)) continue;
          const others = targets.map(roomOf).filter((other) => other !== null && other !== room);
          rooms.set(room, new Set([...(rooms.get(room) ?? []), ...(others as string[])]));
        }
        const circle = circleIn(rooms);
        return circle && `${folder}: ${circle}`;
      });
    assert.deepEqual(
      circles.filter((circle) => circle !== null),
      [],
    );
  });

  test('no folder holds more than 20 source files side by side', () => {
    const sources = all.filter((name) => !name.startsWith('bench/') && !isForTests(name));
    const tooFull = Object.entries(Object.groupBy(sources, dirname))
      .filter(([, inside]) => inside!.length > 20)
      .map(([folder, inside]) => `${folder}: ${inside!.length}`);
    assert.deepEqual(tooFull, []);
  });
});

suite('what only one place may do', () => {
  const only = (what: string, form: RegExp, allowed: RegExp) =>
    test(`${what} appears only where it belongs`, () => {
      const wrong = files
        .filter(({ name }) => !allowed.test(name))
        .filter(({ text }) => form.test(withoutComments(text)))
        .map(({ name }) => name);
      assert.deepEqual(wrong, []);
    });
  only('the environment', /process\.env\b/, /^platform\/config\.ts$/);
  only('the clock', /\bDate\.now\(|\bnew Date\(\)/, /^platform\/clock\.ts$/);
  only('the database driver', /from 'pg'/, /^platform\/db\//);
  // docs/decisions/0072: queues share these instead of each having its own.
  only(
    'a timer that ends a rest',
    /\bsetTimeout\((done|resolve|resume|wake)\b/,
    /^platform\/queue\/waiter\.ts$/,
  );
  only(
    'taking, giving back or fencing a lease',
    /\bholder\s*=\s*(\$\{(processId|holder)|null)|\bgeneration\s*=|\bleased_(by|until)\b/,
    /^platform\/queue\/(lease|lanes)\.ts$/,
  );
  only('how long a silent process lives', /\bbeat_at\s*[<>]|'6 seconds'/, /^$/);
  only(
    'a batch that is kept until it is written',
    /\.slice\(0, \w+\);\s*try \{\s*await write\(/,
    /^platform\/queue\/write-behind\.ts$/,
  );
  // docs/decisions/0115: what looks at every event is a consumer, and its cursor is moved there and nowhere else.
  only('a cursor in the events', /\bevent_cursors\b/, /^platform\/event-consumers\/cursors\.ts$/);
  // A status and its rank move together, and only forwards. New messages are stored with the status they begin with.
  only(
    'moving the status of a message',
    /\bupdate message_states\b|\brank: ranks\b|\brank,\n/,
    /^modules\/messages\/states\//,
  );
  // Whatever a tenant can influence is called by the outbound client, which judges addresses. The provider's address is
  // the operator's own, and thousands of messages a second go there; the collector's of traces is the operator's too, and so is
  // the simulated carrier's.
  only(
    'fetch or undici',
    /\bfetch\(|from 'undici'/,
    /^platform\/outbound\/outbound(-\w+)?\.ts$|^adapters\/whatsapp\/transport\.ts$|^adapters\/storage\/s3\.ts$|^adapters\/telemetry\/otlp-delivery\.ts$|^adapters\/simulator\/control\.ts$/,
  );
});

suite('what only one file may write', () => {
  const written = (what: string, form: RegExp, by: string[]) =>
    test(`${what} in SQL ${by.length > 0 ? `only in ${by.join(', ')}` : 'nowhere: the database does it'}`, () => {
      const found = files.filter(({ text }) => form.test(withoutComments(text)));
      assert.deepEqual(
        found.map(({ name }) => name),
        by,
      );
    });
  written('transfers of money are made', /insert\s+into\s+ledger_transfers\b/i, [
    'modules/billing/ledger/transfers.ts',
  ]);
  written('contacts are made', /insert\s+into\s+contacts\b/i, ['modules/contacts/resolve-contacts.ts']);
  written('identifiers are given to contacts', /insert\s+into\s+contact_identifiers\b/i, [
    'modules/contacts/resolve-contacts.ts',
  ]);
  written('balances are changed', /(insert\s+into|update)\s+ledger_accounts\b/i, []);
});

test('one function of the database knows for how long a silent process lives', async () => {
  const schema = await readFile(join(source, '../migrations/schema.sql'), 'utf8');
  assert.deepEqual(schema.match(/.*('00:00:06'|'6 seconds').*/g), [
    "RETURN (beat_at > (clock_timestamp() - '00:00:06'::interval))",
  ]);
});

suite('the platform', () => {
  const business = [
    'whatsapp',
    'waba',
    'template',
    'media',
    'inbox',
    'contact',
    'consent',
    'suppression',
    'conversation',
    'campaign',
    'wallet',
    'webhook',
    'sender',
    'recipient',
  ];
  // The same words in other trades: HTTP, CSS and JavaScript have theirs.
  const elsewhere = /media[ _-]?types?|@media|media-src|grid-template|TemplateStringsArray/gi;
  const lists: Record<string, string> = {
    'platform/belongings.ts': 'who a person is, as every module is told',
    'platform/errors/error-catalogue.ts': "the contract's list of codes, in its words",
    'platform/ids.ts': "the contract's list of prefixes",
    'platform/notification-categories.ts': "the contract's list of categories",
  };
  const wordsIn = (text: string) =>
    withoutComments(text)
      .replaceAll(elsewhere, '')
      .replaceAll('WhatsApp', 'whatsapp')
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]+/g) ?? [];
  test('has no business word in its code', () => {
    const wrong = files
      .filter(({ name }) => layerOf(name) === 'platform' && !Object.hasOwn(lists, name))
      .flatMap(({ name, text }) => {
        const words = new Set(wordsIn(text));
        const found = business.filter((word) =>
          [word, `${word}s`, `${word}es`].some((form) => words.has(form)),
        );
        return found.map((word) => `${name}: ${word}`);
      });
    assert.deepEqual(wrong, []);
  });
});

suite('tables', () => {
  const owners = new Map(
    modules.flatMap(({ name, tables }) => tables.map((table) => [table, name] as const)),
  );
  test('a table appears in SQL only inside the module that owns it', () => {
    const wrong = files.flatMap(({ name, text }) =>
      [...withoutComments(text).matchAll(/\b(?:from|join|into|update)\s+([a-z_]+)\b/g)]
        .map((match) => match[1]!)
        .filter((table) => owners.has(table) && owners.get(table) !== moduleOf(name))
        .map((table) => `${name}: ${table}`),
    );
    assert.deepEqual(wrong, []);
  });

  // Tables that hold nothing of one tenant, or are read before the tenant is known.
  const withoutTenant: Record<string, string> = {
    schema_migrations: 'which migrations ran',
    processes: 'the living processes',
    settings: 'facts of the installation',
    rate_buckets: 'counters by name, no content',
    organizations: 'stands above accounts',
    accounts: 'stands in both environments; has a policy of its own',
    role_bindings: 'of an organization and both environments; has a policy of its own',
    attempt_counters: 'failed attempts by subject, counted before anyone is known',
    provider_callbacks: 'stored before anyone knows whose they are',
    payment_callbacks: 'stored before anyone knows whose they are',
    payment_event_lists: 'one row for each environment of the installation',
    provider_callback_work: 'which of those are to be worked on',
    spent_challenges: 'solved challenges, before anyone is known',
    opt_in_counters: 'submissions by a keyed hash of the address, before anyone is known',
    receipt_keys: 'keys of the installation, published for everybody',
    certificate_keys: 'keys of the installation, published for everybody',
    partner_totals: 'what the provider bills the operator, of no account',
    provider_contract_runs: 'evidence of how versions of the provider answer, of no account',
    plans: 'made by the operator, and shown by name to whoever has one',
    rate_cards: 'prices are the same for everybody',
    rate_markets: 'prices are the same for everybody',
    rates: 'prices are the same for everybody',
    tax_rates: 'taxes are the same for everybody',
    ledger_account_types: 'the accounts every wallet has',
    ledger_transfer_kinds: 'the rules of the ledger are the same for everybody',
    announcements: 'what the operator tells everybody',
    fact_versions: 'versions by account, and one of what is the same for everybody; has a policy of its own',
  };
  const ofTenant = (columns: string[]) => columns.includes('account_sid') && columns.includes('livemode');
  test('every table has its account and environment, or its organization, and enforced row security, or stands on the short list', async (context) => {
    const database = await cloneDatabase();
    const pool = ownerPool(database.url);
    context.after(async () => {
      await pool.end();
      await database.drop();
    });
    const { rows } = await pool.query<{
      name: string;
      columns: string[];
      secured: boolean;
      policies: number;
    }>(`
      select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as secured,
        array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0) as columns,
        (select count(*)::int from pg_policy where polrelid = c.oid) as policies
        from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`);
    const wrong = rows.filter(
      ({ name, columns, secured, policies }) =>
        !Object.hasOwn(withoutTenant, name) &&
        !(secured && policies > 0 && (ofTenant(columns) || columns.includes('organization_id'))),
    );
    assert.deepEqual(
      wrong.map(({ name }) => name),
      [],
    );
    const unclaimed = rows.filter(({ name }) => !owners.has(name) && !platformTables.has(name));
    assert.deepEqual(
      unclaimed.map(({ name }) => name),
      [],
      'a table belongs to a module or to the platform',
    );
    const serving = await pool.query(`
      select rolname from pg_roles where rolname in ('godwit_tenant', 'godwit_system')
        and (rolsuper or rolbypassrls or rolcanlogin)`);
    assert.deepEqual(serving.rows, []);
  });
  const platformTables = new Set([
    'schema_migrations',
    'processes',
    'settings',
    'idempotency_keys',
    'rate_buckets',
    'spent_challenges',
    'event_cursors',
    'event_heads',
    'events',
    'chain_details',
    'chain_heads',
    'fact_versions',
  ]);
});
