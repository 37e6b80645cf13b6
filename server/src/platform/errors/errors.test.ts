import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { ErrorAnswer } from '../http/input/schema.ts';
import { judgeBy } from '../http/input/validation.ts';
import { type ErrorCode, errorCatalogue } from './error-catalogue.ts';
import { ApiError, errorBody, invalid } from './errors.ts';

const codes = Object.keys(errorCatalogue) as ErrorCode[];
const isErrorBody = judgeBy(ErrorAnswer);
const context = { docsUrl: 'https://api.example/docs/errors', requestId: 'req_1' };

// Where the contract lies beside the checkout, it decides.
const contract = new URL('../../../../../shared/contract/error-catalog.json', import.meta.url);

test('the catalogue is that of the contract, word for word', { skip: !existsSync(contract) }, () => {
  const agreed = JSON.parse(readFileSync(contract, 'utf8'));
  const ours = codes.map((code) => {
    const { status, group, ...entry } = errorCatalogue[code];
    return { code, group, httpStatus: status, ...entry };
  });
  assert.deepEqual(ours, agreed);
});

test('the catalogue has 83 codes', () => {
  assert.equal(codes.length, 83);
  for (const code of codes) assert.match(code, /^[A-Z]+(_[A-Z]+)*$/);
});

test('an error can be retried exactly when it says after how long', () => {
  for (const code of codes) {
    const { retryable, retryAfterSeconds } = errorCatalogue[code];
    assert.equal(retryable, retryAfterSeconds !== null, code);
    if (retryable) assert.ok(Number.isInteger(retryAfterSeconds) && retryAfterSeconds > 0, code);
  }
});

test('every code has a status that errors have, and two whole sentences', () => {
  for (const code of codes) {
    const { status, message, remedy } = errorCatalogue[code];
    assert.ok([400, 401, 403, 404, 405, 409, 422, 429, 500, 503].includes(status), code);
    for (const sentence of [message, remedy]) assert.match(sentence, /^[A-Z].*\.$/, code);
  }
});

test('every code has the one shape of an error body', () => {
  for (const code of codes) {
    const entry = errorCatalogue[code];
    const error = new ApiError(code);
    assert.deepEqual(errorBody(error, context), {
      error: {
        code,
        type: entry.type,
        message: entry.message,
        retryable: entry.retryable,
        retryAfterSeconds: entry.retryAfterSeconds,
        docUrl: `https://api.example/docs/errors#${code}`,
        requestId: 'req_1',
      },
    });
    assert.equal(error.status, entry.status);
    assert.deepEqual(isErrorBody(errorBody(error, context)), []);
  }
});

test('a known moment to retry replaces the usual one, but never makes an error retryable', () => {
  assert.equal(new ApiError('RATE_LIMITED', { retryAfterSeconds: 17 }).retryAfterSeconds, 17);
  const { error } = errorBody(new ApiError('NOT_FOUND', { retryAfterSeconds: 17 }), context);
  assert.deepEqual([error.retryable, error.retryAfterSeconds], [false, null]);
});

test('facts are added where there are some and leave no trace where there are none', () => {
  const details = [{ path: 'text.body', issue: 'is required' }];
  const full = errorBody(
    new ApiError('PROVIDER_PERMANENT_ERROR', { providerCode: 0, details, message: 'No.' }),
    context,
  );
  assert.deepEqual([full.error.providerCode, full.error.details, full.error.message], [0, details, 'No.']);
  const bare = errorBody(new ApiError('NOT_FOUND'), { docsUrl: context.docsUrl });
  assert.deepEqual(Object.keys(bare.error), [
    'code',
    'type',
    'message',
    'retryable',
    'retryAfterSeconds',
    'docUrl',
  ]);
  assert.deepEqual([isErrorBody(full), isErrorBody(bare)], [[], []]);
});

test('an error keeps its cause to itself', () => {
  const cause = new Error('select * from secrets');
  const error = new ApiError('INTERNAL_PERMANENT_ERROR', { cause, headers: { 'x-inner': 'a' } });
  assert.equal(error.cause, cause);
  assert.doesNotMatch(JSON.stringify(errorBody(error, context)), /secrets|x-inner/);
});

test('invalid fields make one error that names them all', () => {
  const details = [
    { path: 'a', issue: 'is required' },
    { path: 'b[0]', issue: 'must be string' },
  ];
  const error = invalid(...details);
  assert.deepEqual([error.code, error.status, error.facts.details], ['VALIDATION_ERROR', 400, details]);
});

test('programs can read the catalogue without credentials', async (context) => {
  const app = await startTestApp(context);
  const answer = await app.get('/v1/errors', { authorization: '' });
  assert.equal(answer.status, 200);
  assert.deepEqual([answer.body.object, answer.body.hasMore, answer.body.nextCursor], ['list', false, null]);
  assert.deepEqual(
    answer.body.data,
    codes.map((code) => {
      const { status, ...entry } = errorCatalogue[code];
      return { code, httpStatus: status, ...entry };
    }),
  );
});

test('every docUrl leads to a place on the page of errors', async (context) => {
  const app = await startTestApp(context);
  const { text } = await app.get('/docs/errors');
  for (const code of codes) assert.ok(text.includes(`id="${code}"`), code);
});
