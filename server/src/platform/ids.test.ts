import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Draw,
  firstSid,
  isSid,
  newSid,
  newUuid,
  newUuids,
  randomBase32,
  randomToken,
  type SidPrefix,
  sidPattern,
  sidPrefixes,
  sidSequence,
  sidTime,
} from './ids.ts';

const runs = { numRuns: 1_000 };
const prefixes = fc.constantFrom(...(Object.keys(sidPrefixes) as SidPrefix[]));
const instants = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('6000-01-01') });
const now = new Date('2030-05-06T07:08:09.123Z');

function assertStrictlyRising(texts: string[]): void {
  texts.forEach((text, i) => {
    assert.ok(i === 0 || texts[i - 1]! < text, `${texts[i - 1]} should come before ${text}`);
  });
}

function randomPart(sid: string): bigint {
  const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  return [...sid.slice(12)].reduce((value, char) => value * 32n + BigInt(alphabet.indexOf(char)), 0n);
}

test('a SID has its prefix, its pattern and its time', () => {
  fc.assert(
    fc.property(prefixes, instants, (prefix, at) => {
      const sid = newSid(prefix, at);
      assert.match(sid, new RegExp(sidPattern(prefix)));
      assert.ok(isSid(prefix, sid));
      assert.deepEqual(sidTime(sid), at);
    }),
    runs,
  );
});

test('the first SID of an instant stands between those made before it and those made in it', () => {
  fc.assert(
    fc.property(prefixes, instants, (prefix, at) => {
      const first = firstSid(prefix, at);
      assert.ok(isSid(prefix, first) && first <= newSid(prefix, at));
      if (at.getTime() > 0) assert.ok(newSid(prefix, new Date(at.getTime() - 1)) < first);
    }),
    runs,
  );
});

test('the time is written as ULIDs write it', () => {
  assert.equal(newSid('SM', new Date(1469918176385)).slice(2, 12), '01ARYZ6S41');
});

test('text that is not quite a SID is not taken for one', () => {
  const sid = newSid('CT', now);
  const near = [sid.toLowerCase(), `${sid}0`, sid.slice(0, -1), `${sid}\n`, ` ${sid}`, ''];
  for (const letter of 'ILOU') near.push(sid.slice(0, -1) + letter);
  for (const text of near) assert.equal(isSid('CT', text), false, JSON.stringify(text));
  assert.equal(isSid('CO', sid), false);
  assert.throws(() => sidTime(`${sid}\n`), RangeError);
});

test('SIDs of all kinds sort in the order they were made', () => {
  const moments = fc.array(fc.tuple(prefixes, fc.nat({ max: 2 })), { minLength: 2, maxLength: 50 });
  fc.assert(
    fc.property(instants, moments, (start, made) => {
      let ms = start.getTime();
      const sids = made.map(([prefix, waitMs]) => {
        ms += waitMs;
        return newSid(prefix, new Date(ms));
      });
      assertStrictlyRising(sids.map((sid) => sid.slice(2)));
    }),
    runs,
  );
});

test('SIDs keep their order when a millisecond runs out of room', () => {
  const top = 2 ** 40 - 1;
  const room = fc.integer({ min: 0, max: 3 * 2 ** 31 });
  const leap = fc.integer({ min: 2 ** 31, max: 2 ** 32 - 1 });
  fc.assert(
    fc.property(room, leap, fc.array(fc.nat({ max: 1 }), { maxLength: 30 }), (left, step, passed) => {
      let drawsLow = true;
      const draw: Draw = (bytes) => {
        if (bytes === 4) return step;
        drawsLow = !drawsLow;
        return drawsLow ? top - left : top;
      };
      const next = sidSequence(draw);
      let ms = now.getTime();
      const sids = [0, 0, 0, 0, 0, ...passed].map((waitMs) => {
        ms += waitMs;
        return next('SM', new Date(ms));
      });
      assertStrictlyRising(sids);
      assert.ok(sidTime(sids[4]!) > now, 'by the fifth SID a later millisecond is borrowed');
    }),
    runs,
  );
});

