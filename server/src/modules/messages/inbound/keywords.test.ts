import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wishOf } from './keywords.ts';

test('a keyword counts whatever its case, accents and the spaces around it', () => {
  for (const text of [
    'STOP',
    ' stop ',
    'Stop',
    'Arrêt',
    'ARRET',
    'arre\u0302t',
    'Stop  All',
    'DÉSABONNEMENT',
  ]) {
    assert.equal(wishOf(text), 'stop', text);
  }
  for (const text of ['START', 'start\n', 'Reprendre', 'm\u2019abonner', 'Réabonner', 'reabonner']) {
    assert.equal(wishOf(text), 'start', text);
  }
});

test('a message that only holds a keyword is no keyword', () => {
  for (const text of [
    'please do not stop',
    'stop it',
    'stop.',
    'stopp',
    'non-stop',
    'restart',
    '',
    ' ',
    'cancel',
    'no',
  ]) {
    assert.equal(wishOf(text), null, text);
  }
  assert.equal(wishOf('stop'.repeat(100_000)), null);
});
