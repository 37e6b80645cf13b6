import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { magicBehaviours } from '../src/behaviour.ts';
import { inboundTypes } from '../src/index.ts';
import { magicNumbers } from '../src/numbers/magic-numbers.ts';
import { vendorNumbers } from '../src/numbers/number-vendor.ts';
import { defaultSettings } from '../src/settings.ts';

const page = await readFile(new URL('../../docs/simulator.md', import.meta.url), 'utf8');

test('the page lists exactly the magic recipients there are', () => {
  const listed = [...page.matchAll(/^\| `\+49151(92\d{6})`/gm)].map((match) => match[1]);
  assert.deepEqual(
    listed,
    magicBehaviours.map(({ suffix }) => suffix),
  );
});

test('the page lists exactly the numbers that are hard to add', () => {
  const listed = [...page.matchAll(/^\| `…(\d{4})` \| (.+) \|$/gm)].map(([, suffix, means]) => [
    suffix,
    means,
  ]);
  assert.deepEqual(
    listed,
    magicNumbers.map(({ suffix, means }) => [suffix, means]),
  );
});

test('the page lists exactly the numbers the carrier has trouble with', () => {
  const listed = [...page.matchAll(/^\| `(\d{4})` \| (.+) \|$/gm)].map(([, suffix, means]) => [
    suffix,
    means,
  ]);
  assert.deepEqual(
    listed,
    vendorNumbers.map(({ suffix, means }) => [suffix, means]),
  );
});

test('the page names every setting and every type a customer can send', () => {
  const unnamed = Object.keys(defaultSettings).filter((name) => !page.includes(`\`${name}\``));
  assert.deepEqual(unnamed, []);
  const types = /types: ([a-z, ]+) \|/.exec(page)![1]!.split(', ');
  assert.deepEqual(types.sort(), [...inboundTypes].sort());
});