test('a SID does not give away the next one of its millisecond', () => {
  const sids = Array.from({ length: 10_000 }, () => newSid('SM', now));
  const gaps = sids.slice(1).map((sid, i) => randomPart(sid) - randomPart(sids[i]!));
  // Were the steps not random, gaps would repeat; were they short, guessing the neighbour would be cheap.
  assert.ok(new Set(gaps).size > 9_990);
  assert.ok(gaps.every((gap) => gap >= 1n && gap <= 2n ** 32n));
  const mean = Number(gaps.reduce((total, gap) => total + gap, 0n)) / gaps.length;
  assert.ok(Math.abs(mean / 2 ** 31 - 1) < 0.1, `the mean gap is ${mean}`);
});

test('a clock that goes back is followed, with fresh randomness', () => {
  fc.assert(
    fc.property(fc.array(instants, { minLength: 2, maxLength: 20 }), (moments) => {
      const sids = [...moments, ...moments].map((at) => newSid('EV', at));
      sids.forEach((sid, i) => {
        assert.deepEqual(sidTime(sid), moments[i % moments.length]);
      });
      assert.equal(new Set(sids).size, sids.length);
    }),
    runs,
  );
});

test('randomness is never handed out twice', () => {
  const sids = Array.from({ length: 50_000 }, (_, i) => newSid('SM', new Date(now.getTime() + i)));
  assert.ok(new Set(sids.map((sid) => sid.slice(12, 20))).size > 49_990);
  assert.ok(new Set(sids.map((sid) => sid.slice(20))).size > 49_990);
});

test('a date that no identifier can hold is refused', () => {
  for (const ms of [Number.NaN, -1, 2 ** 48]) {
    assert.throws(() => newSid('SM', new Date(ms)), RangeError);
    assert.throws(() => newUuid(new Date(ms)), RangeError);
  }
});

test('a UUID is of version 7, tells its time and sorts by it', () => {
  fc.assert(
    fc.property(instants, fc.integer({ min: 1, max: 1e9 }), (at, laterBy) => {
      const uuid = newUuid(at);
      assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.equal(Number.parseInt(uuid.slice(0, 13).replace('-', ''), 16), at.getTime());
      assert.ok(uuid < newUuid(new Date(at.getTime() + laterBy)));
    }),
    runs,
  );
});

test('UUIDs of one millisecond differ in every bit that is random', () => {
  const numbers = Array.from({ length: 1_000 }, () => BigInt(`0x${newUuid(now).replaceAll('-', '')}`));
  const everSet = numbers.reduce((all, number) => all | number, 0n);
  const alwaysSet = numbers.reduce((all, number) => all & number, -1n);
  assert.equal((everSet ^ alwaysSet).toString(16), 'fff3fffffffffffffff');
  assert.equal(new Set(numbers).size, numbers.length);
});

test('several UUIDs made at once follow each other and tell the same time', () => {
  const [all, others] = [newUuids(now, 500), newUuids(now, 500)];
  assert.deepEqual(all, all.toSorted());
  assert.equal(new Set([...all, ...others]).size, 1_000);
  for (const uuid of all) {
    assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(Number.parseInt(uuid.slice(0, 13).replace('-', ''), 16), now.getTime());
  }
});

test('a random token carries the bytes asked for and is safe in a URL', () => {
  fc.assert(
    fc.property(fc.integer({ min: 16, max: 64 }), (bytes) => {
      const token = randomToken(bytes);
      assert.match(token, /^[A-Za-z0-9_-]+$/);
      assert.equal(Buffer.from(token, 'base64url').length, bytes);
      assert.notEqual(token, randomToken(bytes));
    }),
    runs,
  );
  assert.equal(Buffer.from(randomToken(), 'base64url').length, 32);
});

test('random base32 carries the bytes asked for in letters that cannot be confused', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.integer({ min: 10, max: 64 }), (bytes) => {
      const text = randomBase32(bytes);
      assert.match(text, /^[0-9a-hjkmnp-tv-z]+$/);
      assert.equal(text.length, Math.ceil((bytes * 8) / 5));
      assert.notEqual(text, randomBase32(bytes));
      for (const char of text) seen.add(char);
      // The bits beyond the last byte are zero, so that one value has one spelling.
      assert.equal(
        randomPart(' '.repeat(12) + text.toUpperCase()) % 2n ** BigInt(text.length * 5 - bytes * 8),
        0n,
      );
    }),
    runs,
  );
  assert.equal(seen.size, 32);
});
