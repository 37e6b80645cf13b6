// Every operation that asks for a second factor, against every token that is not good for it: each is refused in the
// same words, and nothing in the database has changed. A new operation is covered by being declared.
//
// An operation that asks only sometimes (`askedBy: 'handler'`) is called with its example and its fixtures: they must
// make a case in which it does ask.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { operations } from '../src/main/modules.ts';
import { roleCatalogue } from '../src/modules/roles/index.ts';
import type { Operation } from '../src/platform/http/operations/operation.ts';
import { stepUpHeader } from '../src/platform/http/operations/step-up.ts';
import { newSid, type SidPrefix } from '../src/platform/ids.ts';
import { bearer, type Reply, startTestApp, type TestApp } from './harness/app.ts';
import { validFor } from './harness/arbitrary.ts';
import { phone } from './harness/contacts.ts';
import { loadFixtures } from './harness/fixtures.ts';
import { invoicingIn, savedCard } from './harness/invoices.ts';
import { sharedLifetime } from './harness/lifetime.ts';
import { publishedOperation, resolved } from './harness/openapi.ts';
import { type Person, person } from './harness/people.ts';

type Guarded = Operation & { stepUp: NonNullable<Operation['stepUp']> };
const guarded = operations.filter((operation): operation is Guarded => operation.stepUp !== undefined);
const roles = Object.keys(roleCatalogue);
const fixtures = await loadFixtures();

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  await writeDownChanges();
});

const fieldOf = ({ stepUp }: Guarded) => stepUp.field ?? 'stepUpToken';

type Request = { body?: unknown; headers: object };

// Where the example names what the account does not have, which is refused before a second factor is asked for.
const bodies: Record<string, (account: Account) => Promise<object>> = {
  async setBillingAutomation(account) {
    const paymentIntentId = await savedCard(await invoicingIn(app, account));
    return {
      currency: 'USD',
      nextPeriodStart: '2026-08-01T00:00:00Z',
      nextPeriodEnd: '2026-09-01T00:00:00Z',
      collection: { paymentIntentId, retryDelaysHours: [24] },
    };
  },
};

function withToken({ operation, body: made }: Scene, { token, headers }: Presented): Request {
  if (operation.stepUp.inHeader) return { headers: { ...headers, [stepUpHeader]: token } };
  const given =
    made ?? operation.example ?? fc.sample(validFor(operation.body!), { numRuns: 1, seed: 42 })[0];
  const body = structuredClone(given ?? {}) as Record<string, unknown>;
  // Something else each time: the same again is answered as before, without a second factor.
  if (operation.businessKey) body[operation.businessKey.field] = randomUUID();
  const names = fieldOf(operation).split('.');
  const last = names.pop()!;
  const holder = names.reduce<Record<string, unknown>>((at, name) => {
    at[name] ??= {};
    return at[name] as Record<string, unknown>;
  }, body);
  if (token === undefined) delete holder[last];
  else holder[last] = token;
  return { body, headers };
}

type Shape = { properties?: Record<string, Shape>; required?: string[] };

function demandsField(operation: Guarded, body: unknown): boolean {
  let at = resolved(body) as Shape | undefined;
  return fieldOf(operation)
    .split('.')
    .every((name) => {
      const demanded = at?.required?.includes(name) ?? false;
      at = resolved(at?.properties?.[name]);
      return demanded;
    });
}

// Where the resource must be in another state than it comes to be in: what is connected is asked of the provider, who is not here.
const madeReady: Record<string, (values: Record<string, string>) => Promise<unknown>> = {
  reconnectWaba: ({ wabaSid }) =>
    app.sql(
      `update wabas set connection_state = 'DISCONNECTED', disconnected_at = now(), disconnect_reason = 'test', access_token = null
        where sid = $1`,
      [wabaSid],
    ),
};

async function pathOf(operation: Guarded, { accountSid, sandboxKey }: Account): Promise<string> {
  const owner = { accountSid, livemode: false, key: sandboxKey };
  const values: Record<string, string> = { accountSid };
  for (const [, name] of operation.path.matchAll(/\{(\w+)\}/g)) {
    const make = fixtures[name!];
    values[name!] ??= make ? await make({ app, owner }) : unknownId(operation, name!);
  }
  await madeReady[operation.id]?.(values);
  return operation.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => values[name]!);
}

