import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { before, suite, test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { leaveOnly } from '../../../test/harness/billing.ts';
import { peopleOf } from '../../../test/harness/contacts.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { insertReadyMedia } from '../media/fixtures.ts';

let app: TestApp;
let senderSid: string;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  senderSid = (await app.get(`${app.at}/senders`)).body.data[0].sid;
});

let people = 0;
const newPhone = () => {
  people += 1;
  return `+3361${String(people).padStart(7, '0')}`;
};
const hello = (more: object = {}) => ({
  from: senderSid,
  to: newPhone(),
  type: 'template',
  template: { name: 'hello_world', language: 'en' },
  ...more,
});
const offer = (more: object = {}) =>
  hello({
    template: {
      name: 'spring_offer',
      language: 'en',
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'Ines' },
            { type: 'text', text: '20%' },
          ],
        },
      ],
    },
    ...more,
  });
const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) });
const post = (body: object, headers: object = {}) => app.post(`${app.at}/messages`, body, headers);
const preflight = (body: object) => app.post(`${app.at}/messages/preflight`, body);
const outcome = ({ status, body }: Reply) => [status, body?.error?.code ?? null];
const wallet = async () => (await app.get(`${app.at}/billing/wallets`)).body.data[0];
const sent = async (body: object) => {
  const reply = await post(body);
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
};

