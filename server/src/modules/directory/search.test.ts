// Filters, sorting, pages and projections; and that a filter means in SQL what it means in memory.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { type Reply, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { directory, enterprise, type TestDirectory, userSchema } from '../../../test/harness/directory.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { person } from '../../../test/harness/people.ts';
import { sql } from '../../platform/db/query.ts';
import { userSchema as userTable } from './protocol/attributes.ts';
import { type Filter, parseFilter, parsePatchPath } from './protocol/filter.ts';
import { matches } from './protocol/filter-match.ts';
import { compileFilter } from './protocol/filter-sql.ts';
import { userSource } from './users/user-source.ts';

let app: TestApp;
let scim: TestDirectory;
const ids: Record<string, string> = {};
const lifetime = sharedLifetime();

const people = [
  {
    userName: 'bjensen@example.com',
    name: { familyName: 'Jensen', givenName: 'Barbara' },
    title: 'Tour Guide',
    userType: 'Employee',
    externalId: 'E-1',
  },
  {
    userName: 'jsmith@example.com',
    name: { familyName: 'Smith', givenName: 'John' },
    userType: 'Intern',
    active: false,
  },
  {
    userName: 'Zoe@example.org',
    name: { familyName: "O'Malley", givenName: 'Zoë' },
    title: '100% "Boss"\\',
    phoneNumbers: [
      { value: '+1555', type: 'work' },
      { value: '+1666', type: 'mobile' },
    ],
  },
  {
    userName: 'dept@example.com',
    [enterprise]: { department: 'Tour', manager: { value: 'M-7' } },
    emails: [
      { value: 'dept@example.com', type: 'work', primary: true },
      { value: 'dept@home.example', type: 'home' },
    ],
  },
];

before(async () => {
  app = await startTestApp(lifetime);
  scim = await directory(app, await person(app));
  for (const one of people) {
    const { userName, id } = await scim.user(one);
    ids[userName.split('@')[0].toLowerCase()] = id;
    app.clock.advance(60_000);
  }
  await scim.group('Tour Guides', [ids.bjensen!]);
  app.clock.advance(60_000);
  await scim.group('Empty');
});

const names = ({ body }: Reply): string[] =>
  body.Resources.map(({ userName }: { userName: string }) => userName.split('@')[0]!.toLowerCase()).sort();