function unknownId(operation: Guarded, name: string): string {
  const { properties } = operation.params as unknown as { properties: Record<string, { pattern?: string }> };
  const prefix = /^\^([A-Z]{2})\[/.exec(properties[name]?.pattern ?? '')?.[1];
  return prefix ? newSid(prefix as SidPrefix, new Date('2020-01-01')) : randomUUID();
}

// What may change though a request is refused: who lives, how fast they ask, and how often they failed.
const fleeting = new Set(['processes', 'rate_buckets', 'attempt_counters']);
// Here a credential's last use is written down; the rest of the row counts.
const seen: Record<string, string> = { sessions: 'last_seen_at', api_keys: 'last_used_at' };

/** Has the database write down, in the transaction that does it, which table a row was added to, changed in or removed from. */
async function writeDownChanges(): Promise<void> {
  await app.sql(`
    create table changes (change text not null);
    create function write_down_change() returns trigger language plpgsql security definer as $$
    begin
      if tg_op = 'UPDATE' and tg_nargs = 1 and to_jsonb(old) - tg_argv[0] = to_jsonb(new) - tg_argv[0] then
        return null;
      end if;
      insert into public.changes values (tg_op || ' ' || tg_table_name);
      return null;
    end $$`);
  // A partition has the triggers on rows of its table, and none for the case that it is emptied.
  const tables = await app.sql<{ full: string; name: string; part: boolean }>(`
    select format('%I.%I', nspname, relname) as full, relname as name, relispartition as part
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where relkind in ('r', 'p') and relname <> 'changes'
       and (nspname = 'public' or (nspname, relname) = ('graphile_worker', '_private_jobs'))`);
  const triggers = tables
    .filter(({ name }) => !fleeting.has(name))
    .flatMap(({ full, name, part }) => {
      const writeDown = `execute function public.write_down_change(${seen[name] ? `'${seen[name]}'` : ''})`;
      const rows = `create trigger zz_rows after insert or update or delete on ${full} for each row ${writeDown}`;
      const all = `create trigger zz_all after truncate on ${full} for each statement ${writeDown}`;
      return part ? [all] : [rows, all];
    });
  await app.sql(triggers.join(';'));
}

async function changesNothing(ask: () => Promise<Reply>): Promise<Reply> {
  await app.sql('delete from changes');
  const reply = await ask();
  assert.deepEqual(await app.sql('select distinct change from changes order by change'), []);
  return reply;
}

type Account = Awaited<ReturnType<TestApp['newAccount']>>;
type Scene = { operation: Guarded; account: Account; who: Person; path: string; body: object | undefined };
type Presented = { token: unknown; headers: object };

const present = (scene: Scene, presented: Presented) =>
  app.send(scene.operation.method, scene.path, withToken(scene, presented));

function assertStepUpRequired(operation: Guarded, reply: Reply): void {
  assert.deepEqual([reply.status, reply.body?.error?.code], [403, 'STEP_UP_REQUIRED'], reply.text);
  assert.deepEqual(reply.body.error.details, [{ path: 'stepUpAction', issue: operation.stepUp.action }]);
}

async function expire(): Promise<void> {
  app.clock.advance(5 * 60_000);
}

/** Another account of the same organization, where the same person holds the same roles. */
async function siblingAccount({ organizationId }: Person): Promise<string> {
  const sid = newSid('AC', app.clock.now());
  await app.sql(
    `insert into accounts (sid, organization_id, name, region, created_at, updated_at)
     values ($1, $2, 'Sibling', 'local', $3, $3)`,
    [sid, organizationId, app.clock.now()],
  );
  return sid;
}

async function tokenOn(who: Person, accountSid: string, action: string): Promise<string> {
  await app.sql('update mfa_credentials set last_step = null where id = $1', [who.totp!.credentialId]);
  const body = { action, method: 'TOTP', assertion: who.totp!.code() };
  const reply = await app.post(`/v1/accounts/${accountSid}/identity/step-up`, body, who.headers);
  assert.equal(reply.status, 201, reply.text);
  return reply.body.stepUpToken;
}

const mark = (who: Person, change: string) =>
  app.sql(`update step_up_tokens set ${change} where user_sid = $1`, [who.userSid]);

/** Tokens that are no good for the operation, by what is wrong with them. */
const wrongTokens: Record<string, (scene: Scene) => Promise<string>> = {
  'a made-up token': async () => 'A'.repeat(43),
  'an empty token': async () => '',
  "somebody else's token": async ({ operation, account: { accountSid } }) =>
    (await person(app, { roles, accountSid })).stepUp(operation.stepUp.action),
  'a token of another session of the same person': async ({ operation, who }) =>
    who.stepUp(operation.stepUp.action, (await who.signInAgain()).headers),
  'a token for another account of the organization': async ({ operation, who }) =>
    tokenOn(who, await siblingAccount(who), operation.stepUp.action),
  'a token of the other environment': async ({ operation, who }) =>
    who.stepUp(operation.stepUp.action, (await who.signInAgain({ livemode: true })).headers),
  'a token for another action': async ({ operation, who }) =>
    who.stepUp(guarded.find(({ stepUp }) => stepUp.action !== operation.stepUp.action)!.stepUp.action),
  'a token for the same action in other letters': async ({ operation, who }) => {
    const token = await who.stepUp(operation.stepUp.action);
    await mark(who, 'action = lower(action)');
    return token;
  },
  'an expired token': async ({ operation, who }) => {
    const token = await who.stepUp(operation.stepUp.action);
    await expire();
    return token;
  },
  'a used token': async ({ operation, who }) => {
    const token = await who.stepUp(operation.stepUp.action);
    await mark(who, 'used_at = created_at');
    return token;
  },
  'a token of a factor that was removed': async ({ operation, who }) => {
    const token = await who.stepUp(operation.stepUp.action);
    await app.sql('delete from mfa_credentials where id = $1', [who.totp!.credentialId]);
    return token;
  },
  'a token of a factor that was turned off': async ({ operation, who }) => {
    const token = await who.stepUp(operation.stepUp.action);
    await app.sql('update mfa_credentials set disabled_at = created_at where id = $1', [
      who.totp!.credentialId,
    ]);
    return token;
  },
};

/** Wrong also in the hands of a key, which may present the good token of any person of its account. */
const wrongForKeys = new Set([
  'a made-up token',
  'an empty token',
  'a token for another account of the organization',
  'a token of the other environment',
  'a token for another action',
  'a token for the same action in other letters',
  'an expired token',
  'a used token',
  'a token of a factor that was removed',
  'a token of a factor that was turned off',
]);

const afterwards: Record<string, (who: Person) => Promise<unknown>> = {
  'whose session was revoked': (who) =>
    app.sql('update sessions set revoked_at = created_at where user_sid = $1', [who.userSid]),
  'whose session has ended': (who) =>
    app.sql('update sessions set absolute_expires_at = created_at where user_sid = $1', [who.userSid]),
  'whose session was idle too long': (who) =>
    app.sql("update sessions set last_seen_at = last_seen_at - interval '2 hours' where user_sid = $1", [
      who.userSid,
    ]),
  'whose person was deactivated': (who) =>
    app.sql("update users set status = 'DEACTIVATED' where sid = $1", [who.userSid]),
};

const pathsIn = ({ body }: Reply) => body.error.details.map(({ path }: { path: string }) => path);

async function refusedUnchanged(scene: Scene, presented: Presented): Promise<void> {
  const reply = await changesNothing(() => present(scene, presented));
  assertStepUpRequired(scene.operation, reply);
}

test('there are operations to try', () => assert.ok(guarded.length >= 5));

test('a request that changes something is noticed, whatever it does to whichever table', async () => {
  const noticed = async (statement: string, change: RegExp) =>
    assert.rejects(
      changesNothing(async () => {
        await app.sql(statement);
        return app.get('/v1/me');
      }),
      change,
    );
  await assert.rejects(
    changesNothing(() => app.post(`${app.at}/contacts`, { identifiers: [phone()] })),
    /INSERT contacts/,
  );
  await noticed("update accounts set name = 'Other'", /UPDATE accounts/);
  await noticed('update api_keys set name = name || name', /UPDATE api_keys/);
  await noticed('delete from contact_identifiers', /DELETE contact_identifiers/);
  await noticed('truncate contact_identifiers', /TRUNCATE contact_identifiers/);
});

test('the published document says where a token is required', () => {
  const published = guarded.filter((operation) => {
    const { requestBody } = publishedOperation(operation.id);
    return demandsField(operation, requestBody?.content['application/json']?.schema);
  });
  const declared = guarded.filter((operation) => demandsField(operation, operation.body));
  assert.ok(declared.length >= 10);
  assert.deepEqual(published, declared);
});

for (const operation of guarded) {
  // An account of its own: what one operation changes, such as the policy, must not decide about another.
  let shared: Promise<Pick<Scene, 'account' | 'path' | 'body'>> | undefined;
  const place = async () => {
    const account = await app.newAccount();
    const body = await bodies[operation.id]?.(account);
    return { account, path: await pathOf(operation, account), body };
  };
  // One resource for all who are refused: none of them changes it.
  const scene = async (): Promise<Scene> => {
    shared ??= place();
    const { account, path, body } = await shared;
    const who = await person(app, { roles, accountSid: account.accountSid });
    return { operation, account, who, path, body };
  };
  suite(operation.id, () => {
    test('a person without a token is refused, and nothing changed', async () => {
      const at = await scene();
      await refusedUnchanged(at, { token: undefined, headers: at.who.headers });
    });
    test('a token that cannot be one is a malformed request', async () => {
      const at = await scene();
      const { headers } = at.who;
      const wrong = operation.stepUp.inHeader ? ['A'.repeat(257)] : ['A'.repeat(5000), 7, null, ['A']];
      for (const token of wrong) {
        const reply = await present(at, { token, headers });
        assert.deepEqual([reply.status, reply.body.error.code], [400, 'VALIDATION_ERROR'], reply.text);
        assert.deepEqual(pathsIn(reply), [operation.stepUp.inHeader ? stepUpHeader : fieldOf(operation)]);
      }
    });
    test('without a token, what else is malformed is said first', async () => {
      const at = await scene();
      const { body, headers } = withToken(at, { token: undefined, headers: at.who.headers });
      const odd = { ...(body as object), odd: 1 };
      const reply = await app.send(operation.method, at.path, { body: odd, headers });
      assert.deepEqual([reply.status, reply.body.error.code], [400, 'VALIDATION_ERROR'], reply.text);
      assert.deepEqual(pathsIn(reply), ['odd']);
    });
    for (const [what, make] of Object.entries(wrongTokens)) {
      test(`a person with ${what} is refused, and nothing changed`, async () => {
        const at = await scene();
        const token = await make(at);
        await refusedUnchanged(at, { token, headers: at.who.headers });
      });
    }
    // About oneself, or not asked of keys: there are no such rows.
    const askedOfKeys = operation.stepUp.from === 'everyone' && operation.keyBelongsTo !== 'principal';
    if (askedOfKeys) refuseKeys(operation, scene);
    test('a good token opens it, once', async () => {
      const at = await scene();
      const token = await at.who.stepUp(operation.stepUp.action);
      const first = await present(at, { token, headers: at.who.headers });
      assert.notEqual(first.body?.error?.code, 'STEP_UP_REQUIRED', first.text);
      // What calls outside spends the token itself, so it must be seen to.
      assert.ok(first.status < 400 || !operation.outside, first.text);
      if (first.status >= 400) return;
      const used = await app.sql('select used_by from step_up_tokens where user_sid = $1', [at.who.userSid]);
      if (used.length === 0) return; // the act removed the factor, and its tokens with it
      assert.deepEqual(used, [{ used_by: `user:${at.who.userSid}` }]);
      // Another resource of the same kind: what was done to the first may need no second factor a second time.
      const path = await pathOf(operation, at.account);
      const again = await present({ ...at, path }, { token, headers: at.who.headers });
      // An act may end the session it was done in, as a reset of oneself does.
      if (again.status !== 401) assertStepUpRequired(operation, again);
    });
  });
}

const scopesFor = ({ access, alsoNeeds }: Guarded) => [
  ...(access as readonly string[]),
  ...(alsoNeeds ? [alsoNeeds] : []),
];

function refuseKeys(operation: Guarded, scene: () => Promise<Scene>): void {
  const keyOf = async ({ account: { accountSid } }: Scene) =>
    bearer((await app.key(scopesFor(operation), { accountSid })).key);
  for (const what of wrongForKeys) {
    test(`an API key with ${what} is refused, and nothing changed`, async () => {
      const at = await scene();
      const headers = await keyOf(at);
      const token = await wrongTokens[what]!(at);
      await refusedUnchanged(at, { token, headers });
    });
  }
  for (const [how, end] of Object.entries(afterwards)) {
    test(`an API key with a token ${how} is refused, and nothing changed`, async () => {
      const at = await scene();
      const headers = await keyOf(at);
      const token = await at.who.stepUp(operation.stepUp.action);
      await end(at.who);
      await refusedUnchanged(at, { token, headers });
    });
  }
  test('an API key of another account with a good token is a stranger', async () => {
    const at = await scene();
    const other = await app.newAccount();
    const token = await at.who.stepUp(operation.stepUp.action);
    const reply = await changesNothing(() => present(at, { token, headers: bearer(other.sandboxKey) }));
    assert.deepEqual([reply.status, reply.body.error.code], [403, 'AUTHORIZATION_ERROR']);
  });
}
