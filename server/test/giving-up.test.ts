// Jobs fail, and some of them give up. What they were to do must then not be left half done with nobody to look at it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobs } from '../src/main/modules.ts';
import { untilDone } from '../src/platform/jobs/jobs.ts';

/** What becomes of the work of a job that gives up; every other job goes on until it is done. */
const mayGiveUp: Record<string, string> = {
  'identity.send-invitation': 'the invitation says that it was not sent, can be sent again, and expires',
  'identity.send-password-reset': 'the link expires; whoever forgot a password asks again',
  'identity.send-password-notice': 'news that came too late; the change stands in the audit log',
  'webhooks.tell-owners': 'does nothing any more; only processes of an older version queued it',
  'media.scan': 'media.end-unfinished rejects what is unfinished after a day',
  'media.fetch': 'media.end-unfinished rejects what is unfinished after a day',
  'media.receive': 'media.end-unfinished rejects what is unfinished after a day',
  'wabas.read-again': 'the next reading, within the hour, sees the same and more',
  'wabas.read': 'nothing waits for it; the next hour or POST …/senders/{WA}/refresh reads the account',
  'wabas.reconnect': 'the account stays disconnected, as it says; POST …/wabas connects it anew',
  'senders.read-flow-key': 'nothing waits for it; POST …/senders/{WA}/refresh reads the key',
  'templates.read': 'nothing waits for it; the next hint or POST …/templates/sync reads the list',
};
// operations.guard queues an operation without a job again.
const isGuarded = (name: string) => name.startsWith('operation:');

test('every job goes on until it is done, or somebody else ends what it gave up', () => {
  const unexplained = jobs
    .filter(({ name, attempts }) => attempts < untilDone && !isGuarded(name) && !mayGiveUp[name])
    .map(({ name }) => name);
  assert.deepEqual(unexplained, []);
});

test('what is said to give up does', () => {
  const givesUp = jobs.filter(({ attempts }) => attempts < untilDone).map(({ name }) => name);
  assert.deepEqual(
    Object.keys(mayGiveUp).filter((name) => !givesUp.includes(name)),
    [],
  );
});