suite('filters', () => {
  const cases: [string, string[]][] = [
    ['userName eq "bjensen@example.com"', ['bjensen']],
    ['USERNAME EQ "BJENSEN@EXAMPLE.COM"', ['bjensen']],
    ['userName ne "bjensen@example.com"', ['dept', 'jsmith', 'zoe']],
    ['userName co "example.org"', ['zoe']],
    ['userName sw "J"', ['jsmith']],
    ['userName ew ".ORG"', ['zoe']],
    ['userName gt "dept@example.com" and userName lt "k"', ['jsmith']],
    ['userName ge "dept@example.com" and userName le "jsmith@example.com"', ['dept', 'jsmith']],
    ['title pr', ['bjensen', 'zoe']],
    ['not (title pr)', ['dept', 'jsmith']],
    ['title pr and userType eq "Employee"', ['bjensen']],
    ['title pr or userType eq "Intern"', ['bjensen', 'jsmith', 'zoe']],
    ['userType eq "Employee" or userType eq "Intern" and active eq true', ['bjensen']],
    ['(userType eq "Employee" or userType eq "Intern") and active eq false', ['jsmith']],
    ['not (userType eq "Employee") and not (userType eq "Intern")', ['dept', 'zoe']],
    ['userType eq null', ['dept', 'zoe']],
    ['userType ne null', ['bjensen', 'jsmith']],
    ['active eq true', ['bjensen', 'dept', 'zoe']],
    ['active ne true', ['jsmith']],
    ['externalId eq "E-1"', ['bjensen']],
    ['externalId eq "e-1"', []],
    ['name.familyName co "O\'Malley"', ['zoe']],
    [`${userSchema}:userName sw "dept"`, ['dept']],
    [`${enterprise}:department eq "tour"`, ['dept']],
    [`${enterprise}:manager.value eq "M-7"`, ['dept']],
    [`${enterprise}:manager eq "M-7"`, ['dept']],
    ['emails eq "dept@home.example"', ['dept']],
    ['emails.value ew "home.example"', ['dept']],
    ['emails.type eq "home"', ['dept']],
    ['emails[type eq "home" and value co "home"]', ['dept']],
    ['emails[type eq "work" and value co "home"]', []],
    ['emails[type eq "work" and primary eq true]', ['dept']],
    ['phoneNumbers pr', ['zoe']],
    ['phoneNumbers[not (type eq "work")]', ['zoe']],
    ['title eq "100% \\"Boss\\"\\\\"', ['zoe']],
    ['title co "%"', ['zoe']],
    ['title co "_"', []],
    ['meta.created gt "2026-08-21T10:01:30Z"', ['dept', 'zoe']],
    ['meta.lastModified le "2026-08-21T10:00:00.000Z"', ['bjensen']],
    ['meta.resourceType eq "User" and userName sw "z"', ['zoe']],
    ['groups.display eq "tour guides"', ['bjensen']],
    ['groups pr', ['bjensen']],
    ['name.givenName eq "zoë"', ['zoe']],
  ];
  for (const [filter, expected] of cases) {
    test(filter, async () => {
      const reply = await scim.find('Users', filter);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(names(reply), expected);
      assert.equal(reply.body.totalResults, expected.length);
    });
  }

  test('by id, and of groups by name and member', async () => {
    assert.deepEqual(names(await scim.find('Users', `id eq "${ids.zoe}"`)), ['zoe']);
    const group = async (filter: string) =>
      (await scim.find('Groups', filter)).body.Resources.map(
        ({ displayName }: { displayName: string }) => displayName,
      );
    assert.deepEqual(await group('displayName sw "tour"'), ['Tour Guides']);
    assert.deepEqual(await group(`members.value eq "${ids.bjensen}"`), ['Tour Guides']);
    assert.deepEqual(await group(`members[value eq "${ids.bjensen}"]`), ['Tour Guides']);
    assert.deepEqual(await group('not (members pr)'), ['Empty']);
  });

  test('asked in a body, where an address would be too long or too personal', async () => {
    const reply = await scim.send('POST', '/Users/.search', {
      filter: 'userName sw "z"',
      attributes: ['userName'],
      count: 5,
    });
    assert.deepEqual(names(reply), ['zoe']);
    assert.deepEqual(Object.keys(reply.body.Resources[0]).sort(), ['id', 'schemas', 'userName']);
  });

  test('of everything at once, at the root', async () => {
    const search = async (asked: object) => {
      const reply = await scim.send('POST', '/.search', asked);
      assert.equal(reply.status, 200, reply.text);
      return reply.body;
    };
    type Found = { userName?: string; displayName?: string };
    const namesOf = ({ Resources }: { Resources: Found[] }) =>
      Resources.map((one) => (one.userName ?? one.displayName!).split('@')[0]!.toLowerCase());
    const all = ['bjensen', 'jsmith', 'zoe', 'dept', 'tour guides', 'empty'];
    const everything = await search({});
    assert.deepEqual([namesOf(everything), everything.totalResults], [all, 6]);
    assert.deepEqual(everything.Resources[4].members[0].value, ids.bjensen);
    for (const [filter, expected] of [
      ['meta.resourceType eq "Group"', ['tour guides', 'empty']],
      ['userName sw "z" or displayName sw "tour"', ['zoe', 'tour guides']],
      ['displayName pr', ['tour guides', 'empty']],
      ['members pr', ['tour guides']],
      [`members[value eq "${ids.bjensen}"]`, ['tour guides']],
      ['emails[type eq "home"]', ['dept']],
      ['active eq false', ['jsmith']],
      ['not (userName pr)', ['tour guides', 'empty']],
      ['title eq null and not (displayName sw "tour")', ['jsmith', 'dept', 'empty']],
      ['userType ne "Employee"', ['jsmith', 'zoe', 'dept', 'tour guides', 'empty']],
      [`${enterprise}:department eq "tour"`, ['dept']],
      [`id eq "${ids.zoe}"`, ['zoe']],
    ] as const) {
      assert.deepEqual(namesOf(await search({ filter })), expected, filter);
    }
    const newest = { sortBy: 'meta.created', sortOrder: 'descending' };
    const latest = ['empty', 'tour guides', 'dept', 'zoe'];
    assert.deepEqual(namesOf(await search({ ...newest, count: 4 })), latest);
    assert.deepEqual(namesOf(await search({ sortBy: 'displayName' })).slice(0, 2), ['empty', 'tour guides']);
    const pages: string[] = [];
    for (const startIndex of [1, 3, 5]) {
      const page = await search({ startIndex, count: 2 });
      assert.deepEqual([page.totalResults, page.startIndex, page.itemsPerPage], [6, startIndex, 2]);
      pages.push(...namesOf(page));
    }
    assert.deepEqual(pages, all);
    assert.deepEqual((await search({ count: 0 })).Resources, []);
    const shown = (await search({ attributes: ['displayName'] })).Resources;
    assert.deepEqual(Object.keys(shown[0]).sort(), ['id', 'schemas']);
    assert.deepEqual(Object.keys(shown[5]).sort(), ['displayName', 'id', 'schemas']);
    for (const asked of [
      { filter: 'shoeSize eq "42"' },
      { filter: 'active eq "x"' },
      { filter: 'userName gt null' },
      { sortBy: 'shoeSize' },
      { count: 'x' },
    ]) {
      assert.equal((await scim.send('POST', '/.search', asked)).status, 400, JSON.stringify(asked));
    }
    const reply = await scim.get('/.search');
    assert.deepEqual([reply.status, reply.headers.get('allow')], [405, 'POST']);
    assert.equal((await scim.send('POST', '/.search/x', {})).status, 404);
  });

  test('at the root a directory finds nothing of another one', async () => {
    const other = await directory(app, await person(app));
    assert.equal((await other.send('POST', '/.search', {})).body.totalResults, 0);
  });

  const hostile: string[] = [
    '',
    'userName',
    'userName eq',
    'userName eq bjensen',
    'userName like "x"',
    'userName eq "x" and',
    'and userName eq "x"',
    '(userName eq "x"',
    'userName eq "x")',
    'userName eq "x" userName eq "y"',
    'not userName eq "x"',
    'emails[type eq "work"',
    'emails[emails[type eq "x"]]',
    'userName[value eq "x"]',
    'emails[size eq "x"]',
    'shoeSize eq "x"',
    'password eq "x"',
    'password_hash pr',
    'directory_attributes pr',
    '__proto__ pr',
    'constructor.prototype pr',
    'userName.length eq 1',
    'name eq "x"',
    'urn:evil:userName eq "x"',
    'userName eq 1',
    'userName eq {}',
    'userName eq [1]',
    'active eq "true"',
    'active gt true',
    'title gt null',
    'meta.created gt "yesterday"',
    'meta.created eq "2026-02-30T00:00:00Z"',
    'meta.version eq "x"',
    'meta.location pr',
    'userName eq "\\u0000"',
    'userName eq "\\ud800"',
    'userName eq "x',
    "userName eq 'x'",
    '"userName" eq "x"',
    'userName eq "x" or 1=1',
    `userName eq "x"; drop table users`,
    `userName eq "${'x'.repeat(5_000)}"`,
    `${'('.repeat(200)}title pr${')'.repeat(200)}`,
    Array.from({ length: 60 }, () => 'title pr').join(' or '),
    `${'not ('.repeat(40)}title pr${')'.repeat(40)}`,
  ];
  for (const filter of hostile) {
    test(`refuses ${JSON.stringify(filter.slice(0, 50))}`, async () => {
      const reply = await scim.find('Users', filter);
      assert.deepEqual([reply.status, reply.body.scimType], [400, 'invalidFilter'], reply.text);
    });
  }

  test('what looks like SQL is only text', async () => {
    for (const text of ["' or '1'='1", "'; drop table users; --", '%', '$1', '$$']) {
      const reply = await scim.find(
        'Users',
        `userName eq ${JSON.stringify(text)} or title co ${JSON.stringify(text)}`,
      );
      assert.equal(reply.status, 200, reply.text);
    }
    assert.equal((await scim.get('/Users')).body.totalResults, people.length);
  });
});

