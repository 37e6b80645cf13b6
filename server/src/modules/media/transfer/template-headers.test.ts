// Samples for template headers, through the simulated provider's resumable upload.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type MediaApp, startMediaApp } from '../../../../test/harness/media.ts';
import { newSid } from '../../../platform/ids.ts';
import * as make from '../examine/files.test-data.ts';

const lifetime = sharedLifetime();
let app: MediaApp;
before(async () => {
  app = await startMediaApp(lifetime, { simulator: true });
});
const upload = (mediaSid: string, headers = {}) => app.post(`${app.at}/media/uploads`, { mediaSid }, headers);

test('a READY image becomes a handle, and the same key gives the same handle', async () => {
  const { sid } = await app.take(await make.jpeg());
  const headers = { 'idempotency-key': 'header-1' };
  const first = await upload(sid, headers);
  assert.equal(first.status, 201, first.text);
  assert.deepEqual([first.body.object, first.body.mediaSid], ['media_upload', sid]);
  assert.ok(first.body.handle.length > 5);
  const again = await upload(sid, headers);
  assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true']);
});

test('what is not READY, not there or of no fitting type is refused', async () => {
  const rejected = await app.take(make.gif);
  assert.equal((await upload(rejected.sid)).body.error.code, 'MEDIA_REJECTED');
  assert.equal((await upload(newSid('ME', app.clock.now()))).body.error.code, 'NOT_FOUND');
  const text = await app.take(Buffer.from('hello'));
  assert.deepEqual((await upload(text.sid)).body.error.details, [
    { path: 'mediaSid', issue: 'must be a JPEG, a PNG, an MP4 video or a PDF' },
  ]);
});

test('without a connection to the provider there is nowhere to upload to', async () => {
  const { sid } = await app.take(make.pdf());
  await app.sql("update wabas set connection_state = 'DISCONNECTED', disconnected_at = now()");
  assert.equal((await upload(sid)).body.error.code, 'WABA_NOT_CONNECTED');
});
