import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { peopleOf } from '../../../../test/harness/contacts.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { assertLimitReached } from '../../../../test/harness/limits.ts';
import { solve } from '../../../../test/harness/sign-in.ts';
import { inAccount } from '../../../../test/harness/webhooks.ts';
import { keepOptOuts, verifyConsents } from '../../consent/index.ts';
import { newPhone } from '../../contacts/fixtures.ts';
import { sweepOptIns } from '../crons.ts';
import { consentText, newAddress, type OptInApp, startOptInApp } from '../opt-in.test-data.ts';

let app: OptInApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startOptInApp(lifetime);
});

suite('a submission', () => {
  test('records the person, the exact words and the link, and neither address nor browser', async () => {
    const link = await app.link();
    const phone = newPhone();
    const headers = { 'x-forwarded-for': '203.0.113.77', 'user-agent': 'Marker/77', 'accept-language': 'fr' };
    const reply = await app.submit(
      `${link.path}?fbclid=x&utm=1`,
      { phone: phone.replace('+33', '0'), name: 'Inès' },
      headers,
    );
    assert.equal(reply.status, 200, reply.text);
    const { contact, consents } = await app.consents(phone);
    assert.deepEqual([contact.displayName, contact.identifiers[0].value], ['Inès', phone]);
    const [{ sid, ledger, evidence, ...consent }, ...others] = consents;
    assert.deepEqual(others, []);
    assert.ok(sid && ledger);
    const at = app.clock.now().toISOString();
    assert.deepEqual(consent, {
      object: 'consent',
      accountSid: app.accountSid,
      livemode: false,
      contactSid: contact.sid,
      purpose: 'MARKETING',
      status: 'OPTED_IN',
      source: 'FORM',
      evidenceRef: link.sid,
      expiresAt: null,
      supersedesConsentSid: null,
      recordedBy: 'system:opt-in-form',
      createdAt: at,
    });
    const { proofRef, ...rest } = evidence;
    assert.deepEqual(rest, {
      capturedAt: at,
      wording: consentText,
      wordingVersion: `${link.wordingVersion}:fr`,
      sourcePage: `${app.site().publicUrl}/v1/opt-in`,
    });
    const claims = JSON.parse(Buffer.from(reply.body.receipt.split('.')[1], 'base64url').toString());
    assert.equal(claims.jti, proofRef);
    for (const marker of ['203.0.113.77', 'Marker/77', link.token])
      assert.deepEqual(await tablesWith(marker), [], marker);
    for await (const report of verifyConsents(app.database)) assert.equal(report.broken, null);
  });

  test('gives somebody who opted out and was forgotten their no back, which a form does not lift', async () => {
    const [people, phone] = [peopleOf(app), newPhone()];
    const { sid } = await people.contact({ identifiers: [{ identifierType: 'phone_e164', value: phone }] });
    await people.suppress(sid, { reason: 'CUSTOMER_OPT_OUT', scope: 'MARKETING' });
    await inAccount(app, (t) => keepOptOuts(t, [sid]));
    assert.equal((await app.submit((await app.link()).path, { phone })).status, 200);
    const { contact } = await app.consents(phone);
    assert.notEqual(contact.sid, sid);
    const [standing] = await people.suppressions(contact.sid);
    assert.deepEqual(
      [standing.active, standing.scope, standing.reason],
      [true, 'MARKETING', 'CUSTOMER_OPT_OUT'],
    );
  });

  /** The tables in which some row holds this text. */
  async function tablesWith(marker: string): Promise<string[]> {
    const tables = await app.sql<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
    );
    const found: string[] = [];
    for (const { name } of tables)
      if ((await app.count(`${name} x where x::text like '%${marker}%'`)) > 0) found.push(name);
    return found;
  }

  test('answers with a receipt that another library verifies by the published keys, with the number masked', async () => {
    const link = await app.link({ purpose: 'SUPPORT' });
    const phone = newPhone();
    const { body } = await app.submit(link.path, { phone });
    const { body: keys } = await app.get('/v1/receipt-keys', { authorization: undefined });
    const { payload, protectedHeader } = await jwtVerify(body.receipt, createLocalJWKSet(keys), {
      issuer: app.site().publicUrl,
      currentDate: app.clock.now(),
    });
    assert.deepEqual([protectedHeader.alg, protectedHeader.typ], ['ES256', 'consent-receipt+jwt']);
    assert.ok(!JSON.stringify(payload).includes(phone.slice(1)));
    assert.deepEqual(
      [payload.pii_principal_id, payload.iat, (payload.purposes as { purpose: string }[])[0]!.purpose],
      [body.phone, app.clock.now().getTime() / 1_000, 'SUPPORT'],
    );
    assert.equal((payload.privacy_notice as { text: string }).text, consentText);
    assert.match(body.phone, new RegExp(`^\\+33•+${phone.slice(-2)}$`));
    const [head, claims, signature] = body.receipt.split('.');
    const forged = Buffer.from(claims, 'base64url').toString().replace('SUPPORT', 'MARKETING');
    const altered = [head, Buffer.from(forged).toString('base64url'), signature].join('.');
    await assert.rejects(jwtVerify(altered, createLocalJWKSet(keys), { currentDate: app.clock.now() }));
  });

  test('that repeats one records nothing new, is counted, and tells no date but its own', async () => {
    const link = await app.link();
    const phone = newPhone();
    const first = await app.submit(link.path, { phone });
    const firstAt = app.clock.now();
    app.clock.advance(3_600_000);
    const second = await app.submit(link.path, { phone, name: 'Somebody else' });
    const { contact, consents } = await app.consents(phone);
    assert.deepEqual([consents.length, contact.displayName], [1, null]);
    assert.deepEqual(Object.keys(second.body), Object.keys(first.body));
    const told = Buffer.from(second.body.receipt.split('.')[1], 'base64url').toString() + second.text;
    for (const old of [
      firstAt.toISOString(),
      String(firstAt.getTime() / 1_000),
      consents[0].sid,
      contact.sid,
    ])
      assert.ok(!told.includes(old), old);
    const [row] = (await app.get(`${app.at}/opt-in-links`)).body.data;
    assert.deepEqual([row.submissions, row.lastSubmittedAt], [2, app.clock.now().toISOString()]);
    // Other words are another consent.
    await app.submit((await app.link()).path, { phone });
    assert.equal((await app.consents(phone)).consents.length, 2);
  });

  test('leaves a known contact as it is, and answers the same whether a person is known, opted out or new', async () => {
    const link = await app.link();
    const [known, optedOut] = [newPhone(), newPhone()];
    const people = peopleOf(app);
    const contactOf = (value: string) =>
      people.contact({ identifiers: [{ identifierType: 'phone_e164', value }], displayName: 'Ada' });
    await contactOf(known);
    await people.consent((await contactOf(optedOut)).sid, { status: 'OPTED_OUT' });
    const shapes = new Set<string>();
    for (const phone of [known, optedOut, newPhone()]) {
      const { status, body, headers } = await app.submit(link.path, { phone, name: 'Mallory' });
      const { receipt, phone: masked, confirmation, ...rest } = body;
      const ratelimit = ['ratelimit', 'x-request-id'];
      const names = [...headers.keys()].filter((name) => !ratelimit.includes(name));
      const code = confirmation?.text.replace(/\w{8}$/, '');
      shapes.add(JSON.stringify([status, names, rest, receipt.length, masked.length, code]));
    }
    assert.equal(shapes.size, 1, [...shapes].join('\n'));
    assert.equal((await app.consents(known)).contact.displayName, 'Ada');
  });

  test('fifty times at once makes one contact and one record, and no server error', async () => {
    const link = await app.link();
    const phone = newPhone();
    const replies = await Promise.all(Array.from({ length: 50 }, () => app.submit(link.path, { phone })));
    const statuses = Map.groupBy(replies, ({ status }) => status);
    assert.deepEqual([statuses.get(200)?.length, statuses.get(429)?.length], [3, 47]);
    assert.equal(await app.count(`contact_identifiers where value = '${phone}'`), 1);
    assert.equal((await app.consents(phone)).consents.length, 1);
  });
});

