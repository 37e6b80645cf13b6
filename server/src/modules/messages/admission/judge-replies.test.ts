import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { auditedAs } from '../../../../test/harness/audit.ts';
import { type Desk, deskOf } from '../../../../test/harness/inboxes.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { lockRows } from '../../../../test/harness/locks.ts';
import { type Person, person } from '../../../../test/harness/people.ts';
import { newPhone } from '../../contacts/fixtures.ts';
import { fixtures as conversations } from '../../conversations/fixtures.ts';
import { insertSender } from '../../senders/fixtures.ts';

let app: TestApp;
let desk: Desk;
let inbox: string;
let sender: string;
let ann: Person;
let bob: Person;
let boss: Person;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  desk = deskOf(app);
  [inbox, sender] = [await desk.inbox(), await desk.sender()];
  await desk.route(inbox, sender);
  [ann, bob] = [await desk.agent([inbox]), await desk.agent([inbox])];
  boss = await person(app, { factor: 'none' });
});

const hello = { type: 'text', text: { body: 'We are on it' } };
const opened = async () => (await desk.hears(sender)).sid as string;
type Caller = { headers: object };

/**
 * What sending answers, and that preflight agrees: with the same verdict inside an answer, or by the same refusal where
 * the caller may not even ask.
 */
async function reply(who: Caller, body: object): Promise<[number, string | null]> {
  const asked = await app.post(`${app.at}/messages/preflight`, { ...hello, ...body }, who.headers);
  const sent = await app.post(`${app.at}/messages`, { ...hello, ...body }, who.headers);
  const code = sent.body.error?.code ?? null;
  const foreseen = asked.status === 200 ? (asked.body.error?.code ?? null) : asked.body.error.code;
  assert.equal(foreseen, code, `preflight said ${asked.text}, sending ${sent.text}`);
  if (asked.status === 200) {
    assert.equal(asked.body.accepted, sent.status === 201);
    assert.deepEqual(asked.body.error?.details ?? [], sent.body.error?.details ?? []);
  } else {
    assert.deepEqual([asked.status, asked.body.error.details], [sent.status, sent.body.error.details]);
  }
  return [sent.status, code];
}
const sentIn = (sid: string) =>
  app.count(`messages where direction = 'outbound' and conversation_sid = '${sid}'`);
const paths = ({ body }: Reply) => body.error.details.map(({ path }: { path: string }) => path);
const send = (who: Caller, body: object) =>
  app.post(`${app.at}/messages`, { ...hello, ...body }, who.headers);