suite('a message that is sent', () => {
  test('is stored, priced, announced and told back as it was stored', async () => {
    const before = await wallet();
    const reply = await post(hello({ metadata: { order: '77' }, tags: ['a', 'b', 'a'], priority: 'P0' }));
    assert.equal(reply.status, 201, reply.text);
    const { body } = reply;
    assert.equal(reply.headers.get('location'), `${app.at}/messages/${body.sid}`);
    assert.deepEqual(
      [body.status, body.direction, body.category, body.tags, body.metadata, body.priority],
      ['queued', 'outbound', 'utility', ['a', 'b'], { order: '77' }, 'P0'],
    );
    assert.deepEqual((await app.get(`${app.at}/messages/${body.sid}`)).body, body);
    const [event] = await app.sql<{ type: string; data: object }>(
      'select type, data from events where resource_sid = $1',
      [body.sid],
    );
    assert.deepEqual(event, { type: 'message.queued', data: body });
    const after = await wallet();
    const held = BigInt(after.held.amountMinor) - BigInt(before.held.amountMinor);
    assert.equal(held.toString(), body.price.estimate.amountMinor);
    assert.ok(held > 0n);
    const timeline = await app.get(`${app.at}/messages/${body.sid}/timeline`);
    assert.deepEqual(
      timeline.body.entries.map(({ kind, status }: { kind: string; status: string }) => [kind, status]),
      [
        ['status', 'queued'],
        ['money', 'held'],
      ],
    );
  });

  test('with a file is found by whoever removes the file', async () => {
    const { contactSid } = (await sent(hello())).to;
    await peopleOf(app).inbound(senderSid, contactSid);
    const sid = await insertReadyMedia(app, app);
    const image = {
      type: 'image',
      media: { sid },
      to: undefined,
      template: undefined,
      contactSid,
    };
    const message = await sent(hello(image));
    const [use] = await app.sql(
      'select message_sid, contact_sid, sender_sid from media_uses where media_sid = $1',
      [sid],
    );
    assert.deepEqual(use, { message_sid: message.sid, contact_sid: contactSid, sender_sid: senderSid });
  });

  test('makes a stranger a contact, once', async () => {
    const to = newPhone();
    const [first, second] = [await sent(hello({ to })), await sent(hello({ to }))];
    assert.equal(first.to.contactSid, second.to.contactSid);
    const found = await app.get(`${app.at}/contacts?identifier=${encodeURIComponent(to)}`);
    assert.deepEqual(
      found.body.data.map(({ sid }: { sid: string }) => sid),
      [first.to.contactSid],
    );
  });

  test('by marketing messages has the time to live that was asked for, and expires by it', async () => {
    const to = newPhone();
    const { contactSid } = (await sent(hello({ to }))).to;
    const consent = await app.post(`${app.at}/contacts/${contactSid}/consents`, {
      purpose: 'MARKETING',
      source: 'FORM',
      status: 'OPTED_IN',
    });
    assert.equal(consent.status, 201, consent.text);
    const ask = { transport: 'marketing_messages', transportOptions: { ttlSeconds: 43_200 } };
    const lives = ({ createdAt, expiresAt }: { createdAt: string; expiresAt: string }) =>
      (Date.parse(expiresAt) - Date.parse(createdAt)) / 1000;
    const message = await sent(offer({ to, ...ask }));
    assert.deepEqual([message.transportOptions, lives(message)], [ask.transportOptions, 43_200]);
    assert.equal(lives(await sent(offer({ to, ...ask, validityPeriodSeconds: 60 }))), 60);
    assert.equal(lives(await sent(offer({ to, ...ask, validityPeriodSeconds: 90_000 }))), 43_200);
    assert.equal((await sent(offer({ to, transport: 'marketing_messages' }))).transportOptions, null);

    await app.sql(
      `update templates set message_send_ttl_seconds = 86400 where account_sid = $1 and name = 'spring_offer'`,
      [app.accountSid],
    );
    const refused = await post(offer({ to, ...ask }));
    assert.deepEqual(outcome(refused), [400, 'VALIDATION_ERROR']);
    const issue = 'must be 86400, as the template tells the provider';
    assert.deepEqual(refused.body.error.details, [{ path: 'transportOptions.ttlSeconds', issue }]);
    const [check] = (await preflight(offer({ to, ...ask }))).body.checks.filter(
      ({ outcome: told }: { outcome: string }) => told === 'fail',
    );
    assert.deepEqual([check.gate, check.code], ['category', 'VALIDATION_ERROR']);
    const fitting = await sent(offer({ to, ...ask, transportOptions: { ttlSeconds: 86_400 } }));
    assert.equal(lives(fitting), 86_400);
  });

  test('is one message under one key, however often and however many at once ask', async () => {
    const body = hello();
    const key = { 'idempotency-key': randomUUID() };
    const replies = await Promise.all(Array.from({ length: 12 }, () => post(body, key)));
    const made = replies.filter(({ status }) => status === 201);
    assert.ok(made.length >= 1);
    assert.equal(new Set(made.map(({ body: { sid } }) => sid)).size, 1);
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      assert.deepEqual(outcome(reply), [409, 'IDEMPOTENCY_IN_PROGRESS']);
    }
    const again = await post(body, key);
    assert.deepEqual([again.status, again.body.sid], [201, made[0]!.body.sid]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(again.text, made[0]!.text, 'a replay is the same to the letter');
    assert.deepEqual(outcome(await post(hello(), key)), [409, 'IDEMPOTENCY_KEY_REUSED']);
    assert.equal(await app.count(`messages where address = '${body.to}'`), 1);
  });

  test('keeps its answer once: where it was announced', async () => {
    const reply = await post(hello(), { 'idempotency-key': randomUUID() });
    const [kept] = await app.sql<{ body: Buffer | null; data: string }>(
      `select k.body, e.data::text as data from idempotency_keys k join events e on e.sid = k.event_sid where e.data ->> 'sid' = $1`,
      [reply.body.sid],
    );
    assert.deepEqual(kept, { body: null, data: reply.text });
  });

  test('waits for its time, and ends with its validity', async () => {
    const sendAt = new Date(app.clock.now().getTime() + 60_000).toISOString();
    const body = await sent(hello({ sendAt, validityPeriodSeconds: 30 }));
    const expiresAt = new Date(Date.parse(sendAt) + 30_000).toISOString();
    assert.deepEqual([body.status, body.sendAt, body.expiresAt], ['scheduled', sendAt, expiresAt]);
  });

  test('reaches a merged contact at its survivor', async () => {
    const [kept, merged] = [await sent(hello()), await sent(hello())];
    const reply = await app.post(`${app.at}/contacts/${kept.to.contactSid}/merge`, {
      mergeContactSid: merged.to.contactSid,
      reason: 'same person',
    });
    assert.equal(reply.status, 200, reply.text);
    const { to: _, ...unaddressed } = hello();
    const body = await sent({ ...unaddressed, contactSid: merged.to.contactSid });
    assert.equal(body.to.contactSid, kept.to.contactSid);
  });

  test('reaches whoever owns a username by their number, and nobody else', async () => {
    const number = newPhone();
    await app.post(`${app.at}/contacts`, {
      identifiers: [
        { identifierType: 'phone_e164', value: number },
        { identifierType: 'username', value: 'ines.m' },
      ],
    });
    const { to: _, ...unaddressed } = hello();
    const named = (value: string) => ({
      ...unaddressed,
      recipient: { identifierType: 'username', value },
    });
    assert.equal((await sent(named('@Ines.M'))).to.value, number);
    assert.deepEqual(outcome(await post(named('nobody.here'))), [422, 'RECIPIENT_ADDRESSING_UNSUPPORTED']);
    for (const value of ['..', 'www.ines', 'ines.com', 'Ines.fr']) {
      const invalid = await post(named(value));
      assert.equal(invalid.body.error.code, 'RECIPIENT_USERNAME_INVALID', invalid.text);
    }
  });

  test('needs no sender named: the oldest of several speaks to somebody new', async () => {
    const { from: _, ...anyone } = hello();
    const reply = await post(anyone);
    const { body } = await app.get(`${app.at}/senders`);
    const oldest = body.data.map(({ sid }: { sid: string }) => sid).sort()[0];
    assert.deepEqual([reply.status, reply.body.from], [201, oldest], reply.text);
  });

  test('is built from a stored content and its variables', async () => {
    const made = await app.post(`${app.at}/contents`, {
      name: 'Greeting',
      type: 'template',
      template: {
        name: 'order_update',
        language: 'en',
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', parameterName: 'first_name', text: '{{name}}' },
              { type: 'text', parameterName: 'order', text: '{{order}}' },
            ],
          },
        ],
      },
    });
    assert.equal(made.status, 201, made.text);
    const { type: _t, template: _m, ...bare } = hello() as Record<string, unknown>;
    const body = await sent({ ...bare, contentSid: made.body.sid, variables: { name: 'Ines', order: '77' } });
    assert.equal(body.contentSid, made.body.sid);
    assert.equal(body.content.components[0].parameters[0].text, 'Ines');
    const missing = await post({ ...bare, contentSid: made.body.sid, variables: { name: 'Ines' } });
    assert.equal(missing.body.error.details[0].path, 'variables.order', missing.text);
  });
});

