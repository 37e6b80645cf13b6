import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { Type } from 'typebox';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { runCron } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { ApiError } from '../../errors/errors.ts';
import { platformCrons } from '../../jobs/sweeps.ts';
import { silentLog } from '../../observability/logging.ts';
import { systemPrincipal } from '../../principal.ts';
import { accountPath, Closed, NamedObject } from '../input/schema.ts';
import { type KeyedHash, openKeyedHash } from '../key-secret.ts';
import type { StoredAnswer } from './idempotency.ts';
import { Answer, type AnyInput, type Operation, type Outside, operation } from './operation.ts';
import { runnerOf } from './run-operation.ts';
import type { Call, Serving } from './serving.ts';

let app: TestApp;
let processId: string;
let keyedHash: KeyedHash;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  keyedHash = await openKeyedHash(app.database, app.sealer);
  processId = (await app.sql<{ id: string }>('select id from processes'))[0]!.id;
});

const Refund = NamedObject('TestRefund', {
  amount: Type.String(),
  idempotencyKey: Type.String(),
  approvalSid: Type.Optional(Type.String()),
  proof: Type.Optional(Type.Object({ stepUpToken: Type.String() })),
});

type Does = Pick<Operation, 'handler'> | Pick<Operation, 'outside'>;

const declared = (id: string, does: Does) =>
  operation({
    id,
    method: 'POST',
    path: '/v1/accounts/{accountSid}/things/{thing}',
    summary: 'Refund',
    tag: 'Test',
    access: ['billing:write'],
    idempotency: 'required',
    businessKey: { field: 'idempotencyKey', approval: 'approvalSid' },
    stepUp: { action: 'TEST', from: 'everyone', field: 'proof.stepUpToken' },
    params: Closed({ ...accountPath, thing: Type.String() }),
    body: Refund,
    responses: { 201: Refund },
    ...(does as Pick<Operation, 'handler'>),
  } as never);

/** An operation whose effects are counted, and that needs a second factor each time. */
function counted({
  id = `test-${randomUUID()}`,
  needsConsent = false,
  outside = false,
  dies = false,
}: {
  id?: string;
  needsConsent?: boolean;
  outside?: boolean;
  dies?: boolean;
} = {}) {
  const counts = { effects: 0, factors: 0 };
  const act = async ({ body }: AnyInput) => {
    counts.effects += 1;
    if (needsConsent && body.approvalSid === undefined) return new ApiError('APPROVAL_REQUIRED');
    return new Answer(201, { amount: body.amount, made: counts.effects }, { location: '/somewhere' });
  };
  const died = async (call: Outside, input: AnyInput) => {
    await call.finish(() => act(input));
    throw new Error('as if killed');
  };
  const does: Does = outside
    ? { outside: (call, input) => (dies ? died(call, input) : act(input)) }
    : { handler: (_t, input) => act(input) };
  const factor = async (_t: unknown, _action: string, token: string | undefined) => {
    if (token === undefined) throw new ApiError('STEP_UP_REQUIRED');
    counts.factors += 1;
    return 'US';
  };
  const serving = {
    database: app.database,
    sealer: app.sealer,
    keyedHash,
    ports: {},
    site: () => ({}),
    docsUrl: () => '',
    processId,
    stepUp: { spend: factor, check: factor },
    limits: { together: {} },
  } as unknown as Serving;
  const run = runnerOf(declared(id, does), serving);
  type Asked = { body: object; key?: string; thing?: string; livemode?: boolean; token?: string | null };
  const ask = async ({
    body,
    key = randomUUID(),
    thing = 'one',
    livemode = false,
    token = 'good',
  }: Asked) => {
    const sent = { ...body, proof: token === null ? {} : { stepUpToken: token } };
    const url = `/v1/accounts/${app.accountSid}/things/${thing}`;
    const call = {
      incoming: { method: 'POST', url, headers: { 'idempotency-key': key }, params: {}, log: silentLog },
      now: app.clock.now(),
      headers: {} as Record<string, string>,
      authentication: { principal: systemPrincipal('test', livemode) },
    };
    const input = { params: { accountSid: app.accountSid, thing }, body: sent };
    const received = { content: JSON.stringify(sent), file: null };
    const answer = await run(call as unknown as Call, input as unknown as AnyInput, received as never);
    const { status, body: text } = answer as StoredAnswer;
    return { status, text, replayed: call.headers['idempotent-replayed'] === 'true' };
  };
  return { ask, counts };
}

const refund = (more: object = {}) => ({ amount: '5', idempotencyKey: 'refund-1', ...more });
const reused = { code: 'IDEMPOTENCY_KEY_REUSED', message: /^This idempotencyKey was used before/ };