suite('sorting and pages', () => {
  const order = async (query: string) =>
    (await scim.get(`/Users?${query}`)).body.Resources.map(({ userName }: { userName: string }) =>
      userName[0]!.toLowerCase(),
    ).join('');

  test('by an attribute, up or down, what lacks it last', async () => {
    assert.equal(await order('sortBy=userName'), 'bdjz');
    assert.equal(await order('sortBy=userName&sortOrder=descending'), 'zjdb');
    assert.equal(await order('sortBy=name.familyName'), 'bzjd');
    assert.equal(await order('sortBy=meta.created&sortOrder=descending'), 'dzjb');
    assert.match(await order('sortBy=emails'), /^d/);
    assert.match(await order(`sortBy=${enterprise}:department`), /^d/);
    for (const query of [
      'sortBy=shoeSize',
      'sortBy=name',
      'sortBy=',
      'sortBy=userName&sortOrder=sideways',
      'sortBy=1;drop',
    ]) {
      assert.equal((await scim.get(`/Users?${query}`)).status, 400, query);
    }
  });

  test('pages follow one another without a gap or a repeat, and tell the whole', async () => {
    const seen: string[] = [];
    for (let startIndex = 1; startIndex <= people.length; startIndex += 2) {
      const { body } = await scim.get(`/Users?startIndex=${startIndex}&count=2&sortBy=userName`);
      assert.deepEqual([body.totalResults, body.startIndex, body.itemsPerPage], [4, startIndex, 2]);
      seen.push(...body.Resources.map(({ id }: { id: string }) => id));
    }
    assert.equal(new Set(seen).size, people.length);
    assert.equal((await scim.get('/Users?count=0')).body.Resources.length, 0);
    assert.equal((await scim.get('/Users?count=-1')).body.totalResults, 4);
    assert.equal((await scim.get('/Users?startIndex=0')).body.startIndex, 1);
    assert.equal((await scim.get('/Users?startIndex=99')).body.Resources.length, 0);
    for (const query of ['count=x', 'startIndex=1.5', 'count=99999999999', 'count=1&count=2']) {
      assert.equal((await scim.get(`/Users?${query}`)).status, 400, query);
    }
  });
});

