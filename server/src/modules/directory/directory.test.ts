import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import {
  directory,
  enterprise,
  groupSchema,
  type TestDirectory,
  userSchema,
} from '../../../test/harness/directory.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { waitersAre } from '../../../test/harness/locks.ts';
import { type Person, person } from '../../../test/harness/people.ts';
import { ownerPool } from '../../../test/harness/postgres.ts';
import { activate, suspend } from '../../../test/harness/providers.ts';

let app: TestApp;
let owner: Person;
let scim: TestDirectory;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { env: { DATABASE_CONNECTIONS: '40' } });
  owner = await person(app);
  scim = await directory(app, owner, {
    groupRoles: { Developers: 'DEVELOPER', Readers: 'VIEWER', Builders: 'DEVELOPER' },
  });
});

/** Every refusal has the form of RFC 7644 section 3.12. */
function assertRefused(reply: Reply, status: number, scimType?: string): void {
  assert.equal(reply.status, status, reply.text);
  assert.match(reply.headers.get('content-type')!, /^application\/scim\+json/);
  assert.deepEqual(reply.body.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error']);
  assert.deepEqual([reply.body.status, reply.body.scimType], [String(status), scimType]);
  assert.equal(typeof reply.body.detail, 'string');
}

const rolesOf = async (userSid: string) =>
  (
    await app.sql<{ role: string }>(
      `select role from role_bindings where principal_ref = $1 and revoked_at is null order by role`,
      [userSid],
    )
  ).map(({ role }) => role);

suite('who may ask', () => {
  test('nobody without the token of an active directory', async () => {
    const tokens = [
      '',
      'Bearer',
      'Bearer x',
      `Bearer ${app.sandboxKey}`,
      `Bearer ${scim.token}x`,
      `Bearer gw_scim_${'0'.repeat(52)}`,
    ];
    for (const authorization of tokens)
      assertRefused(await app.get('/scim/v2/Users', { authorization }), 401);
    assert.equal((await app.get('/scim/v2/Users')).headers.get('www-authenticate'), 'Bearer');
    app.clock.advance(30_000);
  });

  test('a directory token opens nothing else', async () => {
    for (const path of ['/v1/me', app.at, `${app.at}/identity/providers`]) {
      assert.ok([401, 404].includes((await app.get(path, bearer(scim.token))).status), path);
    }
    assert.equal((await app.get('/v1/me', bearer(scim.token))).status, 401);
  });

  test('a directory sees and changes nothing of another one, of the same organization or not', async () => {
    const sibling = await directory(app, owner);
    const { accountSid } = await app.newAccount();
    const stranger = await directory(app, await person(app, { accountSid }));
    const user = await scim.user();
    const group = await scim.group('Secret', [user.id]);
    for (const other of [sibling, stranger]) {
      assert.equal((await other.get('/Users')).body.totalResults, 0);
      assert.equal((await other.get('/Groups')).body.totalResults, 0);
      for (const path of [`/Users/${user.id}`, `/Groups/${group.id}`]) {
        assertRefused(await other.get(path), 404);
        assertRefused(await other.send('DELETE', path), 404);
        assertRefused(await other.patch(path, { op: 'add', path: 'externalId', value: 'x' }), 404);
        assertRefused(await other.send('PUT', path, { userName: 'x@example.com', displayName: 'x' }), 404);
      }
      const theirs = await other.group('Theirs');
      const joined = await other.patch(`/Groups/${theirs.id}`, {
        op: 'add',
        path: 'members',
        value: [{ value: user.id }],
      });
      assertRefused(joined, 400, 'invalidValue');
    }
    assert.equal((await scim.get(`/Users/${user.id}`)).status, 200);
  });

  test('a suspended directory is deaf at once, and a reactivated one hears only its new token', async () => {
    const own = await directory(app, owner);
    await suspend(app, owner, own.id);
    assertRefused(await own.get('/Users'), 401);
    const { body } = await activate(app, owner, own.id);
    assertRefused(await own.get('/Users'), 401);
    assert.equal((await app.get('/scim/v2/Users', bearer(body.directoryToken))).status, 200);
  });

  test('nothing of a directory is written after its suspension', async () => {
    const own = await directory(app, owner);
    const user = await own.user();
    const stepUpToken = await owner.stepUp('IDENTITY_PROVIDER_SUSPEND');
    const path = `${app.at}/identity/providers/${own.id}/suspend`;
    await whileHeld('select 1 from users where sid = $1 for update', [user.id], async () => {
      const change = own.patch(`/Users/${user.id}`, { op: 'add', path: 'title', value: 'Late' });
      await waitersAre(app, 1);
      const suspension = app.post(path, { reason: 'Now', stepUpToken }, owner.headers);
      await waitersAre(app, 2);
      return [change, suspension];
    });
    const entries = await app.sql<{ action: string }>(
      `select action from audit_entries where actor = $1 or resource = $2 order by sequence desc limit 3`,
      [`directory:${own.id}`, own.id],
    );
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['identity_provider.sessions_ended', 'identity_provider.suspended', 'directory.user_changed'],
    );
  });
});