for (const outside of [false, true]) {
  suite(`the key in the body of ${outside ? 'an operation that calls outside' : 'an operation'}`, () => {
    test('answers the same content under another header as the first, without a second factor', async () => {
      const { ask, counts } = counted({ outside });
      const first = await ask({ body: refund(), token: 'a' });
      assert.deepEqual([first.status, first.replayed], [201, false]);
      for (const token of ['a', 'b', null])
        assert.deepEqual(await ask({ body: refund(), token }), { ...first, replayed: true });
      // However the members are ordered.
      const turned = Object.fromEntries(Object.entries(refund()).reverse());
      assert.deepEqual(await ask({ body: turned }), { ...first, replayed: true });
      assert.deepEqual(counts, { effects: 1, factors: 1 });
    });

    test('refuses other content, and the same content for another resource', async () => {
      const { ask, counts } = counted({ outside });
      await ask({ body: refund() });
      await assert.rejects(ask({ body: refund({ amount: '6' }) }), reused);
      await assert.rejects(ask({ body: refund(), thing: 'two' }), reused);
      assert.equal((await ask({ body: refund({ idempotencyKey: 'refund-2' }), thing: 'two' })).status, 201);
      assert.equal(counts.effects, 2);
    });

    test('makes one effect of 50 requests at once, each under a header of its own', async () => {
      const { ask, counts } = counted({ outside });
      const asked = await Promise.allSettled(Array.from({ length: 50 }, () => ask({ body: refund() })));
      const answers = asked.filter((end) => end.status === 'fulfilled').map(({ value }) => value);
      assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
      for (const end of asked)
        if (end.status === 'rejected') assert.equal(end.reason.code, 'IDEMPOTENCY_IN_PROGRESS');
      assert.equal(counts.effects, 1);
    });

    test('answers a refusal for want of consent once per key, and the consent when it is brought', async () => {
      const { ask, counts } = counted({ outside, needsConsent: true });
      const refused = await ask({ body: refund() });
      assert.equal(JSON.parse(refused.text).error.code, 'APPROVAL_REQUIRED');
      assert.deepEqual(await ask({ body: refund() }), { ...refused, replayed: true });
      assert.equal(counts.effects, 1);
      await assert.rejects(ask({ body: refund({ amount: '6', approvalSid: 'AP1' }) }), reused);
      const made = await ask({ body: refund({ approvalSid: 'AP1' }) });
      assert.deepEqual([made.status, made.replayed], [201, false]);
      for (const body of [refund(), refund({ approvalSid: 'AP2' })])
        assert.deepEqual(await ask({ body }), { ...made, replayed: true });
      assert.equal(counts.effects, 2);
    });
  });
}

test('the header of a request that was answered by its body’s key can name nothing else', async () => {
  const { ask } = counted();
  await ask({ body: refund() });
  assert.equal((await ask({ body: refund(), key: 'second' })).replayed, true);
  await assert.rejects(ask({ body: refund({ idempotencyKey: 'refund-2' }), key: 'second' }), {
    code: 'IDEMPOTENCY_KEY_REUSED',
  });
});

test('a key in the body is one of its operation and environment, whatever text it is', async () => {
  const [one, other] = [counted(), counted()];
  for (const idempotencyKey of ['', ' ', 'a\nb', '\u{1f389}', 'x'.repeat(255)])
    for (const { ask } of [one, other])
      for (const livemode of [false, true])
        assert.equal((await ask({ body: refund({ idempotencyKey }), livemode })).replayed, false);
  assert.deepEqual([one.counts.effects, other.counts.effects], [10, 10]);
});

test('what was refused keeps no key', async () => {
  const { ask, counts } = counted();
  await assert.rejects(ask({ body: refund(), token: null }), { code: 'STEP_UP_REQUIRED' });
  assert.equal((await ask({ body: refund({ amount: '6' }) })).status, 201);
  assert.equal(counts.effects, 1);
});

test('a key in the body is known for ever: years later, and after everything old was swept', async () => {
  const { ask, counts } = counted();
  const first = await ask({ body: refund(), key: 'header-1' });
  app.clock.advance(10 * 365 * 24 * 60 * 60_000);
  for (const cron of platformCrons) await runCron(app, cron);
  assert.equal(await app.count("idempotency_keys where expires_at < 'infinity'"), 0);
  assert.deepEqual(await ask({ body: refund() }), { ...first, replayed: true });
  assert.equal(counts.effects, 1);
});

test('what an operation that calls outside finished is told to who asks again, whatever came between', async () => {
  const { ask, counts } = counted({ outside: true, dies: true });
  const asked = { body: refund({ idempotencyKey: randomUUID() }), key: randomUUID() };
  await assert.rejects(ask(asked), /as if killed/);
  const again = await ask(asked);
  assert.deepEqual([again.status, again.replayed, counts.effects], [201, true, 1]);
});
