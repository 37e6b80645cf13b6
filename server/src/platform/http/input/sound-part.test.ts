import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { Closed } from './schema.ts';
import { soundPart } from './sound-part.ts';

const schema = Closed({
  word: Type.String({ maxLength: 3 }),
  many: Type.Array(Type.Integer()),
  inner: Type.Optional(Closed({ left: Type.Boolean(), right: Type.Boolean() })),
});

test('keeps what is sound, members of members too, and nothing else', () => {
  assert.deepEqual(soundPart(schema, { word: 'long', many: [1], inner: { left: true, right: 1, more: 2 } }), {
    many: [1],
    inner: { left: true },
  });
  assert.deepEqual(soundPart(schema, { word: 'one', many: [1, 'x'], inner: [], more: 1 }), { word: 'one' });
  assert.deepEqual(soundPart(undefined, { word: 'one' }), {});
});

test('reads no member that was not given itself', () => {
  const hostile = JSON.parse('{"__proto__": {"word": "one"}, "inner": {"__proto__": {"left": true}}}');
  assert.deepEqual(soundPart(schema, hostile), { inner: {} });
  assert.deepEqual(soundPart(schema, Object.create({ word: 'one' })), {});
});
