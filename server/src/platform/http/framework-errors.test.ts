import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorCodes } from 'fastify';
import { frameworkRefusal } from './framework-errors.ts';

test('whatever the framework has against a request is a mistake of the caller, with the place named', () => {
  const all = Object.values(errorCodes).map((Known) => new Known('something'));
  const complaints = all.filter(({ statusCode }) => statusCode !== undefined && statusCode < 500);
  assert.ok(complaints.length >= 8, `only ${complaints.length} found`);
  for (const error of complaints) {
    const refusal = frameworkRefusal(error, 100);
    assert.ok(refusal && refusal.status < 500, error.code);
    if (refusal.code === 'VALIDATION_ERROR') assert.equal(refusal.facts.details?.length, 1, error.code);
  }
});

test('a bug of ours stays one, whether the framework or we have found it', () => {
  assert.equal(frameworkRefusal(new errorCodes.FST_ERR_SEND_INSIDE_ONERR(), 100), null);
  for (const error of [new Error('x'), Object.assign(new Error('x'), { statusCode: 400 }), null, 'x'])
    assert.equal(frameworkRefusal(error, 100), null);
});
