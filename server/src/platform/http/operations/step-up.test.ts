import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TSchema, Type } from 'typebox';
import { Closed, Text } from '../input/schema.ts';
import { judgeBy } from '../input/validation.ts';
import type { Operation, StepUp } from './operation.ts';
import { judgedBody } from './step-up.ts';

const judge = (body: TSchema | undefined, stepUp: Partial<StepUp>, value: unknown) => {
  const operation = { id: 'example', body, stepUp: { action: 'EXAMPLE', from: 'everyone', ...stepUp } };
  return judgeBy(judgedBody(operation as unknown as Operation)!)(value).map(({ path }) => path);
};

test('a token may be absent or empty wherever the body carries it, and nothing else may', () => {
  const places: [string, TSchema, (token: object) => object][] = [
    ['stepUpToken', Closed({ reason: Text(9), stepUpToken: Text(9, 1) }), (at) => ({ reason: 'x', ...at })],
    ['stepUpEvidence', Closed({ stepUpEvidence: Text(9, 1) }), (at) => at],
    [
      'collection.stepUpToken',
      Closed({ collection: Closed({ hours: Type.Integer(), stepUpToken: Text(9) }) }),
      (at) => ({ collection: { hours: 1, ...at } }),
    ],
  ];
  for (const [field, body, holding] of places) {
    const name = field.split('.').at(-1)!;
    for (const token of [{}, { [name]: '' }, { [name]: 'good' }]) {
      assert.deepEqual(judge(body, { field }, holding(token)), [], field);
    }
    for (const token of [null, 7, {}, ['a'], 'much too long']) {
      assert.deepEqual(judge(body, { field }, holding({ [name]: token })), [field]);
    }
  }
  const [, nested] = places[2]!;
  assert.deepEqual(judge(nested, { field: 'collection.stepUpToken' }, {}), ['collection']);
  assert.deepEqual(judge(nested, { field: 'collection.stepUpToken' }, { collection: {} }), [
    'collection.hours',
  ]);
});

test('the declared body stays as it is published', () => {
  const body = Closed({ stepUpToken: Text(9, 1) });
  const before = JSON.stringify(body);
  assert.deepEqual(judge(body, {}, {}), []);
  assert.equal(JSON.stringify(body), before);
});

test('an operation whose body has no place for its token is not served', () => {
  for (const body of [undefined, Closed({}), Closed({ stepUpToken: Closed({}) })]) {
    const field = body?.properties && 'stepUpToken' in body.properties ? 'stepUpToken.deeper' : 'stepUpToken';
    assert.throws(() => judge(body, { field }, {}), /has no place for its step-up token/);
  }
});