/** Begins work while a row is held, lets go, and waits for its end. */
async function whileHeld(
  text: string,
  values: unknown[],
  begin: () => Promise<Promise<Reply>[]>,
): Promise<Reply[]> {
  const pool = ownerPool(app.databaseUrl);
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(text, values);
    const begun = await begin();
    await client.query('commit');
    return await Promise.all(begun);
  } finally {
    client.release();
    await pool.end();
  }
}

suite('what it says of itself', () => {
  test('configuration, resource types and schemas', async () => {
    const config = (await scim.get('/ServiceProviderConfig')).body;
    assert.deepEqual(
      ['patch', 'bulk', 'filter', 'changePassword', 'sort', 'etag'].map((name) => config[name].supported),
      [true, false, true, false, true, true],
    );
    const types = (await scim.get('/ResourceTypes')).body;
    assert.deepEqual(
      types.Resources.map(({ id }: { id: string }) => id),
      ['User', 'Group'],
    );
    assert.equal((await scim.get('/ResourceTypes/User')).body.schemaExtensions[0].schema, enterprise);
    const schemas = (await scim.get('/Schemas')).body;
    assert.equal(schemas.totalResults, 3);
    const user = (await scim.get(`/Schemas/${userSchema}`)).body;
    const userName = user.attributes.find(({ name }: { name: string }) => name === 'userName');
    assert.deepEqual([userName.required, userName.uniqueness, userName.caseExact], [true, 'server', false]);
  });

  test('what references lead to, which values are usual, and that a person needs an address', async () => {
    type Described = { name: string; required: boolean; subAttributes?: Described[] } & Record<
      string,
      unknown
    >;
    const schema = async (id: string): Promise<Described[]> =>
      (await scim.get(`/Schemas/${id}`)).body.attributes;
    const part = (attributes: Described[], ...names: string[]): Described =>
      names.reduce<Described>((at, name) => at.subAttributes!.find((one) => one.name === name)!, {
        name: '',
        required: false,
        subAttributes: attributes,
      });
    const [user, group, employee] = await Promise.all([userSchema, groupSchema, enterprise].map(schema));
    const leadsTo = (attributes: Described[], ...names: string[]) =>
      part(attributes, ...names).referenceTypes;
    assert.deepEqual(leadsTo(group!, 'members', '$ref'), ['User']);
    assert.deepEqual(leadsTo(user!, 'groups', '$ref'), ['Group']);
    assert.deepEqual(leadsTo(employee!, 'manager', '$ref'), ['User']);
    assert.deepEqual(leadsTo(user!, 'profileUrl'), ['external']);
    assert.deepEqual(part(group!, 'members', 'type').canonicalValues, ['User']);
    assert.deepEqual(part(user!, 'groups', 'type').canonicalValues, ['direct']);
    assert.deepEqual(part(user!, 'emails', 'type').canonicalValues, ['work', 'home', 'other']);
    assert.equal(part(group!, 'members', 'value').required, true);
    assert.deepEqual([part(user!, 'emails').required, part(user!, 'emails', 'value').required], [true, true]);
    // Whoever sends all that is said to be required, and nothing else, is understood.
    const made = await scim.send('POST', '/Users', {
      userName: 'only-what-is-required',
      emails: [{ value: 'required@example.com' }],
    });
    assert.equal(made.status, 201, made.text);
  });

  test('what is not there, not offered or not allowed', async () => {
    for (const path of ['/Things', '/Schemas/urn:x', '/Users/a/b', '/ServiceProviderConfig/1', '']) {
      assertRefused(await scim.get(path), 404);
    }
    for (const path of ['/Me', '/Bulk']) assertRefused(await scim.send('POST', path, {}), 501);
    for (const method of ['DELETE', 'QUERY', 'PROPFIND']) {
      const reply = await scim.send(method, '/Users');
      assertRefused(reply, 405);
      assert.equal(reply.headers.get('allow'), 'GET, POST');
    }
  });

  test('bodies that are no bodies', async () => {
    for (const body of ['', '{', '[]', '"x"', 'null', '{"userName":1}']) {
      assert.equal((await scim.send('POST', '/Users', body)).status, 400, body);
    }
    assertRefused(
      await scim.send('POST', '/Users', '{}', { 'content-type': 'text/plain' }),
      400,
      'invalidSyntax',
    );
    assertRefused(
      await scim.send('POST', '/Users', `{"userName":"${'x'.repeat(1_100_000)}"}`),
      400,
      'invalidSyntax',
    );
  });
});

