import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, equalInConstantTime, hmacSha256, sha256, sha256Hex } from './hashing.ts';

const runs = { numRuns: 1_000 };
const texts = fc.string({ unit: 'grapheme' });
const jsonValues = fc.jsonValue({ stringUnit: 'grapheme' });

/** The same value with every object's members put in the opposite order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reordered(member)]),
  );
}

test('SHA-256 gives the published digests', () => {
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  assert.equal(sha256Hex('abc'), abc);
  assert.equal(sha256(Buffer.from('abc')).toString('hex'), abc);
});

test('HMAC-SHA-256 gives the digest of RFC 4231', () => {
  const mac = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
  assert.equal(hmacSha256('Jefe', 'what do ya want for nothing?').toString('hex'), mac);
});

test('comparing in constant time agrees with plain equality, for text and bytes of any length', () => {
  const pairs = fc.oneof(
    fc.tuple(texts, texts),
    texts.map((text): [string, string] => [text, `${text}`]),
  );
  fc.assert(
    fc.property(pairs, ([a, b]) => {
      assert.equal(equalInConstantTime(a, b), a === b);
      assert.equal(equalInConstantTime(Buffer.from(a), b), a === b);
      assert.equal(equalInConstantTime(a, `${a}x`), false);
    }),
    runs,
  );
});

test('canonical JSON writes the sample of RFC 8785 as the RFC does', () => {
  const sample = String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`;
  const expected =
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
    String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`;
  assert.equal(canonicalJson(JSON.parse(sample)), expected);
});

test('canonical JSON sorts the keys of RFC 8785 by UTF-16 code units', () => {
  const sample = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    '\ufb33': 'Hebrew Letter Dalet With Dagesh',
    '1': 'One',
    '\ud83d\ude00': 'Emoji: Grinning Face',
    '\u0080': 'Control',
    '\u00f6': 'Latin Small Letter O With Diaeresis',
  };
  assert.deepEqual(
    [...canonicalJson(sample).matchAll(/:"(.*?)"[,}]/g)].map((match) => match[1]),
    [
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ],
  );
});

test('canonical JSON writes the numbers of RFC 8785, given by their bits, as the RFC does', () => {
  const numbers: [string, string][] = [
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ];
  for (const [bits, expected] of numbers) {
    assert.equal(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE()), expected);
  }
});

test('canonical JSON does not depend on the order of keys', () => {
  fc.assert(
    fc.property(jsonValues, (value) => {
      assert.equal(canonicalJson(reordered(value)), canonicalJson(value));
    }),
    runs,
  );
});

test('canonical JSON reads back as the value it was made of, and is then its own canonical form', () => {
  fc.assert(
    fc.property(jsonValues, (value) => {
      const text = canonicalJson(value);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
      assert.equal(canonicalJson(JSON.parse(text)), text);
    }),
    runs,
  );
});

test('a property that is undefined counts as absent', () => {
  assert.equal(canonicalJson({ a: 1, b: undefined }), canonicalJson({ a: 1 }));
});

test('what JSON would drop or bend is refused, however deep it lies', () => {
  const unfit = [undefined, Number.NaN, Infinity, -Infinity, 1n, '\ud800', 'a\udc00', Symbol('s'), () => 1];
  const objects = [new Date(0), new Map(), new Set(), /x/, Buffer.from('x'), { '\ud800': 1 }, new Array(1)];
  for (const value of [...unfit, ...objects]) {
    assert.throws(() => canonicalJson(value), { name: 'TypeError', message: /^Canonical JSON cannot hold/ });
    assert.throws(() => canonicalJson({ a: [{ b: [value] }] }), TypeError);
  }
});
