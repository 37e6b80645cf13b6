// What the OpenAPI document promises about requests and answers is what the service does.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startTestApp, type TestApp } from './harness/app.ts';
import { sharedLifetime } from './harness/lifetime.ts';
import {
  document,
  type Json,
  judgeByPublished,
  published,
  publishedOperation,
  resolved,
  wrongIn,
} from './harness/openapi.ts';

const accepts = (id: string) => {
  const [{ schema }] = Object.values<Json>(publishedOperation(id).requestBody.content);
  return judgeByPublished(schema);
};

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

test('every example is a body its published schema accepts', () => {
  for (const { operationId, requestBody } of published) {
    const [content] = Object.values<Json>(requestBody?.content ?? {});
    if (content?.example === undefined) continue;
    const judge = judgeByPublished(content.schema);
    assert.ok(judge(content.example), `${operationId}: ${wrongIn(judge)}`);
  }
});

const person = { to: '+33612345678' };
const words = { type: 'text', text: { body: 'Hello' } };

test('what the service always refuses, its schema refuses', async () => {
  const refused: [string, string, object][] = [
    ['sendMessage', '/messages', {}],
    ['sendMessage', '/messages', person],
    ['sendMessage', '/messages', words],
    ['sendMessage', '/messages', { ...person, ...words, contactSid: `CT${'0'.repeat(26)}` }],
    ['sendMessage', '/messages', { ...person, ...words, contentSid: `HX${'0'.repeat(26)}` }],
    ['createContact', '/contacts', { identifiers: [] }],
    ['createSegment', '/segments', { name: ' ', kind: 'STATIC', contactSids: [] }],
    [
      'createAuthorization',
      '/authorizations',
      { task: 'TEMPLATE_APPEAL', resourceRef: '', instruction: 'x' },
    ],
    ['createInbox', '/inboxes', { name: ' ' }],
    ['createWebhook', '/webhooks', { url: 'https://example.com/', apiVersion: '2020-01-01' }],
  ];
  for (const [id, path, body] of refused) {
    if (!publishedOperation(id)) throw new Error(`there is no ${id}`);
    assert.equal(accepts(id)(body), false, `${id} ${JSON.stringify(body)}`);
    const reply = await app.post(app.at + path, body);
    assert.equal(reply.status, 400, `${id}: ${reply.text}`);
  }
});

test('the example of sendMessage is accepted in a fresh sandbox, by the sender the person talks with', async () => {
  const { example } = Object.values<Json>(publishedOperation('sendMessage').requestBody.content)[0];
  assert.equal(example.from, undefined);
  const senders = (await app.get(`${app.at}/senders`)).body.data
    .map(({ sid }: { sid: string }) => sid)
    .sort();
  assert.equal(senders.length, 2);
  const sent = await app.post(`${app.at}/messages`, example);
  assert.deepEqual([sent.status, sent.body.from], [201, senders[0]], sent.text);
});

test('answers name their types and their headers', () => {
  const contentOf = (id: string) => Object.keys(publishedOperation(id).responses[200].content);
  assert.deepEqual(contentOf('downloadContactExport'), ['text/csv', 'application/x-ndjson']);
  assert.ok(contentOf('getMediaContent').includes('image/png'));
  for (const { responses, operationId } of published) {
    for (const response of Object.values<Json>(responses)) {
      const { headers } = resolved(response);
      assert.ok(headers['X-Request-Id'], operationId);
      for (const { $ref } of Object.values<Json>(headers))
        assert.ok(document.components.headers[$ref.split('/').at(-1)], $ref);
    }
  }
});