suite('a message that is refused', () => {
  test('leaves nothing behind, and its key may be used again', async () => {
    const body = offer();
    const key = { 'idempotency-key': randomUUID() };
    const before = [await app.count('messages'), await app.count('contacts'), await wallet()];
    const refused = await post(body, key);
    assert.deepEqual(outcome(refused), [422, 'CONSENT_REQUIRED'], refused.text);
    assert.deepEqual([await app.count('messages'), await app.count('contacts'), await wallet()], before);
    const contact = await app.post(`${app.at}/contacts`, {
      identifiers: [{ identifierType: 'phone_e164', value: body.to }],
    });
    await app.post(`${app.at}/contacts/${contact.body.sid}/consents`, {
      purpose: 'MARKETING',
      status: 'OPTED_IN',
      source: 'API',
    });
    assert.equal((await post(body, key)).status, 201);
  });

  test('does not refuse its neighbours', async () => {
    const bodies = Array.from({ length: 24 }, (_, at) =>
      at % 3 === 0
        ? offer()
        : at % 3 === 1
          ? hello({ template: { name: 'no_such', language: 'en' } })
          : hello(),
    );
    const replies = await Promise.all(bodies.map((body) => post(body)));
    assert.deepEqual(
      replies.map(({ status }) => status),
      bodies.map((_, at) => (at % 3 === 2 ? 201 : 422)),
    );
  });

  test('names what it cannot find, in this account and this environment only', async () => {
    const stranger = await app.newAccount();
    const theirs = (await app.get(`/v1/accounts/${stranger.accountSid}/senders`, bearer(stranger.sandboxKey)))
      .body.data[0].sid;
    const { to: _, ...unaddressed } = hello();
    const cases: [body: object, path: string][] = [
      [hello({ from: theirs }), 'from'],
      [{ ...unaddressed, contactSid: 'CT01J9ZK3V7T8Q2M4N6P8R0S2T4V' }, 'contactSid'],
      [{ ...unaddressed, conversationSid: 'CO01J9ZK3V7T8Q2M4N6P8R0S2T4V' }, 'conversationSid'],
      [hello({ context: { replyToMessageId: 'SM01J9ZK3V7T8Q2M4N6P8R0S2T4V' } }), 'context.replyToMessageId'],
    ];
    for (const [body, path] of cases) {
      const reply = await post(body);
      assert.deepEqual([...outcome(reply), reply.body.error.details?.[0]?.path], [404, 'NOT_FOUND', path]);
    }
    const callback = await post(hello({ statusCallbackSid: 'WH01J9ZK3V7T8Q2M4N6P8R0S2T4V' }));
    assert.equal(callback.body.error.code, 'STATUS_CALLBACK_NOT_VERIFIED');
  });
});