suite('projections', () => {
  const keys = async (query: string) =>
    Object.keys((await scim.get(`/Users/${ids.dept}?${query}`)).body).sort();

  test('only what is asked for, and always the identity', async () => {
    assert.deepEqual(await keys('attributes=userName'), ['id', 'schemas', 'userName']);
    assert.deepEqual(await keys('attributes=USERNAME,nothing'), ['id', 'schemas', 'userName']);
    assert.deepEqual(await keys(`attributes=${enterprise}`), ['id', 'schemas', enterprise].sort());
    const part = (await scim.get(`/Users/${ids.dept}?attributes=emails.value,${enterprise}:department`)).body;
    assert.deepEqual(part.emails, [{ value: 'dept@example.com' }, { value: 'dept@home.example' }]);
    assert.deepEqual(part[enterprise], { department: 'Tour' });
  });

  test('all but what is refused', async () => {
    const shown = await keys('excludedAttributes=emails,meta,id');
    assert.ok(!shown.includes('emails') && !shown.includes('meta') && shown.includes('id'));
    const part = (await scim.get(`/Users/${ids.dept}?excludedAttributes=emails.type`)).body;
    assert.deepEqual(part.emails[1], { value: 'dept@home.example' });
    assert.equal((await scim.get('/Users?attributes=id&excludedAttributes=id')).status, 400);
    const groups = (await scim.get('/Groups?excludedAttributes=members')).body.Resources;
    assert.ok(groups.every((group: object) => !('members' in group)));
  });
});

