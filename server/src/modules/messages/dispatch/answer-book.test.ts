import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TenantTx } from '../../../platform/db/database.ts';
import { silentLog } from '../../../platform/observability/logging.ts';
import { createAnswerBook } from './answer-book.ts';
import type { Answer } from './record-answers.ts';

const tenant = { accountSid: 'AC1', livemode: false };
const answerTo = (messageSid: string): Answer => ({
  messageSid,
  attempt: 1,
  dialled: null,
  answered: { ok: true, value: { providerMessageId: 'x', waId: null, bsuid: null, messageStatus: null } },
});

test('an answer that comes in the very moment the last one was written is written too', {
  timeout: 10_000,
}, async () => {
  // Every moment there is between the end of a transaction and the end of the writing.
  for (let moment = 0; moment < 10; moment += 1) {
    const recorded: string[] = [];
    const committed = Promise.withResolvers<void>();
    const book = createAnswerBook({
      write: (async () => {
        if (recorded.length === 0) await committed.promise;
      }) as <T>(_tenant: unknown, _work: (t: TenantTx) => Promise<T>) => Promise<T>,
      onRecorded: ({ messageSid }) => recorded.push(messageSid),
      log: silentLog,
    });
    book.add(tenant, answerTo('SM1'));
    committed.resolve();
    for (let passed = 0; passed < moment; passed += 1) await null;
    book.add(tenant, answerTo('SM2'));
    await book.written();
    assert.deepEqual(recorded, ['SM1', 'SM2'], `${moment} moments later`);
  }
});