suite('preflight', () => {
  test('stores nothing and says what sending then does', async () => {
    const body = hello();
    const before = [await app.count('messages'), await app.count('contacts'), await wallet()];
    const { body: report } = await preflight(body);
    assert.deepEqual([await app.count('messages'), await app.count('contacts'), await wallet()], before);
    assert.deepEqual([report.accepted, report.error, report.checks.length], [true, null, 14]);
    assert.equal(report.wouldSendAt, app.clock.now().toISOString());
    const message = await sent(body);
    assert.deepEqual(report.cost.total, message.price.estimate);
    assert.equal(report.resolved.senderSid, message.from);
  });

  test('reports every gate that refuses, with the records that decided, and sending stops at the first', async () => {
    const contact = await app.post(`${app.at}/contacts`, {
      identifiers: [{ identifierType: 'phone_e164', value: newPhone() }],
    });
    const at = `${app.at}/contacts/${contact.body.sid}`;
    const suppressed = await app.post(`${at}/suppressions`, {
      reason: 'COMPLAINT',
      scope: 'ALL',
      source: 'API',
    });
    const { to: _, ...unaddressed } = offer();
    const body = { ...unaddressed, contactSid: contact.body.sid };
    const { body: report } = await preflight(body);
    const failing = report.checks.filter(({ outcome: end }: { outcome: string }) => end === 'fail');
    assert.deepEqual(
      failing.map(({ gate, code }: { gate: string; code: string }) => [gate, code]),
      [
        ['suppression', 'CONTACT_SUPPRESSED'],
        ['consent', 'CONSENT_REQUIRED'],
      ],
    );
    assert.equal(failing[0].evidence.suppressionSid, suppressed.body.sid);
    assert.equal(report.error.code, 'CONTACT_SUPPRESSED');
    assert.equal((await post(body)).body.error.code, 'CONTACT_SUPPRESSED');
  });

  test('is refused for a body that makes no sense, as sending is', async () => {
    const body = { from: senderSid, type: 'text' };
    const [asked, tried] = [await preflight(body), await post(body)];
    assert.deepEqual(asked.body.error.details, tried.body.error.details);
    assert.equal(asked.status, 400);
  });
});

suite('money', () => {
  test('is never spent twice: of many sends at once exactly those are accepted that can be paid', async () => {
    const account = await app.newAccount();
    const at = `/v1/accounts/${account.accountSid}`;
    const key = bearer(account.sandboxKey);
    const from = (await app.get(`${at}/senders`, key)).body.data[0].sid;
    const price = BigInt(
      (await app.post(`${at}/messages`, hello({ from }), key)).body.price.estimate.amountMinor,
    );
    const affordable = 7n;
    await leaveOnly(app, account.accountSid, price * affordable + price / 2n);
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => app.post(`${at}/messages`, hello({ from }), key)),
    );
    const refused = replies.filter(({ status }) => status !== 201);
    assert.equal(replies.length - refused.length, Number(affordable));
    for (const reply of refused) assert.equal(reply.body.error.code, 'INSUFFICIENT_FUNDS', reply.text);
    const [left] = await app.sql<{ balance: string }>(
      `select balance_minor as balance from ledger_accounts
        where account_sid = $1 and livemode = false and account = 'available'`,
      [account.accountSid],
    );
    assert.equal(left!.balance, (price / 2n).toString());
  });
});

