import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { waitersAre } from '../../../../test/harness/locks.ts';
import { type Messages, messagesOf } from '../../../../test/harness/messages.ts';
import { newUuid } from '../../../platform/ids.ts';
import { lockMessages } from '../states/live-messages.ts';
import { type AttemptEnd, endAttempts, openAttempts } from './attempts.ts';

let app: TestApp;
let messages: Messages;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  messages = await messagesOf(app);
});

const endOf = (messageSid: string, outcome: AttemptEnd['outcome']): AttemptEnd => ({
  messageSid,
  number: 1,
  outcome,
  code: null,
  providerCode: null,
  reason: null,
  providerMessageId: `wamid.${messageSid}`,
});

async function handedOver(): Promise<string> {
  const sid = await messages.accepted({ status: 'sending' });
  await messages.write(async (t) =>
    openAttempts(t, [...(await lockMessages(t, [sid])).values()], newUuid(t.now)),
  );
  return sid;
}

/** One ends the attempt and has not committed when the other comes; what the second was told, and what stands in the end. */
async function endedByTwo(sid: string, second: AttemptEnd['outcome'], options?: { evenIfEnded: boolean }) {
  const committing = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const first = messages.write(async (t) => {
    await endAttempts(t, [endOf(sid, 'accepted')]);
    ended.resolve();
    await committing.promise;
  });
  await ended.promise;
  const other = messages.write((t) => endAttempts(t, [endOf(sid, second)], options));
  await waitersAre(app, 1);
  committing.resolve();
  await first;
  const told = await other;
  const [row] = await app.sql<{ outcome: string }>(
    'select outcome from message_attempts where message_sid = $1',
    [sid],
  );
  return [told.has(sid), row!.outcome];
}

suite('a hand-off that two end at the same moment', () => {
  test('keeps its first end', async () => {
    assert.deepEqual(await endedByTwo(await handedOver(), 'unknown'), [false, 'accepted']);
  });
  test('has failed when the provider says since that nothing came of it', async () => {
    assert.deepEqual(await endedByTwo(await handedOver(), 'retry', { evenIfEnded: true }), [true, 'retry']);
  });
});