suite('users', () => {
  // RFC 7643 section 8.2, with an address of its own.
  const full = (userName: string) => ({
    schemas: [userSchema, enterprise],
    externalId: `ext-${userName}`,
    userName,
    name: { formatted: 'Ms. Barbara J Jensen, III', familyName: 'Jensen', givenName: 'Barbara' },
    displayName: 'Babs Jensen',
    nickName: 'Babs',
    emails: [
      { value: userName, type: 'work', primary: true },
      { value: 'babs@jensen.org', type: 'home' },
    ],
    addresses: [{ type: 'work', locality: 'Hollywood', region: 'CA', country: 'USA' }],
    phoneNumbers: [{ value: '555-555-5555', type: 'work' }],
    userType: 'Employee',
    active: true,
    password: 't1meMa$heen',
    [enterprise]: { employeeNumber: '701984', department: 'Tour', manager: { value: '26118915' } },
  });

  test('the full user of the RFC is created, read and described, and no password is kept', async () => {
    const reply = await scim.send('POST', '/Users', full('bjensen@example.com'));
    assert.equal(reply.status, 201, reply.text);
    const { id, meta, schemas, password, name } = reply.body;
    assert.match(reply.headers.get('content-type')!, /^application\/scim\+json/);
    assert.equal(reply.headers.get('location'), `${app.url}/scim/v2/Users/${id}`);
    assert.deepEqual([meta.resourceType, meta.location], ['User', reply.headers.get('location')]);
    assert.equal(meta.version, reply.headers.get('etag'));
    assert.deepEqual([schemas, password, name.familyName], [[userSchema, enterprise], undefined, 'Jensen']);
    assert.equal(reply.body[enterprise].manager.value, '26118915');
    assert.deepEqual((await scim.get(`/Users/${id}`)).body, reply.body);
    const [row] = await app.sql(
      'select email, display_name, status, password_hash, directory_attributes::text as held from users where sid = $1',
      [id],
    );
    assert.deepEqual(
      [row!.email, row!.display_name, row!.status, row!.password_hash],
      ['bjensen@example.com', 'Babs Jensen', 'ACTIVE', null],
    );
    assert.ok(!row!.held.includes('t1meMa'));
  });

  test('names of attributes are not case-sensitive, and what is unknown or read-only is passed over', async () => {
    const body = {
      USERNAME: 'Casey@example.com',
      id: 'mine',
      meta: { version: 'x' },
      favouriteColour: 'red',
      groups: [{ value: 'x' }],
    };
    const reply = await scim.send('POST', '/Users', body);
    assert.deepEqual(
      [reply.body.userName, reply.body.favouriteColour, reply.body.groups],
      ['Casey@example.com', undefined, undefined],
    );
    assert.notEqual(reply.body.id, 'mine');
  });

  test('a user needs a userName and an address, of the right kind', async () => {
    for (const body of [
      {},
      { userName: '' },
      { userName: 'nobody' },
      { userName: 'x@example.com', emails: [{ value: 'no' }] },
    ]) {
      assertRefused(await scim.send('POST', '/Users', body), 400, 'invalidValue');
    }
    const twoPrimaries = [
      { value: 'a@example.com', primary: true },
      { value: 'b@example.com', primary: true },
    ];
    assertRefused(
      await scim.send('POST', '/Users', { userName: 'x@example.com', emails: twoPrimaries }),
      400,
      'invalidValue',
    );
    assertRefused(
      await scim.send('POST', '/Users', { userName: 'x@example.com', active: 'maybe' }),
      400,
      'invalidValue',
    );
    assertRefused(
      await scim.send('POST', '/Users', { userName: 'x@example.com', name: 'Jensen' }),
      400,
      'invalidSyntax',
    );
  });

  test('userName, externalId and address are taken once', async () => {
    const first = await scim.user({ externalId: 'unique-1' });
    const again = (more: object) => scim.send('POST', '/Users', { userName: 'other@example.com', ...more });
    assertRefused(
      await again({ userName: first.userName.toUpperCase(), emails: [{ value: 'free@example.com' }] }),
      409,
      'uniqueness',
    );
    assertRefused(await again({ externalId: 'unique-1' }), 409, 'uniqueness');
    assertRefused(await again({ emails: [{ value: first.userName }] }), 409, 'uniqueness');
    assertRefused(await again({ emails: [{ value: owner.email }] }), 409, 'uniqueness');
  });

  test('PUT replaces all but what is the service’s own', async () => {
    const user = await scim.user({ nickName: 'Old', title: 'Boss', externalId: 'put-1' });
    const reply = await scim.send('PUT', `/Users/${user.id}`, { userName: user.userName, nickName: 'New' });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(
      [reply.body.nickName, reply.body.title, reply.body.externalId, reply.body.active],
      ['New', undefined, undefined, true],
    );
    assert.equal(reply.body.id, user.id);
  });

  test('who is there already is adopted only where the configuration says so, and an owner only by an owner’s directory', async () => {
    const { userSid, email } = await person(app, { roles: ['VIEWER'] });
    assertRefused(await scim.send('POST', '/Users', { userName: email }), 409, 'uniqueness');
    const admin = await person(app, { roles: ['ADMIN'] });
    const adopting = await directory(app, admin, {
      adoptByEmail: true,
      roleScopeKind: 'ORGANIZATION',
      roleEnvironment: 'both',
    });
    const adopted = await adopting.send('POST', '/Users', { userName: email });
    assert.deepEqual([adopted.status, adopted.body.id], [201, userSid]);
    assertRefused(await adopting.send('POST', '/Users', { userName: owner.email }), 403);
  });
});