suite('a batch', () => {
  const path = () => `${app.at}/messages/batch`;
  const headers = () => ({ ...bearer(app.sandboxKey), 'content-type': 'application/json' });
  const send = (body: string) =>
    fetch(`${app.url}${path()}`, {
      method: 'POST',
      body,
      headers: { ...headers(), 'idempotency-key': randomUUID() },
    });

  test('gives each body its own outcome, in order', async () => {
    const messages = [hello(), offer(), { from: senderSid, type: 'text' }, hello()];
    const { status, body } = await app.post(`${app.at}/messages/batch`, { messages });
    assert.deepEqual([status, body.accepted, body.refused], [200, 2, 2]);
    assert.deepEqual(
      body.results.map((result: { message: { sid: string } | null; error: { code: string } | null }) => [
        result.message !== null,
        result.error?.code ?? null,
      ]),
      [
        [true, null],
        [false, 'CONSENT_REQUIRED'],
        [false, 'VALIDATION_ERROR'],
        [true, null],
      ],
    );
  });

  test('judges each body by the schema on its own: what does not fit refuses nobody else', async () => {
    const wrong: [unknown, string[]][] = [
      [hello({ priority: 'P9', surprise: 1 }), ['surprise', 'priority']],
      ['hello', ['body']],
      [null, ['body']],
      [[hello()], ['body']],
      [hello({ metadata: { note: 'a\u0000b' } }), ['metadata.note']],
      [hello({ metadata: { note: '\ud800' } }), ['metadata.note']],
      [JSON.parse('{"__proto__":{"to":"x"}}'), ['__proto__']],
      [hello({ flow: { data: nested(40) } }), [`flow.data${'.a'.repeat(30)}`]],
    ];
    const messages = [hello(), ...wrong.map(([body]) => body), hello()];
    const { status, body, text } = await app.post(`${app.at}/messages/batch`, { messages });
    assert.deepEqual([status, body.accepted, body.refused], [200, 2, wrong.length], text.slice(0, 500));
    assert.deepEqual([body.results[0].error, body.results.at(-1).error], [null, null]);
    for (const [at, [, paths]] of wrong.entries()) {
      const { index, message, error } = body.results[at + 1];
      assert.deepEqual([index, message, error.code], [at + 1, null, 'VALIDATION_ERROR']);
      const named = error.details.map(({ path }: { path: string }) => path);
      assert.deepEqual(named.sort(), paths.toSorted(), JSON.stringify(error.details));
    }
    const none = await app.post(`${app.at}/messages/batch`, { messages: ['x'] });
    assert.deepEqual([none.status, none.body.accepted, none.body.refused], [200, 0, 1]);
    for (const frame of [{ messages: [] }, { messages: 'x' }, { messages: [hello()], more: 1 }, {}]) {
      assert.deepEqual(outcome(await app.post(`${app.at}/messages/batch`, frame)), [400, 'VALIDATION_ERROR']);
    }
  });

  test('may be 16 MiB large, and no more', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`m${at}`, 'x'.repeat(512)]));
    const messages = Array.from({ length: 250 }, () => hello({ metadata }));
    const large = JSON.stringify({ messages });
    assert.ok(large.length > 2 * 1024 * 1024);
    const reply = await send(large);
    const { accepted, results } = (await reply.json()) as {
      accepted: number;
      results: { message: object }[];
    };
    assert.deepEqual([reply.status, accepted], [200, 250]);
    assert.deepEqual((results[249]!.message as { metadata: object }).metadata, metadata);
    const most = 16 * 1024 * 1024;
    const refused = await send(large.padEnd(most + 1, ' '));
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /must be at most 16777216 bytes/);
    assert.equal((await send(large.slice(0, -1).padEnd(most, ' '))).status, 400, 'read whole, and no JSON');
  });

  test('that is large and hung up on gives its place back', async () => {
    const { hostname, port } = new URL(app.url);
    for (let i = 0; i < 6; i += 1) {
      const request = http.request({
        hostname,
        port,
        path: path(),
        method: 'POST',
        headers: { ...headers(), 'content-length': 8 * 1024 * 1024 },
        agent: false,
      });
      request.on('error', () => {});
      // Told to go on, it has its place.
      request.setHeader('expect', '100-continue');
      request.flushHeaders();
      await once(request, 'continue');
      request.destroy();
    }
    const metadata = { note: 'x'.repeat(512) };
    const messages = Array.from({ length: 2 }, () => hello({ metadata }));
    const large = JSON.stringify({ messages }).padEnd(2 * 1024 * 1024, ' ');
    const reply = await send(large);
    assert.equal(reply.status, 200);
  });

  test('of a thousand is stored whole, and one more is refused', async () => {
    const messages = Array.from({ length: 1000 }, () => hello());
    const { status, body } = await app.post(`${app.at}/messages/batch`, { messages });
    assert.deepEqual([status, body.accepted], [200, 1000], JSON.stringify(body).slice(0, 500));
    const more = await app.post(`${app.at}/messages/batch`, { messages: [...messages, hello()] });
    assert.deepEqual(outcome(more), [400, 'VALIDATION_ERROR']);
  });
});

