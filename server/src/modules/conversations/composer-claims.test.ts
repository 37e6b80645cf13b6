import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { auditedAs } from '../../../test/harness/audit.ts';
import { type Desk, deskOf } from '../../../test/harness/inboxes.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { type Person, person } from '../../../test/harness/people.ts';

let app: TestApp;
let desk: Desk;
let inbox: string;
let sender: string;
let ann: Person;
let bob: Person;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  desk = deskOf(app);
  [inbox, sender] = [await desk.inbox(), await desk.sender()];
  await desk.route(inbox, sender);
  [ann, bob] = [await desk.agent([inbox]), await desk.agent([inbox])];
});

const code = ({ status, body }: Reply) => [status, body?.error?.code ?? null];
const conflict = [409, 'COMPOSER_CLAIM_CONFLICT'];
const opened = async () => (await desk.hears(sender)).sid as string;
const at = (sid: string) => `${app.at}/conversations/${sid}/composer-claim`;
const renew = (sid: string, { headers }: { headers: object }, composerClaimToken: string) =>
  app.put(at(sid), { composerClaimToken }, headers);
const release = (sid: string, { headers }: { headers: object }, composerClaimToken: string) =>
  app.send('DELETE', at(sid), { body: { composerClaimToken }, headers });

suite('a composer claim', () => {
  test('is held by one person for 60 seconds, and seen by the others', async () => {
    const sid = await opened();
    const made = await desk.claim(sid, ann);
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.heldBy, `user:${ann.userSid}`);
    assert.deepEqual(code(await desk.claim(sid, bob)), conflict);
    const seen = await desk.conversation(sid, bob.headers);
    assert.deepEqual([seen.composerHeldBy, seen.composerHeldUntil], [made.body.heldBy, made.body.expiresAt]);
    app.clock.advance(59_999);
    assert.deepEqual(code(await desk.claim(sid, bob)), conflict);
    app.clock.advance(1);
    assert.equal((await desk.conversation(sid)).composerHeldBy, null);
    assert.equal((await desk.claim(sid, bob)).status, 201);
    assert.deepEqual(code(await renew(sid, ann, made.body.composerClaimToken)), conflict);
  });

  test('is had by one of many who ask at once', async () => {
    const sid = await opened();
    const people = [ann, bob, await desk.agent([inbox]), await desk.agent([inbox])];
    const replies = await Promise.all(people.map((them) => desk.claim(sid, them)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409, 409]);
    app.clock.advance(60_000);
    const later = await Promise.all(people.map((them) => desk.claim(sid, them)));
    assert.deepEqual(later.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  });

  test('lasts as long as its holder renews it, and is not raised from the dead', async () => {
    const sid = await opened();
    const token = await desk.token(sid, ann);
    for (let minute = 0; minute < 3; minute += 1) {
      app.clock.advance(50_000);
      const renewed = await renew(sid, ann, token);
      assert.deepEqual([renewed.status, renewed.body.composerClaimToken], [200, null]);
    }
    assert.deepEqual(code(await desk.claim(sid, bob)), conflict);
    assert.deepEqual(code(await renew(sid, ann, randomUUID())), conflict);
    assert.deepEqual(code(await renew(sid, bob, token)), conflict, 'a token serves its maker only');
    app.clock.advance(60_000);
    assert.deepEqual(code(await renew(sid, ann, token)), [409, 'COMPOSER_CLAIM_REQUIRED']);
  });

  test('is given back by its holder, and by nobody else', async () => {
    const sid = await opened();
    const token = await desk.token(sid, ann);
    assert.equal((await release(sid, bob, token)).status, 204);
    assert.equal((await release(sid, ann, randomUUID())).status, 204);
    assert.deepEqual(code(await desk.claim(sid, bob)), conflict);
    assert.equal((await release(sid, ann, token)).status, 204);
    assert.equal((await release(sid, ann, token)).status, 204);
    assert.equal((await desk.claim(sid, bob)).status, 201);
  });

  test('made again by the same person has a new token, and the old one is void', async () => {
    const sid = await opened();
    const [first, second] = [await desk.token(sid, ann), await desk.token(sid, ann)];
    assert.notEqual(first, second);
    assert.deepEqual(code(await renew(sid, ann, first)), conflict);
    assert.equal((await renew(sid, ann, second)).status, 200);
  });

  test("of a key is not another's who uses the same key", async () => {
    const sid = await opened();
    const { key } = await app.key(['messages:send']);
    const desktop = { headers: bearer(key) };
    const token = await desk.token(sid, desktop);
    assert.deepEqual(code(await desk.claim(sid, desktop)), conflict);
    assert.equal((await renew(sid, desktop, token)).status, 200);
  });

  test('is taken over with a reason by whoever may on the account, and written down', async () => {
    const sid = await opened();
    const token = await desk.token(sid, ann);
    const reason = { composerOverrideReason: 'Ann went home' };
    assert.deepEqual(code(await desk.claim(sid, bob, reason)), [403, 'AUTHORIZATION_ERROR']);
    const boss = await person(app, { factor: 'none' });
    assert.deepEqual(code(await desk.claim(sid, boss)), conflict);
    assert.deepEqual(code(await desk.claim(sid, boss, { composerOverrideReason: '' })), [
      400,
      'VALIDATION_ERROR',
    ]);
    assert.equal((await desk.claim(sid, boss, reason)).status, 201);
    assert.deepEqual(code(await renew(sid, ann, token)), conflict);
    const [entry] = await auditedAs(app, 'composer_claim.overridden', { resource: sid });
    assert.equal(entry!.actor, `user:${boss.userSid}`);
    assert.deepEqual(entry!.facts, { heldBy: `user:${ann.userSid}`, reason: 'Ann went home' });
  });

  test('is for those who reach the inbox', async () => {
    const sid = await opened();
    const elsewhere = await desk.agent([await desk.inbox()]);
    assert.deepEqual(code(await desk.claim(sid, elsewhere)), [404, 'NOT_FOUND']);
    const viewer = await desk.agent([inbox], 'VIEWER');
    assert.deepEqual(code(await desk.claim(sid, viewer)), [403, 'AUTHORIZATION_ERROR']);
    const leaving = await desk.agent([inbox]);
    const token = await desk.token(sid, leaving);
    await app.delete(`${app.at}/inboxes/${inbox}/members/${leaving.userSid}`);
    assert.deepEqual(code(await renew(sid, leaving, token)), [404, 'NOT_FOUND']);
  });

  test('keeps its token out of the database', async () => {
    const sid = await opened();
    const token = await desk.token(sid, ann);
    const [row] = await app.sql('select * from composer_claims where conversation_sid = $1', [sid]);
    assert.ok(!JSON.stringify(row).includes(token));
    const stored = await app.sql('select * from idempotency_keys');
    assert.ok(!stored.some((one) => Buffer.from(JSON.stringify(one)).includes(token)));
  });
});