suite('a person with messages:send in one inbox', () => {
  test('replies in a conversation of it with a claim of theirs, by its sender', async () => {
    const sid = await opened();
    const composerClaimToken = await desk.token(sid, ann);
    assert.deepEqual(await reply(ann, { conversationSid: sid, composerClaimToken }), [201, null]);
    assert.deepEqual(await reply(ann, { conversationSid: sid, composerClaimToken, from: sender }), [
      201,
      null,
    ]);
    const { body } = await app.get(
      `${app.at}/messages?conversationSid=${sid}&direction=outbound`,
      ann.headers,
    );
    assert.deepEqual(
      body.data.map(({ from, conversationSid }: Record<string, string>) => [from, conversationSid]),
      [
        [sender, sid],
        [sender, sid],
      ],
    );
    const [{ created_by: by }] = (await app.sql(
      'select created_by from messages where conversation_sid = $1 and direction = $2 limit 1',
      [sid, 'outbound'],
    )) as [{ created_by: string }];
    assert.equal(by, `user:${ann.userSid}`);
  });

  test('is refused without a claim, with one that ran out, and with a made-up one', async () => {
    const conversationSid = await opened();
    const required = [409, 'COMPOSER_CLAIM_REQUIRED'];
    assert.deepEqual(await reply(ann, { conversationSid }), required);
    assert.deepEqual(await reply(ann, { conversationSid, composerClaimToken: randomUUID() }), required);
    const composerClaimToken = await desk.token(conversationSid, ann);
    assert.deepEqual(await reply(ann, { conversationSid }), required);
    assert.deepEqual(await reply(ann, { conversationSid, composerClaimToken: randomUUID() }), required);
    app.clock.advance(60_000);
    assert.deepEqual(await reply(ann, { conversationSid, composerClaimToken }), required);
    assert.equal(await sentIn(conversationSid), 0);
  });

  test("is refused while somebody else writes, also with that one's token", async () => {
    const conversationSid = await opened();
    const composerClaimToken = await desk.token(conversationSid, bob);
    const conflict = [409, 'COMPOSER_CLAIM_CONFLICT'];
    assert.deepEqual(await reply(ann, { conversationSid }), conflict);
    assert.deepEqual(await reply(ann, { conversationSid, composerClaimToken: randomUUID() }), conflict);
    assert.deepEqual(await reply(ann, { conversationSid, composerClaimToken }), conflict);
    assert.equal(await sentIn(conversationSid), 0);
  });

  test('finds no conversation of another inbox, of none, of another account, and none that never was', async () => {
    const [other, loose] = [
      await insertSender(app, { accountSid: app.accountSid, livemode: false }),
      await insertSender(app, { accountSid: app.accountSid, livemode: false }),
    ];
    const otherInbox = await desk.inbox();
    await desk.route(otherInbox, other);
    const elsewhere = (await desk.hears(other)).sid;
    const composerClaimToken = await desk.token(elsewhere, await desk.agent([otherInbox]));
    const stranger = await app.newAccount();
    const owner = { accountSid: stranger.accountSid, livemode: false, key: stranger.sandboxKey };
    const foreign = await conversations.conversationSid!({ app, owner });
    const nobodys = await send(ann, { conversationSid: `CO${'0'.repeat(26)}`, composerClaimToken });
    for (const conversationSid of [elsewhere, (await desk.hears(loose)).sid, foreign]) {
      assert.deepEqual(await reply(ann, { conversationSid, composerClaimToken }), [404, 'NOT_FOUND']);
      const refused = await send(ann, { conversationSid, composerClaimToken });
      assert.deepEqual({ ...refused.body.error, requestId: '' }, { ...nobodys.body.error, requestId: '' });
    }
    assert.deepEqual(await reply(boss, { conversationSid: foreign }), [404, 'NOT_FOUND']);
  });

  test('is nobody here once membership or the role ends', async () => {
    const conversationSid = await opened();
    const [left, unbound] = [await desk.agent([inbox]), await desk.agent([inbox])];
    const composerClaimToken = await desk.token(conversationSid, left);
    await app.delete(`${app.at}/inboxes/${inbox}/members/${left.userSid}`);
    assert.deepEqual(await reply(left, { conversationSid, composerClaimToken }), [404, 'NOT_FOUND']);
    await app.sql('update role_bindings set revoked_at = $1 where principal_ref = $2', [
      app.clock.now(),
      unbound.userSid,
    ]);
    assert.deepEqual(await reply(unbound, { conversationSid, composerClaimToken }), [
      403,
      'AUTHORIZATION_ERROR',
    ]);
  });

  test('with a lesser role in that inbox and messages:send in another is refused', async () => {
    const conversationSid = await opened();
    const them = await desk.agent([await desk.inbox()]);
    await desk.bind(inbox, them.userSid, 'VIEWER');
    await desk.join(inbox, them.userSid);
    const composerClaimToken = randomUUID();
    assert.deepEqual(await reply(them, { conversationSid, composerClaimToken }), [404, 'NOT_FOUND']);
  });

  test('may not choose another sender', async () => {
    const conversationSid = await opened();
    const composerClaimToken = await desk.token(conversationSid, ann);
    const from = await insertSender(app, { accountSid: app.accountSid, livemode: false });
    assert.deepEqual(await reply(ann, { conversationSid, composerClaimToken, from }), [
      400,
      'VALIDATION_ERROR',
    ]);
    assert.equal(await sentIn(conversationSid), 0);
  });

  test('may use no pool, override nobody, and write to nobody else', async () => {
    const conversationSid = await opened();
    const composerClaimToken = await desk.token(conversationSid, ann);
    const pool = await app.post(`${app.at}/sender-pools`, { name: 'Shops' });
    const more: [object, string][] = [
      [{ conversationSid, composerClaimToken, senderPoolSid: pool.body.sid }, 'senderPoolSid'],
      [{ conversationSid, composerClaimToken, composerOverrideReason: 'Mine' }, 'composerOverrideReason'],
      [{ to: newPhone() }, 'conversationSid'],
      [{ contactSid: (await desk.conversation(conversationSid)).contactSid }, 'conversationSid'],
    ];
    for (const [body, path] of more) {
      assert.deepEqual(await reply(ann, body), [403, 'AUTHORIZATION_ERROR']);
      assert.deepEqual(paths(await send(ann, body)), [path]);
    }
    const batch = { messages: [{ ...hello, conversationSid, composerClaimToken }] };
    const whole = await app.post(`${app.at}/messages/batch`, batch, ann.headers);
    assert.deepEqual([whole.status, whole.body.error.code], [403, 'AUTHORIZATION_ERROR']);
    assert.equal(await sentIn(conversationSid), 0);
  });

  test('is a person: a key bound to the inbox may not', async () => {
    const conversationSid = await opened();
    const key = await app.key(['contacts:read']);
    await app.sql(
      `insert into role_bindings (id, organization_id, account_sid, inbox_sid, principal_type, principal_ref, role,
         scope_kind, environment, created_by, created_at)
       select $1, organization_id, sid, $3, 'API_KEY', $4, 'AGENT', 'INBOX', 'sandbox', 'system:test', $5
         from accounts where sid = $2`,
      [randomUUID(), app.accountSid, inbox, key.id, app.clock.now()],
    );
    const desktop = { headers: bearer(key.key) };
    const composerClaimToken = await desk.token(conversationSid, desktop);
    const end = await reply(desktop, { conversationSid, composerClaimToken });
    assert.deepEqual(end, [403, 'AUTHORIZATION_ERROR']);
  });

  test('has the stored answer of their key for themselves', async () => {
    const conversationSid = await opened();
    const composerClaimToken = await desk.token(conversationSid, ann);
    const body = { ...hello, conversationSid, composerClaimToken };
    const key = { 'idempotency-key': randomUUID() };
    const first = await app.post(`${app.at}/messages`, body, { ...ann.headers, ...key });
    const again = await app.post(`${app.at}/messages`, body, { ...ann.headers, ...key });
    assert.deepEqual([again.status, again.body], [201, first.body]);
    const other = await app.post(`${app.at}/messages`, body, { ...bob.headers, ...key });
    assert.deepEqual([other.status, other.body.error.code], [409, 'COMPOSER_CLAIM_CONFLICT']);
    assert.equal(await sentIn(conversationSid), 1);
  });
});