suite('a cancel', () => {
  test('stops a message that waits, gives its money back, and is no mistake when repeated', async () => {
    const before = await wallet();
    const { sid } = await sent(hello());
    const canceled = await app.post(`${app.at}/messages/${sid}/cancel`);
    assert.deepEqual([canceled.status, canceled.body.status], [200, 'canceled']);
    assert.deepEqual((await wallet()).held, before.held);
    assert.equal((await app.post(`${app.at}/messages/${sid}/cancel`)).body.status, 'canceled');
    const events = await app.sql('select type from events where resource_sid = $1 order by sequence', [sid]);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['message.queued', 'message.canceled'],
    );
  });

  test('comes too late once the message was handed over', async () => {
    const { sid } = await sent(hello());
    await app.sql(`update message_states set status = 'sending', rank = 10, waiting = false where sid = $1`, [
      sid,
    ]);
    assert.deepEqual(outcome(await app.post(`${app.at}/messages/${sid}/cancel`)), [
      409,
      'MESSAGE_NOT_CANCELABLE',
    ]);
  });
});

suite('the list of messages', () => {
  test('is narrowed by each filter and walked by cursor, newest first', async () => {
    const tag = randomUUID().slice(0, 20);
    const sids: string[] = [];
    for (let i = 0; i < 5; i += 1) sids.unshift((await sent(hello({ tags: [tag] }))).sid);
    const list = async (query: string) => {
      const { status, body, text } = await app.get(`${app.at}/messages?${query}`);
      assert.equal(status, 200, text);
      return body;
    };
    const first = await list(`tag=${tag}&limit=3`);
    const second = await list(`tag=${tag}&limit=3&cursor=${first.nextCursor}`);
    const found = [...first.data, ...second.data].map(({ sid }: { sid: string }) => sid);
    assert.deepEqual([found, second.hasMore], [sids, false]);
    const { contactSid } = first.data[0].to;
    assert.equal((await list(`contactSid=${contactSid}`)).data.length, 1);
    assert.equal((await list(`tag=${tag}&direction=inbound`)).data.length, 0);
    assert.equal((await list(`tag=${tag}&status=queued&senderSid=${senderSid}`)).data.length, 5);
    assert.equal((await list(`tag=${tag}&createdBefore=2026-08-01T00:00:00Z`)).data.length, 0);
    assert.equal((await list(`conversationSid=CO01J9ZK3V7T8Q2M4N6P8R0S2T4V`)).data.length, 0);
  });
});
