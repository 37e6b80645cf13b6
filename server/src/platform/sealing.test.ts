import assert from 'node:assert/strict';
import { createDecipheriv } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { createSealer, generateMasterKey, parseMasterKeys, SealBroken } from './sealing.ts';

const runs = { numRuns: 1_000 };
const oldKey = generateMasterKey();
const newKey = generateMasterKey();
const sealer = createSealer(parseMasterKeys(newKey));
const oldSealer = createSealer(parseMasterKeys(oldKey));
const rotatedSealer = createSealer(parseMasterKeys(`${newKey}, ${oldKey}`));

const secrets = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
const contexts = fc.string({ maxLength: 40 });

test('what was sealed opens again in the same context, text and bytes alike', () => {
  fc.assert(
    fc.property(secrets, fc.string({ unit: 'grapheme' }), contexts, (bytes, text, context) => {
      assert.deepEqual(sealer.open(sealer.seal(bytes, context), context), bytes);
      assert.equal(sealer.open(sealer.seal(text, context), context).toString(), text);
    }),
    runs,
  );
});

test('a sealed value does not open in another context', () => {
  const differing = fc.tuple(contexts, contexts).filter(([a, b]) => a !== b);
  fc.assert(
    fc.property(secrets, differing, (secret, [context, other]) => {
      assert.throws(() => sealer.open(sealer.seal(secret, context), other), SealBroken);
    }),
    runs,
  );
});

test('a sealed value with any bit changed does not open', () => {
  fc.assert(
    fc.property(secrets, contexts, fc.nat(), (secret, context, position) => {
      const sealed = sealer.seal(secret, context);
      const bit = position % (sealed.length * 8);
      sealed[bit >> 3]! ^= 1 << (bit & 7);
      assert.throws(() => sealer.open(sealed, context), SealBroken);
    }),
    runs,
  );
  const sealed = sealer.seal('secret', 'context');
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Buffer.from(sealed);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    assert.throws(() => sealer.open(changed, 'context'), SealBroken);
  }
});

test('a sealed value cut short or drawn out does not open, nor do bytes of any other origin', () => {
  fc.assert(
    fc.property(secrets, contexts, fc.nat(), (secret, context, cut) => {
      const sealed = sealer.seal(secret, context);
      assert.throws(() => sealer.open(sealed.subarray(0, cut % sealed.length), context), SealBroken);
      assert.throws(() => sealer.open(Buffer.concat([sealed, Buffer.of(0)]), context), SealBroken);
      assert.throws(() => sealer.open(secret, context), SealBroken);
    }),
    runs,
  );
});

test('the same secret never looks the same twice, and is nowhere in its sealed form', () => {
  const secret = 'a secret long enough not to occur by chance';
  const sealed = Array.from({ length: 1_000 }, () => sealer.seal(secret, 'context'));
  assert.equal(new Set(sealed.map((value) => value.toString('hex', 5, 17))).size, sealed.length);
  assert.ok(sealed.every((value) => !value.includes(secret)));
});

test('a sealed value is laid out as version, key id, IV, ciphertext and tag', () => {
  const sealed = sealer.seal('12345', 'context');
  assert.equal(sealed.length, 1 + 4 + 12 + 5 + 16);
  assert.equal(sealed[0], 1);
  assert.equal(sealed.toString('hex', 1, 5), parseMasterKeys(newKey)[0]?.id);
});

test('after a rotation old values still open and ask to be sealed anew', () => {
  fc.assert(
    fc.property(secrets, contexts, (secret, context) => {
      const old = oldSealer.seal(secret, context);
      assert.deepEqual(rotatedSealer.open(old, context), secret);
      assert.equal(rotatedSealer.needsResealing(old), true);
      const fresh = rotatedSealer.seal(secret, context);
      assert.equal(rotatedSealer.needsResealing(fresh), false);
      assert.deepEqual(sealer.open(fresh, context), secret);
    }),
    runs,
  );
});

test('a value sealed under a key that is not known does not open', () => {
  assert.throws(() => sealer.open(oldSealer.seal('secret', 'context'), 'context'), SealBroken);
});

test('a value still opens after more contexts than the cache holds', () => {
  const sealed = sealer.seal('secret', 'context');
  for (let i = 0; i < 2_500; i++) sealer.seal('x', `other/${i}`);
  assert.equal(sealer.open(sealed, 'context').toString(), 'secret');
});

test('derived keys are steady, differ by purpose, and come from the first master key', () => {
  const differing = fc.tuple(contexts, contexts).filter(([a, b]) => a !== b);
  fc.assert(
    fc.property(differing, ([purpose, other]) => {
      const key = sealer.derive(purpose);
      assert.equal(key.length, 32);
      assert.deepEqual(createSealer(parseMasterKeys(newKey)).derive(purpose), key);
      assert.deepEqual(rotatedSealer.derive(purpose), key);
      assert.notDeepEqual(oldSealer.derive(purpose), key);
      assert.notDeepEqual(sealer.derive(other), key);
    }),
    runs,
  );
});

test('a derived key opens nothing that was sealed, even where purpose and context share a name', () => {
  const sealed = sealer.seal('secret', 'cursor');
  const decipher = createDecipheriv('aes-256-gcm', sealer.derive('cursor'), sealed.subarray(5, 17));
  decipher.setAuthTag(sealed.subarray(-16));
  decipher.update(sealed.subarray(17, -16));
  assert.throws(() => decipher.final());
});

test('wiping a derived key does not harm the next to ask for it', () => {
  const key = sealer.derive('cursor');
  const before = Buffer.from(key);
  key.fill(0);
  assert.deepEqual(sealer.derive('cursor'), before);
});

test('a broken seal says nothing of the cause', () => {
  const causes = [
    Buffer.alloc(0),
    Buffer.alloc(64),
    oldSealer.seal('secret', 'c'),
    sealer.seal('secret', 'other'),
  ];
  for (const sealed of causes) {
    assert.throws(
      () => sealer.open(sealed, 'c'),
      (error: Error) => error.message === 'The sealed value cannot be opened.' && error.cause === undefined,
    );
  }
});

test('a wrong master key is refused by its place, never by its value', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9+/=_-]{8,60}$/), (wrong) => {
      const isKey = Buffer.from(wrong, 'base64').toString('base64') === wrong && wrong.length === 44;
      fc.pre(!isKey);
      assert.throws(
        () => parseMasterKeys(`${newKey},${wrong}`),
        (error: Error) =>
          error.message === 'Master key 2 must be 32 bytes in base64, which is 44 characters.',
      );
    }),
    runs,
  );
  for (const wrong of ['', ',', `${newKey},`, `${newKey.slice(0, 20)} ${newKey.slice(20)}`]) {
    assert.throws(() => parseMasterKeys(wrong), /^Error: Master key \d must be 32 bytes in base64/);
  }
});

test('a sealer wants at least one master key, and none of them twice', () => {
  assert.throws(() => createSealer([]), /at least one/);
  assert.throws(() => createSealer(parseMasterKeys(`${newKey},${newKey}`)), /listed twice/);
});

test('printing a master key does not show it', () => {
  const [key] = parseMasterKeys(newKey);
  const bytes = Buffer.from(newKey, 'base64');
  const shown = inspect(key, { depth: null, showHidden: true }) + JSON.stringify(key);
  for (const encoding of ['base64', 'hex'] as const) {
    assert.equal(shown.includes(bytes.toString(encoding).slice(0, 12)), false);
  }
});
