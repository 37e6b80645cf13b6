// Events as they reach a program: followed, or brought by a webhook.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { suite, test } from 'node:test';
import { applyStatus, type Event, verifyWebhook, WebhookSignatureError } from '@godwit/sdk';
import fc from 'fast-check';
import { messageRanks } from '../src/words/message-ranks.ts';
import { json, serviceSaying } from './fake-service.ts';

const page = (sequences: number[], nextCursor: string | null = null) =>
  json(200, {
    object: 'list',
    data: sequences.map((sequence) => ({ object: 'event', type: 'message.sent', sequence })),
    hasMore: nextCursor !== null,
    nextCursor,
  });

suite('following the log', () => {
  const sequencesOf = async (events: AsyncIterable<Event>, count: number) => {
    const sequences: number[] = [];
    for await (const { sequence } of events) if (sequences.push(sequence) === count) break;
    return sequences;
  };

  test('brings every event once and in order, and goes on where it was', async () => {
    const service = serviceSaying(page([5, 6], 'c'), page([7]), page([]), page([8, 9]));
    const events = service.client().events.follow({ after: 4, type: 'message.*' });
    assert.deepEqual(await sequencesOf(events, 5), [5, 6, 7, 8, 9]);
    const asked = service.seen.map(({ path }) => new URLSearchParams(path.split('?')[1]));
    assert.deepEqual(
      asked.map((query) => [query.get('afterSequence'), query.get('cursor'), query.get('type')]),
      [
        ['4', null, 'message.*'],
        ['4', 'c', 'message.*'],
        ['7', null, 'message.*'],
        ['7', null, 'message.*'],
      ],
    );
    assert.ok(asked.every((query) => query.get('sort') === 'sequence'));
    assert.deepEqual(service.waited, [2_000, 2_000]);
  });

  test('begins with what happens from now on unless it is told where', async () => {
    const service = serviceSaying(page([41]), page([42]));
    assert.deepEqual(await sequencesOf(service.client().events.follow(), 1), [42]);
    assert.equal(new URLSearchParams(service.seen[1]!.path.split('?')[1]).get('afterSequence'), '41');
  });
});

suite('a webhook', () => {
  const secret = 'whsec_one';
  const raw = JSON.stringify({
    id: 'EV1',
    type: 'message.delivered',
    data: { sid: 'SM1', body: 'é' },
    later: 1,
  });
  const t = 1_787_306_400;
  const now = new Date(t * 1000);
  const signatureOf = (body: string, by = secret, at = t) =>
    createHmac('sha256', by).update(`${at}.${body}`).digest('hex');
  const header = `t=${t},v1=${signatureOf(raw)}`;

  test('becomes an event where its signature holds, as text and as bytes, with whatever it carries', async () => {
    for (const body of [raw, new TextEncoder().encode(raw)])
      assert.deepEqual(await verifyWebhook(body, header, secret, { now }), JSON.parse(raw));
    const godwit = serviceSaying().client();
    const event = await godwit.webhooks.verify(raw, header, [secret], { now });
    // The type of an event tells what its data is.
    assert.equal(event.type === 'message.delivered' && event.data.sid, 'SM1');
  });

  test('holds under either secret while one takes the place of the other', async () => {
    const both = `t=${t},v1=${signatureOf(raw, 'whsec_new')},v1=${signatureOf(raw)}`;
    for (const secrets of [secret, 'whsec_new', ['whsec_other', secret]])
      assert.ok(await verifyWebhook(raw, both, secrets, { now }));
  });

  const refused: Record<string, [string, string | null, string, Date]> = {
    'with a changed body': [`${raw} `, header, secret, now],
    'under another secret': [raw, header, 'whsec_two', now],
    'signed more than five minutes ago': [raw, header, secret, new Date((t + 301) * 1000)],
    'signed for the future': [raw, header, secret, new Date((t - 301) * 1000)],
    'with a changed time': [raw, header.replace(`t=${t}`, `t=${t + 1}`), secret, now],
    'without a header': [raw, null, secret, now],
    'with half a signature': [raw, `t=${t},v1=${signatureOf(raw).slice(0, 32)}`, secret, now],
    'with a signature of another scheme': [raw, header.replace('v1=', 'v0='), secret, now],
    'with words for numbers': [raw, header.replace(`t=${t}`, 't=now'), secret, now],
  };
  for (const [what, [body, signature, by, at]] of Object.entries(refused))
    test(`${what} is refused`, async () => {
      await assert.rejects(verifyWebhook(body, signature, by, { now: at }), WebhookSignatureError);
    });
});

suite('the status of a message', () => {
  const status = fc.constantFrom(...(Object.keys(messageRanks) as (keyof typeof messageRanks)[]));

  test('never goes back, whatever is told in whatever order and however often', () => {
    fc.assert(
      fc.property(fc.array(status, { minLength: 1 }), (told) => {
        let known: string | null = null;
        let rank = -1;
        for (const word of told) {
          known = applyStatus(known, word);
          const reached = messageRanks[known as keyof typeof messageRanks];
          assert.ok(reached >= rank);
          rank = reached;
        }
        assert.equal(rank, Math.max(...told.map((word) => messageRanks[word])));
      }),
    );
  });

  test('moves between waiting states, and an end stays', () => {
    assert.equal(applyStatus('deferred', 'queued'), 'queued');
    assert.equal(applyStatus('delivered', 'sent'), 'delivered');
    assert.equal(applyStatus('failed', 'delivered'), 'delivered');
    assert.equal(applyStatus('canceled', 'expired'), 'canceled');
  });

  test('keeps what it knows when a word comes that it does not', () => {
    assert.equal(applyStatus('sent', 'played'), 'sent');
    assert.equal(applyStatus(undefined, 'played'), 'played');
    assert.equal(applyStatus('played', 'read'), 'read');
  });
});
