import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import {
  createEndpoint,
  inAccount,
  loopContext,
  onThisMachine,
  settle,
  startReceiver,
  verifiedEndpoint,
} from '../../../../test/harness/webhooks.ts';
import type { ApiError } from '../../../platform/errors/errors.ts';
import type { LoopContext } from '../../../platform/jobs/claim-loop.ts';
import { hearAnswers, type NewRequest, type RequestAnswer, requestDeliveries } from './requests.ts';

let app: TestApp;
let context: LoopContext;
let answers: RequestAnswer[] = [];
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { env: onThisMachine });
  context = await loopContext(app, lifetime);
  const usual = hearAnswers(async (_t, more) => void answers.push(...more));
  lifetime.after(async () => void hearAnswers(usual));
});

const ask = (...requests: NewRequest[]) => inAccount(app, (t) => requestDeliveries(t, requests));
const codes = (ends: (ApiError | null)[]) => ends.map((end) => end?.code ?? 'asked');

suite('a request to an endpoint', () => {
  test('reaches it alone, once for its key, and hands the whole answer to who listens', async (test) => {
    const [receiver, other] = [await startReceiver(test), await startReceiver(test)];
    const { sid } = await verifiedEndpoint(app, receiver.url, { eventFilters: ['inbox.created'] });
    await verifiedEndpoint(app, other.url, { eventFilters: ['*'] });
    const long = 'a'.repeat(60_000);
    receiver.answer = (_received, response) => void response.end(JSON.stringify({ long }));
    answers = [];
    const request = { key: 'WR1 1', endpointSid: sid, body: { order: 7 } };
    assert.deepEqual(codes(await ask(request, request)), ['asked', 'asked']);
    assert.deepEqual(codes(await ask(request, { ...request, key: 'WR1 2' })), ['asked', 'asked']);
    await settle(context);
    const asked = receiver.events().map(({ event }) => [event.type, event.data.id, event.data.body]);
    // They were under way side by side.
    assert.deepEqual(asked.toSorted(), [
      ['webhook_request.made', 'WR1 1', { order: 7 }],
      ['webhook_request.made', 'WR1 2', { order: 7 }],
    ]);
    assert.deepEqual(
      other.events().filter(({ event }) => event.type === 'webhook_request.made'),
      [],
    );
    assert.deepEqual(
      answers
        .map(({ key, status, failure, body }) => [key, status, failure, JSON.parse(body!).long.length])
        .toSorted(),
      [
        ['WR1 1', 200, null, 60_000],
        ['WR1 2', 200, null, 60_000],
      ],
    );
    const [{ id: eventSid }] = (await app.get(`${app.at}/events?type=webhook_request.made`)).body.data;
    const elsewhere = (await app.get(`${app.at}/webhooks`)).body.data.find(
      ({ url }: { url: string }) => url === other.url,
    );
    const body = { eventSids: [eventSid], endpointSid: elsewhere.sid };
    const refused = await app.post(`${app.at}/events/redeliver`, body);
    assert.equal(refused.status, 409, refused.text);
  });

  test('that fails is tried again like any delivery, and told once it is given up', async (test) => {
    const receiver = await startReceiver(test);
    const { sid } = await verifiedEndpoint(app, receiver.url, { eventFilters: ['inbox.created'] });
    receiver.answer = (_received, response) => void response.writeHead(500).end('no');
    answers = [];
    await ask({ key: 'WR2 1', endpointSid: sid, body: {} });
    await settle(context);
    assert.deepEqual([receiver.events().length, answers.length], [1, 0]);
    for (let tries = 0; tries < 12; tries += 1) {
      app.clock.advance(24 * 60 * 60 * 1000);
      await settle(context);
    }
    assert.deepEqual(
      answers.map(({ key, status, failure, body }) => [key, status, failure, body]),
      [['WR2 1', 500, 'status', null]],
    );
  });

  test('is refused where nobody could answer, and refuses no other', async (test) => {
    const receiver = await startReceiver(test);
    const [good, unverified] = [
      await verifiedEndpoint(app, receiver.url, { eventFilters: ['inbox.created'] }),
      await createEndpoint(app, receiver.url),
    ];
    const ends = await ask(
      { key: 'WR3 1', endpointSid: unverified.sid, body: {} },
      { key: 'WR3 2', endpointSid: 'WH01K3SAMP1E0000000000000000', body: {} },
      { key: 'WR3 3', endpointSid: good.sid, body: { text: 'a'.repeat(70_000) } },
      { key: 'WR3 4', endpointSid: good.sid, body: {} },
    );
    assert.deepEqual(codes(ends), ['CONFLICT', 'NOT_FOUND', 'VALIDATION_ERROR', 'asked']);
    await settle(context);
    assert.equal(receiver.events().length, 1);
  });
});