suite('PATCH, as in the examples of RFC 7644 section 3.5.2', () => {
  test('add: to a list, to an object, without a path', async () => {
    const { id } = await scim.user();
    const path = `/Users/${id}`;
    const reply = await scim.patch(
      path,
      { op: 'add', value: { emails: [{ value: 'babs@jensen.org', type: 'home' }], nickname: 'Babs' } },
      { op: 'Add', path: 'name.givenName', value: 'Barbara' },
      { op: 'add', path: 'name', value: { familyName: 'Jensen' } },
      { op: 'add', path: `${enterprise}:department`, value: 'Tour' },
    );
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.body.name, { givenName: 'Barbara', familyName: 'Jensen' });
    assert.deepEqual([reply.body.nickName, reply.body[enterprise].department], ['Babs', 'Tour']);
    const once = await scim.patch(path, {
      op: 'add',
      path: 'emails',
      value: [{ value: 'babs@jensen.org', type: 'home' }],
    });
    assert.equal(once.body.emails.length, 1);
  });

  test('replace: one value by a filter, a part of it, all of them', async () => {
    const { id } = await scim.user({
      addresses: [
        { type: 'work', streetAddress: '911 Universal City Plaza', locality: 'Hollywood' },
        { type: 'home', locality: 'Elsewhere' },
      ],
    });
    const path = `/Users/${id}`;
    const one = await scim.patch(path, {
      op: 'replace',
      path: 'addresses[type eq "work"]',
      value: { type: 'work', streetAddress: '1010 Broadway Ave' },
    });
    assert.deepEqual(one.body.addresses[0], {
      type: 'work',
      streetAddress: '1010 Broadway Ave',
      locality: 'Hollywood',
    });
    const part = await scim.patch(path, {
      op: 'replace',
      path: 'addresses[type eq "work"].locality',
      value: 'New York',
    });
    assert.deepEqual(
      part.body.addresses.map(({ locality }: { locality: string }) => locality),
      ['New York', 'Elsewhere'],
    );
    const all = await scim.patch(path, {
      op: 'replace',
      path: 'addresses',
      value: [{ type: 'other', region: 'CA' }],
    });
    assert.deepEqual(all.body.addresses, [{ type: 'other', region: 'CA' }]);
    assertRefused(
      await scim.patch(path, { op: 'replace', path: 'addresses[type eq "work"].locality', value: 'x' }),
      400,
      'noTarget',
    );
  });

  test('remove: a value, a part, all', async () => {
    const { id, userName } = await scim.user({
      emails: [
        { value: 'work-address@example.com', type: 'work', primary: true },
        { value: 'h@example.com', type: 'home' },
      ],
      title: 'Boss',
    });
    const path = `/Users/${id}`;
    const some = await scim.patch(path, {
      op: 'remove',
      path: 'emails[type eq "home" and not (primary eq true)]',
    });
    assert.deepEqual(
      some.body.emails.map(({ type }: { type: string }) => type),
      ['work'],
    );
    const part = await scim.patch(
      path,
      { op: 'remove', path: 'emails[type eq "work"].primary' },
      { op: 'remove', path: 'title' },
    );
    assert.deepEqual([part.body.emails[0].primary, part.body.title], [undefined, undefined]);
    const all = await scim.patch(path, { op: 'remove', path: 'emails' });
    assert.deepEqual([all.body.emails, all.body.userName], [undefined, userName]);
  });

  test('a new primary takes the place of the old one', async () => {
    const { id } = await scim.user({ phoneNumbers: [{ value: '1', primary: true }, { value: '2' }] });
    const { body } = await scim.patch(`/Users/${id}`, {
      op: 'replace',
      path: 'phoneNumbers[value eq "2"].primary',
      value: true,
    });
    assert.deepEqual(
      body.phoneNumbers.map(({ primary }: { primary: boolean }) => primary),
      [false, true],
    );
  });

  test('adding to a value that is not there makes it, as some directories expect', async () => {
    const { id } = await scim.user();
    const { body } = await scim.patch(`/Users/${id}`, {
      op: 'Add',
      path: 'phoneNumbers[type eq "mobile"].value',
      value: '555',
    });
    assert.deepEqual(body.phoneNumbers, [{ type: 'mobile', value: '555' }]);
  });

  test('what is wrong changes nothing of anything', async () => {
    const { id } = await scim.user({ title: 'Boss' });
    const path = `/Users/${id}`;
    const first = { op: 'replace', path: 'title', value: 'Clerk' };
    const wrong: [object, string][] = [
      [{ op: 'move', path: 'title' }, 'invalidSyntax'],
      [{ op: 'remove' }, 'noTarget'],
      [{ op: 'add', path: 'shoeSize', value: 1 }, 'invalidPath'],
      [{ op: 'add', path: 'emails[', value: 1 }, 'invalidPath'],
      [{ op: 'add', path: 'emails[size eq "x"].value', value: 'x' }, 'invalidFilter'],
      [{ op: 'replace', path: 'id', value: 'x' }, 'mutability'],
      [{ op: 'add', path: 'groups', value: [{ value: 'x' }] }, 'mutability'],
      [{ op: 'replace', path: 'meta.created', value: 'x' }, 'mutability'],
      [{ op: 'remove', path: 'userName' }, 'invalidValue'],
      [{ op: 'replace', path: 'active', value: 'perhaps' }, 'invalidValue'],
      [{ op: 'add', path: '__proto__.polluted', value: 1 }, 'invalidPath'],
    ];
    for (const [operation, scimType] of wrong) {
      assertRefused(await scim.patch(path, first, operation), 400, scimType);
    }
    assertRefused(await scim.send('PATCH', path, { Operations: [] }), 400, 'invalidSyntax');
    assert.equal((await scim.get(path)).body.title, 'Boss');
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });

  test('50 at once, each adding a number, leave 50 numbers', async () => {
    const { id } = await scim.user();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        scim.patch(`/Users/${id}`, { op: 'add', path: 'phoneNumbers', value: [{ value: String(i) }] }),
      ),
    );
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    assert.equal((await scim.get(`/Users/${id}`)).body.phoneNumbers.length, 50);
  });
});