suite('paths of patches', () => {
  test('are read, or refused', () => {
    assert.deepEqual(parsePatchPath('name.familyName'), {
      uri: null,
      name: 'name',
      sub: 'familyName',
      filter: null,
    });
    assert.equal(parsePatchPath(`${enterprise}:manager`).uri, enterprise);
    assert.equal(parsePatchPath('emails[type eq "a]b"].value').sub, 'value');
    for (const bad of [
      '',
      '.',
      'a.b.c',
      'emails]',
      'emails[type eq "x"]value',
      'emails.value[type eq "x"].y',
      'a b',
      '1a',
      'emails[]',
    ]) {
      assert.throws(() => parsePatchPath(bad), { name: 'ScimError', scimType: 'invalidPath' }, bad);
    }
  });
});

// ---- A filter means the same to PostgreSQL and to us

const word = fc.constantFrom('work', 'WORK', 'home', 'a', 'A', 'ab', 'é', 'É', '', '%', "o'x", 'zz');
const leaf = fc.oneof(
  fc.record({ kind: fc.constant('present' as const), name: fc.constantFrom('type', 'value', 'display') }),
  fc.record({
    kind: fc.constant('compare' as const),
    name: fc.constantFrom('type', 'value', 'display'),
    operator: fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'),
    value: word.map((text) => JSON.stringify(text)),
  }),
  fc.record({
    kind: fc.constant('compare' as const),
    name: fc.constant('primary'),
    operator: fc.constantFrom('eq', 'ne'),
    value: fc.constantFrom('true', 'false', 'null'),
  }),
);
const expression = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'filter' },
    leaf.map((one) =>
      one.kind === 'present' ? `${one.name} pr` : `${one.name} ${one.operator} ${one.value}`,
    ),
    fc
      .tuple(tie('filter'), fc.constantFrom('and', 'or'), tie('filter'))
      .map(([a, op, b]) => `(${a}) ${op} (${b})`),
    tie('filter').map((one) => `not (${one})`),
  ),
})).filter;
const value = fc.record(
  { type: word, value: word, display: word, primary: fc.boolean() },
  { requiredKeys: [] },
);
const emails = userTable.attributes.find(({ name }) => name === 'emails')!;

test('a filter holds of the same values in SQL and in memory, 1,000 times over', async () => {
  await fc.assert(
    fc.asyncProperty(expression, fc.array(value, { maxLength: 4 }), async (text, values) => {
      const whole = parseFilter(`emails[${text}]`) as Extract<Filter, { kind: 'some' }>;
      const expected = values.some((one) => matches(emails, one, whole.filter));
      const found = await app.database.system((s) =>
        s.one<{ found: boolean }>(sql`
          select ${compileFilter(userSource, whole)} as found
            from (select ${JSON.stringify({ emails: values })}::jsonb as directory_attributes) u`),
      );
      assert.equal(found.found, expected);
    }),
    { numRuns: 1_000 },
  );
});

test('no text at all makes the parser do anything but read or refuse', () => {
  const pieces = fc.constantFrom(
    'userName',
    'eq',
    'pr',
    'and',
    'or',
    'not',
    '(',
    ')',
    '[',
    ']',
    '"x"',
    '"',
    '\\',
    'true',
    ' ',
    '.',
    ':',
    'urn:',
    '1',
    '\u0000',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(pieces).map((list) => list.join(' ')),
      ),
      (text) => {
        try {
          parseFilter(text);
        } catch (error) {
          assert.equal((error as Error).name, 'ScimError');
        }
      },
    ),
    { numRuns: 5_000 },
  );
});