suite('whoever holds messages:send on the account', () => {
  test('replies without a claim where nobody is writing', async () => {
    const conversationSid = await opened();
    assert.deepEqual(await reply(boss, { conversationSid }), [201, null]);
    const { key } = await app.key(['messages:send']);
    assert.deepEqual(await reply({ headers: bearer(key) }, { conversationSid }), [201, null]);
  });

  test('waits for whoever is writing, unless there is a reason, which is written down', async () => {
    const conversationSid = await opened();
    await desk.token(conversationSid, ann);
    const { key, id } = await app.key(['messages:send']);
    for (const who of [boss, { headers: bearer(key) }]) {
      const end = await reply(who, { conversationSid });
      assert.deepEqual(end, [409, 'COMPOSER_CLAIM_CONFLICT']);
    }
    const composerOverrideReason = 'The customer waits for an ambulance';
    const sent = await send({ headers: bearer(key) }, { conversationSid, composerOverrideReason });
    assert.equal(sent.status, 201, sent.text);
    assert.deepEqual(await reply(boss, { conversationSid, composerOverrideReason }), [201, null]);
    const entries = await auditedAs(app, 'composer_claim.overridden', { resource: conversationSid });
    assert.deepEqual(
      entries.map(({ actor }) => actor),
      [`api_key:${id}`, `user:${boss.userSid}`],
    );
    assert.deepEqual(entries[0]!.facts, {
      heldBy: `user:${ann.userSid}`,
      reason: composerOverrideReason,
      messageSid: sent.body.sid,
    });
  });

  test('has an override written down only where one was needed', async () => {
    const conversationSid = await opened();
    const composerOverrideReason = 'Just in case';
    assert.deepEqual(await reply(boss, { conversationSid, composerOverrideReason }), [201, null]);
    await desk.token(conversationSid, boss);
    assert.deepEqual(await reply(boss, { conversationSid, composerOverrideReason }), [201, null]);
    assert.deepEqual(await reply(boss, { conversationSid }), [201, null]);
    assert.equal(await app.count(`audit_entries where resource = '${conversationSid}'`), 0);
  });

  test('who counts on a claim that ran out is told so', async () => {
    const conversationSid = await opened();
    const composerClaimToken = await desk.token(conversationSid, boss);
    assert.deepEqual(await reply(boss, { conversationSid, composerClaimToken }), [201, null]);
    app.clock.advance(60_000);
    const end = await reply(boss, { conversationSid, composerClaimToken });
    assert.deepEqual(end, [409, 'COMPOSER_CLAIM_REQUIRED']);
  });

  test('may let a pool choose who speaks', async () => {
    const conversationSid = await opened();
    const pool = await app.post(`${app.at}/sender-pools`, {
      name: 'Shops',
      members: [{ senderSid: sender }],
    });
    assert.equal(pool.status, 201, pool.text);
    const senderPoolSid = pool.body.sid;
    assert.deepEqual(await reply(boss, { conversationSid, senderPoolSid }), [201, null]);
    const unknown = `SP${'0'.repeat(26)}`;
    assert.deepEqual(await reply(boss, { conversationSid, senderPoolSid: unknown }), [404, 'NOT_FOUND']);
  });
});