suite('ETags', () => {
  test('a stale one is refused and nothing changes; of 50 changes to one version one wins', async () => {
    const user = await scim.user();
    const path = `/Users/${user.id}`;
    const { version } = user.meta;
    const change = (title: string) =>
      scim.send(
        'PATCH',
        path,
        { Operations: [{ op: 'replace', path: 'title', value: title }] },
        { 'if-match': version },
      );
    const replies = await Promise.all(Array.from({ length: 50 }, (_, i) => change(`Title ${i}`)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 200)) assertRefused(reply, 412);
    for (const method of ['PUT', 'DELETE']) {
      assertRefused(
        await scim.send(method, path, method === 'PUT' ? { userName: user.userName } : undefined, {
          'if-match': version,
        }),
        412,
      );
    }
    const current = (await scim.get(path)).body.meta.version;
    assert.equal((await scim.send('DELETE', path, undefined, { 'if-match': `"x", ${current}` })).status, 204);
  });

  test('what has not changed is not sent again', async () => {
    const user = await scim.user();
    const path = `/Users/${user.id}`;
    const unchanged = await scim.get(path, { 'if-none-match': user.meta.version });
    assert.deepEqual([unchanged.status, unchanged.text], [304, '']);
    await scim.group('For an ETag', [user.id]);
    assert.equal((await scim.get(path, { 'if-none-match': user.meta.version })).status, 200);
  });
});

