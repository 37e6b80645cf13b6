import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { operations } from '../../src/payments/api/operations.ts';
import { testCards } from '../../src/payments/index.ts';
import { declines } from '../../src/payments/objects/cards.ts';
import { ruleParts } from '../../src/payments/objects/payment-rules.ts';
import { defaultPaymentSettings } from '../../src/payments/settings.ts';

const page = await readFile(new URL('../../../docs/payment-simulator.md', import.meta.url), 'utf8');

test('the page of the payment simulator lists exactly the test cards there are', () => {
  const listed = [...page.matchAll(/^\| `(\d{15,16})` \| `pm_card_(\w+)` \| (.+) \|$/gm)];
  assert.deepEqual(
    listed.map(([, number, name, means]) => ({ number, name, means })),
    testCards.map(({ number, name, means }) => ({ number, name, means })),
  );
});

test('the page of the payment simulator names every setting, behaviour, match, answer and decline', () => {
  const { behaviours, matches, answers } = ruleParts;
  const names = [
    ...Object.keys(defaultPaymentSettings),
    ...behaviours,
    ...matches,
    ...answers,
    ...Object.keys(declines),
  ];
  const unnamed = names.filter((name) => !new RegExp(`\`${name}[\` ]`).test(page));
  assert.deepEqual(unnamed, []);
});

test('the page of the payment simulator names every resource that is answered', () => {
  const resources = new Set(operations.map(({ rule }) => rule));
  assert.deepEqual(
    [...resources].filter((name) => !page.includes(`/v1/${name}`)),
    [],
  );
});