suite('a reply that is being sent', () => {
  test('keeps its claim from everybody else until it is stored, even if it runs out meanwhile', async () => {
    const conversationSid = await opened();
    const composerClaimToken = await desk.token(conversationSid, ann);
    // Holds up the sending after it was judged: it waits for the wallet.
    const blocker = await lockRows(app, `wallets where account_sid = '${app.accountSid}' and not livemode`);
    const sending = send(ann, { conversationSid, composerClaimToken });
    await blocker.waitersAre(1);
    app.clock.advance(60_000);
    const claiming = desk.claim(conversationSid, bob);
    await blocker.waitersAre(2);
    await blocker.release();
    assert.equal((await sending).status, 201);
    const claimed = await claiming;
    assert.equal(claimed.status, 201);
    // Whoever has the claim now sees the reply.
    assert.equal((await desk.conversation(conversationSid, bob.headers)).version, 2);
  });

  test('is one of two, where two agents race for one claim', async () => {
    const conversationSid = await opened();
    const ends = await Promise.all(
      [ann, bob].map(async (who) => {
        const claimed = await desk.claim(conversationSid, who);
        const { composerClaimToken = randomUUID() } = claimed.body;
        return send(who, { conversationSid, composerClaimToken });
      }),
    );
    assert.deepEqual(ends.map(({ status }) => status).sort(), [201, 409]);
    assert.equal(await sentIn(conversationSid), 1);
  });

  test('goes with others of other people in one batch, each by its own right', async () => {
    const [mine, theirs] = [await opened(), await opened()];
    const [own, other] = [await desk.token(mine, ann), await desk.token(theirs, bob)];
    const ends = await Promise.all([
      send(ann, { conversationSid: mine, composerClaimToken: own }),
      send(bob, { conversationSid: mine, composerClaimToken: own }),
      send(bob, { conversationSid: theirs, composerClaimToken: other }),
      send(ann, { conversationSid: theirs, composerClaimToken: other }),
      send(ann, { to: newPhone() }),
      send(boss, { conversationSid: mine }),
      send(boss, { conversationSid: theirs, composerOverrideReason: 'In a hurry' }),
    ]);
    assert.deepEqual(
      ends.map(({ status }) => status),
      [201, 409, 201, 409, 403, 409, 201],
    );
  });
});