suite('groups give roles', () => {
  test('to their members, for as long as they are members', async () => {
    const user = await scim.user();
    const group = await scim.group('developers', [user.id]);
    assert.deepEqual(await rolesOf(user.id), ['DEVELOPER']);
    assert.deepEqual(
      group.members.map(({ value, type }: { value: string; type: string }) => [value, type]),
      [[user.id, 'User']],
    );
    assert.deepEqual((await scim.get(`/Users/${user.id}`)).body.groups, [
      {
        value: group.id,
        $ref: `${app.url}/scim/v2/Groups/${group.id}`,
        display: 'developers',
        type: 'direct',
      },
    ]);
    const path = `/Groups/${group.id}`;
    await scim.patch(path, { op: 'remove', path: `members[value eq "${user.id}"]` });
    assert.deepEqual(await rolesOf(user.id), []);
    await scim.patch(path, { op: 'add', path: 'members', value: [{ value: user.id }] });
    await scim.patch(path, { op: 'replace', path: 'displayName', value: 'Readers' });
    assert.deepEqual(await rolesOf(user.id), ['VIEWER']);
    await scim.patch(path, { op: 'Remove', path: 'members', value: [{ value: user.id }] });
    assert.deepEqual(await rolesOf(user.id), []);
    await scim.send('PUT', path, { displayName: 'Developers', members: [{ value: user.id }] });
    assert.deepEqual(await rolesOf(user.id), ['DEVELOPER']);
    assert.equal((await scim.send('DELETE', path)).status, 204);
    assert.deepEqual(await rolesOf(user.id), []);
  });

  test('a role two groups give stays until neither does', async () => {
    const user = await scim.user();
    const one = await scim.group('Developers', [user.id]);
    const two = await scim.group('Builders', [user.id]);
    assert.deepEqual(await rolesOf(user.id), ['DEVELOPER']);
    await scim.send('DELETE', `/Groups/${one.id}`);
    assert.deepEqual(await rolesOf(user.id), ['DEVELOPER']);
    await scim.send('DELETE', `/Groups/${two.id}`);
    assert.deepEqual(await rolesOf(user.id), []);
  });

  test('what others gave is not the directory’s to take', async () => {
    const user = await scim.user();
    await app.sql(
      `insert into role_bindings (id, organization_id, principal_type, principal_ref, role, scope_kind, environment, created_by, created_at)
       values (gen_random_uuid(), $1, 'USER', $2, 'DEVELOPER', 'ORGANIZATION', 'both', 'test', $3)`,
      [owner.organizationId, user.id, app.clock.now()],
    );
    const group = await scim.group('Developers', [user.id]);
    assert.deepEqual(await rolesOf(user.id), ['DEVELOPER', 'DEVELOPER']);
    await scim.send('DELETE', `/Groups/${group.id}`);
    assert.deepEqual(await rolesOf(user.id), ['DEVELOPER']);
  });

  test('50 memberships at once leave each person with the role once', async () => {
    const people = await Promise.all(Array.from({ length: 10 }, () => scim.user()));
    const groups = [await scim.group('Developers'), await scim.group('Builders')];
    const joins = Array.from({ length: 50 }, (_, i) =>
      scim.patch(`/Groups/${groups[i % 2]!.id}`, {
        op: 'add',
        path: 'members',
        value: [{ value: people[(i >> 1) % 10]!.id }],
      }),
    );
    assert.deepEqual([...new Set((await Promise.all(joins)).map(({ status }) => status))], [200]);
    for (const { id } of people) assert.deepEqual(await rolesOf(id), ['DEVELOPER']);
    for (const { id } of groups) await scim.send('DELETE', `/Groups/${id}`);
    for (const { id } of people) assert.deepEqual(await rolesOf(id), []);
  });

  test('two groups that take in one person at the same moment give the role once', async () => {
    const user = await scim.user();
    const groups = [await scim.group('Developers'), await scim.group('Builders')];
    const join = ({ id }: { id: string }) =>
      scim.patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value: user.id }] });
    // Everything is written but the audit entries, which come last.
    const replies = await whileHeld(
      `select 1 from chain_heads where account_sid = $1 for update`,
      [app.accountSid],
      async () => {
        const joins = groups.map(join);
        await waitersAre(app, 2);
        return joins;
      },
    );
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
    );
    assert.deepEqual(await rolesOf(user.id), ['DEVELOPER']);
    for (const { id } of groups) await scim.send('DELETE', `/Groups/${id}`);
  });

  test('names are taken once, and only users of the directory are members', async () => {
    await scim.group('Taken');
    assertRefused(await scim.send('POST', '/Groups', { displayName: 'TAKEN' }), 409, 'uniqueness');
    for (const members of [
      [{ value: owner.userSid }],
      [{ value: 'nobody' }],
      [{ type: 'User' }],
      [{ value: 'x', type: 'Group' }],
    ]) {
      assertRefused(await scim.send('POST', '/Groups', { displayName: 'New', members }), 400, 'invalidValue');
    }
    assertRefused(await scim.send('POST', '/Groups', {}), 400, 'invalidValue');
  });
});