suite('what is not accepted', () => {
  test('names the field and records nothing', async () => {
    const { path } = await app.link();
    const phone = newPhone();
    const before = await app.count('contacts');
    const bad: [object, string[]][] = [
      [{ phone, agreed: false }, ['agreed']],
      [{ phone, agreed: 'yes' }, ['agreed']],
      [{ phone: 'call me' }, ['phone']],
      [{ phone: '+33 1' }, ['phone']],
      [{ phone: '+999 555 0100' }, ['phone']],
      [{ phone: '' }, ['phone']],
      [{ phone: '1'.repeat(33) }, ['phone']],
      [{ phone, name: 'a\u0000b' }, ['name']],
      [{ phone, name: 'a\u001bb' }, ['name']],
      [{ phone, name: 'x'.repeat(201) }, ['name']],
      [{ phone, label: 'x' }, ['label']],
      [{ phone: 'x', agreed: false }, ['phone', 'agreed']],
    ];
    for (const [body, paths] of bad) {
      const reply = await app.submit(path, body);
      const told = reply.body.error.details.map((detail: { path: string }) => detail.path);
      assert.deepEqual([reply.status, told], [400, paths], JSON.stringify(body));
    }
    const large = await app.submit(path, { phone, name: 'x'.repeat(16 * 1024) });
    assert.deepEqual([large.status, large.body.error.details[0].path], [400, 'body']);
    assert.equal(await app.count('contacts'), before);
    assert.equal((await app.submit(path, { phone, name: ` ${'é'.repeat(200)}` })).status, 400);
    assert.equal((await app.submit(path, { phone, name: 'é'.repeat(200) })).status, 200);
    assert.equal((await app.consents(phone)).contact.displayName, 'é'.repeat(128));
  });

  test('an address may submit 5 forms in 10 minutes, then with a proof of work each, and 60 in an hour', async () => {
    const { path } = await app.link();
    const from = { 'x-forwarded-for': newAddress() };
    const once = (headers: object = {}) => app.submit(path, { phone: newPhone() }, { ...from, ...headers });
    for (let i = 0; i < 5; i += 1) assert.equal((await once()).status, 200);
    const refused = await once();
    assert.deepEqual([refused.status, refused.body.error.code], [401, 'CAPTCHA_REQUIRED']);
    const wrong = await once({ 'x-challenge-solution': 'bm9uc2Vuc2U=' });
    assert.deepEqual([wrong.status, wrong.body.error.code], [401, 'CAPTCHA_INVALID']);
    const solved = { 'x-challenge-solution': await solve(app) };
    assert.equal((await once(solved)).status, 200);
    assert.equal((await once(solved)).body.error.code, 'CAPTCHA_INVALID');
    assert.equal((await app.submit(path, { phone: newPhone() })).status, 200);
    app.clock.advance(600_000);
    assert.equal((await once()).status, 200);
    for (let i = 10; i < 60; i += 1) await once();
    assertLimitReached(await once(), { name: 'opt-in-address', policy: 'q=60;w=3600', seconds: 3_000 });
    const metrics = await app.get('/metrics', { authorization: undefined });
    for (const outcome of ['accepted', 'CAPTCHA_REQUIRED', 'CAPTCHA_INVALID', 'RATE_LIMITED'])
      assert.match(metrics.text, new RegExp(`godwit_opt_in_submissions_total{outcome="${outcome}"} \\d`));
    app.clock.advance(3_000_000);
    assert.equal((await once()).status, 200);
  });

  test('a person is submitted 3 times a day on whichever links, and a link 1,000 times an hour', async () => {
    const links = [await app.link(), await app.link()];
    const phone = newPhone();
    for (let i = 0; i < 3; i += 1)
      assert.equal((await app.submit(links[i % 2]!.path, { phone })).status, 200);
    const limit = { name: 'opt-in-phone', policy: 'q=3;w=86400', seconds: 86_400 };
    assertLimitReached(await app.submit(links[0]!.path, { phone }), limit);
    app.clock.advance(86_400_000);
    assert.equal((await app.submit(links[0]!.path, { phone })).status, 200);
    await app.sql('update opt_in_links set hour_submissions = 999 where sid = $1', [links[0]!.sid]);
    assert.equal((await app.submit(links[0]!.path, { phone: newPhone() })).status, 200);
    const full = await app.submit(links[0]!.path, { phone: newPhone() });
    assertLimitReached(full, { name: 'opt-in-link', policy: 'q=1000;w=3600', seconds: 3_600 });
    assert.equal((await app.submit(links[1]!.path, { phone: newPhone() })).status, 200);
    app.clock.advance(3_600_000);
    assert.equal((await app.submit(links[0]!.path, { phone: newPhone() })).status, 200);
  });
});

test('counts that ran out and submissions of the month before are swept away, and nothing else', async () => {
  const { path } = await app.link();
  await app.submit(path, { phone: newPhone() });
  const sweep = () =>
    sweepOptIns.run({
      database: app.database,
      now: () => app.clock.now(),
      signal: new AbortController().signal,
    } as never);
  const counts = async () => [await app.count('opt_in_counters'), await app.count('opt_in_submissions')];
  app.clock.advance(3_601_000);
  await app.submit(path, { phone: newPhone() });
  const [, submissions] = await counts();
  await sweep();
  assert.deepEqual(await counts(), [2, submissions]);
  app.clock.advance(30 * 86_400_000 - 60_000);
  await sweep();
  assert.deepEqual(await counts(), [0, 1]);
});
