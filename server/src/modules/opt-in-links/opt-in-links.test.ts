import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { person } from '../../../test/harness/people.ts';
import { newPhone } from '../contacts/fixtures.ts';
import { type Role, roleCatalogue, scopesOfRole } from '../roles/index.ts';
import { consentText, type OptInApp, startOptInApp } from './opt-in.test-data.ts';

let app: OptInApp;
let at: string;
const lifetime = sharedLifetime();
before(async () => {
  app = await startOptInApp(lifetime);
  at = `${app.at}/opt-in-links`;
});

const pathsOf = (reply: { body: { error: { details: { path: string }[] } } }) =>
  reply.body.error.details.map(({ path }) => path);

suite('a link', () => {
  test('is told with its token and address once, and kept without them', async () => {
    const { token, path, sid } = await app.link({ label: 'Autumn' });
    assert.match(token, /^[A-Za-z0-9_-]{43}$/);
    const { body } = await app.get(at);
    const [newest] = body.data;
    assert.deepEqual(newest, {
      object: 'opt_in_link',
      sid,
      accountSid: app.accountSid,
      livemode: false,
      label: 'Autumn',
      purpose: 'MARKETING',
      consentText,
      wordingVersion: newest.wordingVersion,
      defaultCountry: 'FR',
      state: 'ACTIVE',
      expiresAt: null,
      revokedAt: null,
      submissions: 0,
      lastSubmittedAt: null,
      createdAt: app.clock.now().toISOString(),
    });
    assert.match(newest.wordingVersion, new RegExp(`^${sid}:[0-9a-f]{16}:form-1$`));
    assert.equal((await app.submit(path, { phone: newPhone() })).status, 200);
    const everything = await app.sql<{ row: string }>('select to_jsonb(l)::text as row from opt_in_links l');
    assert.ok(everything.every(({ row }) => !row.includes(token)));
    const url = `${app.site().publicUrl}${path}`;
    const again = await app.post(at, { consentText, label: 'x' });
    assert.equal(again.body.url.replace(again.body.token, token), url);
  });

  test('is made once for one Idempotency-Key, and shown again only to its maker', async () => {
    const key = { 'idempotency-key': 'the same link' };
    const body = { consentText, label: 'Once' };
    const first = await app.post(at, body, key);
    assert.equal((await app.post(at, body, key)).body.token, first.body.token);
    const { key: other } = await app.key(['contacts:write']);
    const stranger = await app.post(at, body, { ...key, ...bearer(other) });
    assert.ok(stranger.status >= 400 && !stranger.text.includes(first.body.token), stranger.text);
  });

  test('needs words without control characters, a country with numbers and days from 1 to 3650', async () => {
    const bad: [object, string][] = [
      [{ consentText: ' \u00a0 ' }, 'consentText'],
      [{ consentText: 'Yes\u0007' }, 'consentText'],
      [{ consentText: 'Yes\nNo' }, 'consentText'],
      [{ consentText: 'x'.repeat(1_001) }, 'consentText'],
      [{ label: '' }, 'label'],
      [{ label: 'a\u001b[31m' }, 'label'],
      [{ label: 'x'.repeat(121) }, 'label'],
      [{ defaultCountry: 'ZZ' }, 'defaultCountry'],
      [{ defaultCountry: 'FRA' }, 'defaultCountry'],
      [{ expiresInDays: 0 }, 'expiresInDays'],
      [{ expiresInDays: 3_651 }, 'expiresInDays'],
      [{ purpose: 'AUTHENTICATION' }, 'purpose'],
    ];
    for (const [change, path] of bad) {
      const reply = await app.post(at, { consentText, label: 'x', ...change });
      assert.deepEqual([reply.status, pathsOf(reply)], [400, [path]], JSON.stringify(change));
    }
    const longest = {
      consentText: 'é'.repeat(1_000),
      label: 'x'.repeat(120),
      expiresInDays: 3_650,
      defaultCountry: 'be',
    };
    const { body } = await app.post(at, longest);
    assert.deepEqual([body.consentText, body.defaultCountry], [longest.consentText, 'BE']);
  });

  test('has the country of the organization unless it names one', async () => {
    await app.sql(
      "update organizations set country = 'SN' where id = (select organization_id from accounts where sid = $1)",
      [app.accountSid],
    );
    assert.equal((await app.post(at, { consentText, label: 'x' })).body.defaultCountry, 'SN');
    await app.sql('update organizations set country = null');
    const { body } = await app.post(at, { consentText, label: 'x' });
    assert.equal(body.defaultCountry, null);
    const national = await app.submit(`/v1/opt-in/${body.token}`, { phone: '0612345678' });
    assert.deepEqual([national.status, pathsOf(national)], [400, ['phone']]);
  });

  test('that is unknown, expired or revoked is one and the same 404, as a page and as JSON, to GET and to POST', async () => {
    const [expired, revoked] = [await app.link({ expiresInDays: 1 }), await app.link()];
    for (const { path } of [expired, revoked]) assert.equal((await app.open(path)).status, 200);
    const state = async () =>
      (await app.get(at)).body.data
        .filter(({ sid }: { sid: string }) => [expired.sid, revoked.sid].includes(sid))
        .map((link: { state: string }) => link.state);
    assert.deepEqual(await state(), ['ACTIVE', 'ACTIVE']);
    app.clock.advance(86_400_000);
    const first = await app.post(`${at}/${revoked.sid}/revoke`);
    assert.deepEqual([first.status, first.body.state], [200, 'REVOKED']);
    app.clock.advance(1_000);
    const second = await app.post(`${at}/${revoked.sid}/revoke`);
    assert.deepEqual(second.body, first.body);
    assert.deepEqual(await state(), ['REVOKED', 'EXPIRED']);
    const paths = [expired.path, revoked.path, '/v1/opt-in/nobody', '/v1/opt-in/%00'];
    const seen = { pages: new Set<string>(), bodies: new Set<string>(), posted: new Set<string>() };
    const phone = newPhone();
    for (const path of paths) {
      const page = await app.open(path);
      const { body } = await app.get(path, { authorization: undefined });
      const posted = await app.submit(path, { phone });
      const form = await app.postForm(path, { phone, agreed: 'yes', ticket: 'x' });
      if (path.endsWith('%00')) continue;
      assert.deepEqual([page.status, posted.status, form.status], [404, 404, 404], path);
      delete body.error.requestId;
      delete posted.body.error.requestId;
      seen.pages.add(page.text).add(form.text);
      seen.bodies.add(JSON.stringify(body));
      seen.posted.add(JSON.stringify(posted.body));
    }
    assert.deepEqual([seen.pages.size, seen.bodies.size, seen.posted.size], [1, 1, 1]);
    assert.match([...seen.pages][0]!, /<html lang="en">[\s\S]*This form is not available/);
    assert.equal((await app.consents(phone)).contact, null);
  });

  test('is refused while 500 are open, and is possible again when one is revoked', async () => {
    const other = await app.newAccount();
    const mine = bearer(other.sandboxKey);
    const path = `/v1/accounts/${other.accountSid}/opt-in-links`;
    const { sid } = (await app.post(path, { consentText, label: 'x' }, mine)).body;
    await app.sql(
      `insert into opt_in_links (account_sid, livemode, sid, token_hash, label, purpose, consent_text, wording_version,
         created_by, created_at)
       select account_sid, livemode, left(sid, 24) || lpad(n::text, 4, '0'), sha256(n::text::bytea), label, purpose, consent_text,
         wording_version, created_by, created_at from opt_in_links, generate_series(1, 499) n where sid = $1`,
      [sid],
    );
    const refused = await app.post(path, { consentText, label: 'x' }, mine);
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'CONFLICT']);
    assert.equal((await app.get(path, mine)).body.data.length, 500);
    await app.post(`${path}/${sid}/revoke`, undefined, mine);
    assert.equal((await app.post(path, { consentText, label: 'x' }, mine)).status, 201);
  });
});

test('every role, and a key, reads and changes links exactly as its scopes say', async () => {
  const { sid } = await app.link();
  const body = { consentText, label: 'x' };
  const attempts = async (headers: object) => [
    (await app.get(at, headers)).status,
    (await app.post(at, body, headers)).status,
    (await app.post(`${at}/${sid}/revoke`, undefined, headers)).status,
  ];
  const expected = (scopes: readonly string[]) => {
    const may = (scope: string, good: number) => (scopes.includes(scope) ? good : 403);
    return [may('contacts:read', 200), may('contacts:write', 201), may('contacts:write', 200)];
  };
  for (const role of Object.keys(roleCatalogue) as Role[]) {
    const { headers } = await person(app, { roles: [role], factor: 'none' });
    assert.deepEqual(await attempts(headers), expected(scopesOfRole(role)), role);
  }
  for (const scopes of [['contacts:read'], ['contacts:write'], ['messages:send']]) {
    const { key } = await app.key(scopes);
    assert.deepEqual(await attempts(bearer(key)), expected(scopes), scopes.join());
  }
});