suite('who leaves', () => {
  async function signedIn(id: string) {
    const [row] = await app.sql<{ organization_id: string }>(
      'select organization_id from users where sid = $1',
      [id],
    );
    const { startSession } = await import('../identity/sessions/sessions.ts');
    const { token } = await app.database.system((s) =>
      startSession(s, app.clock.now(), {
        organizationId: row!.organization_id,
        userSid: id,
        livemode: false,
        methods: ['oidc'],
        providerId: null,
        address: '127.0.0.1',
        userAgent: 'test',
        absoluteTimeoutHours: 24,
      }),
    );
    const headers = { authorization: undefined, cookie: `__Host-godwit-session-sandbox=${token}` };
    return () => app.get(`${app.at}/identity/providers`, headers);
  }

  test('loses sessions and roles at once, and gets the roles of the groups back with a return', async () => {
    const user = await scim.user();
    const group = await scim.group('Developers', [user.id]);
    const works = await signedIn(user.id);
    assert.equal((await works()).status, 200);
    const gone = await scim.patch(`/Users/${user.id}`, { op: 'Replace', path: 'active', value: 'False' });
    assert.equal(gone.body.active, false);
    assert.equal((await works()).status, 401);
    assert.deepEqual(await rolesOf(user.id), []);
    await scim.patch(`/Groups/${group.id}`, { op: 'replace', path: 'displayName', value: 'Readers' });
    assert.deepEqual(await rolesOf(user.id), [], 'who is away gets nothing');
    await scim.patch(`/Users/${user.id}`, { op: 'replace', value: { active: true } });
    assert.deepEqual(await rolesOf(user.id), ['VIEWER']);
    assert.equal((await works()).status, 401, 'an ended session stays ended');
    await scim.send('DELETE', `/Groups/${group.id}`);
  });

  test('a deleted person is gone, leaves no name behind, and another may have it', async () => {
    const user = await scim.user({ displayName: 'Marker Person', externalId: 'marker-ext' });
    const group = await scim.group('Developers', [user.id]);
    const works = await signedIn(user.id);
    assert.equal((await scim.send('DELETE', `/Users/${user.id}`)).status, 204);
    assertRefused(await scim.get(`/Users/${user.id}`), 404);
    assertRefused(await scim.send('DELETE', `/Users/${user.id}`), 404);
    assert.equal((await works()).status, 401);
    assert.equal((await scim.find('Users', `userName eq "${user.userName}"`)).body.totalResults, 0);
    assert.equal((await scim.get(`/Groups/${group.id}`)).body.members, undefined);
    const [row] = await app.sql<{ all: string }>(
      'select to_jsonb(u)::text as all from users u where sid = $1',
      [user.id],
    );
    for (const marker of ['Marker', 'marker-ext', user.userName])
      assert.ok(!row!.all.includes(marker), marker);
    const again = await scim.send('POST', '/Users', { userName: user.userName, externalId: 'marker-ext' });
    assert.equal(again.status, 201, again.text);
    assert.notEqual(again.body.id, user.id);
    await scim.send('DELETE', `/Groups/${group.id}`);
  });

  test('the last owner stays, however the directory asks', async () => {
    const { accountSid } = await app.newAccount();
    const boss = await person(app, { accountSid });
    const theirs = await directory(app, boss, { adoptByEmail: true });
    const adopted = await theirs.send('POST', '/Users', { userName: boss.email });
    assert.equal(adopted.status, 201, adopted.text);
    const path = `/Users/${boss.userSid}`;
    assertRefused(await theirs.patch(path, { op: 'replace', path: 'active', value: false }), 409);
    assertRefused(await theirs.send('PUT', path, { userName: boss.email, active: false }), 409);
    assertRefused(await theirs.send('DELETE', path), 409);
    assert.deepEqual(await rolesOf(boss.userSid), ['OWNER']);
    const list = await app.get(`/v1/accounts/${accountSid}/identity/providers`, boss.headers);
    assert.equal(list.status, 200);
  });

  test('every act is in the audit chain, by the directory', async () => {
    const user = await scim.user();
    await scim.send('DELETE', `/Users/${user.id}`);
    const entries = await app.sql<{ action: string; actor: string }>(
      'select action, actor from audit_entries where resource = $1 order by sequence',
      [user.id],
    );
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['directory.user_created', 'user.deactivated', 'directory.user_deleted'],
    );
    assert.deepEqual([...new Set(entries.map(({ actor }) => actor))], [`directory:${scim.id}`]);
  });
});
