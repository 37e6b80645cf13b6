// The life of a media item, as its owner sees it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, suite, test } from 'node:test';
import { bearer } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { formOf, type MediaApp, startMediaApp } from '../../../test/harness/media.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { endUnfinishedMedia, expireMedia, sweepMediaFiles } from './crons.ts';
import * as make from './examine/files.test-data.ts';

const lifetime = sharedLifetime();
let app: MediaApp;
before(async () => {
  app = await startMediaApp(lifetime);
});

const at = (sid: string) => `${app.at}/media/${sid}`;
const codes = (media: { scan: { reasons: { code: string }[] } }) =>
  media.scan.reasons.map(({ code }) => code).join(' ');

test('an uploaded file is PENDING at once, and READY with its facts when it has been looked at', async () => {
  const bytes = await make.jpeg();
  const reply = await app.upload(bytes, {
    filename: 'été.jpg',
    mime: 'image/jpeg',
    fields: { type: 'AUTO' },
  });
  assert.equal(reply.status, 202, reply.text);
  assert.equal(reply.headers.get('location'), at(reply.body.sid));
  const { status, type, filename, sizeBytes, sha256, sendable, scan } = reply.body;
  assert.deepEqual(
    { status, type, filename, sizeBytes, sha256, sendable },
    {
      status: 'PENDING',
      type: null,
      filename: 'été.jpg',
      sizeBytes: bytes.length,
      sha256: sha256Hex(bytes),
      sendable: false,
    },
  );
  assert.deepEqual(scan, { result: null, scanner: null, scannedAt: null, reasons: [] });
  const ready = await app.settled(reply.body.sid);
  assert.deepEqual(
    [ready.status, ready.type, ready.mimeType, ready.sendable],
    ['READY', 'IMAGE', 'image/jpeg', true],
  );
  assert.deepEqual([ready.scan.result, ready.scan.scanner], ['CLEAN', 'built-in']);
  assert.equal(ready.expiresAt, '2026-09-20T10:00:00.000Z');
  const events = await app.sql('select data from events where type = $1 and resource_sid = $2', [
    'media.ready',
    ready.sid,
  ]);
  assert.deepEqual(
    events.map(({ data }) => data),
    [ready],
  );
});

test('a refused file is REJECTED with the reasons, has no content, and is announced', async () => {
  const media = await app.take(make.pdf(), {
    filename: 'photo.jpg',
    mime: 'image/jpeg',
    fields: { type: 'IMAGE' },
  });
  assert.deepEqual([media.status, media.sendable, media.scan.result], ['REJECTED', false, 'REJECTED']);
  assert.equal(codes(media), 'TYPE_MISMATCH EXTENSION_MISMATCH');
  const content = await app.get(`${at(media.sid)}/content`);
  assert.deepEqual([content.status, content.body.error.code], [422, 'MEDIA_REJECTED']);
  assert.equal(await app.count(`events where type = 'media.rejected' and resource_sid = '${media.sid}'`), 1);
});

test('the test file of all scanners is found by the built-in one', async () => {
  const media = await app.take(make.eicar, { filename: 'eicar.txt' });
  assert.deepEqual([media.status, codes(media)], ['REJECTED', 'MALWARE']);
});

test('nobody gets content before the scan', async () => {
  const idle = await startMediaApp(lifetime, { role: 'api' });
  const { body } = await idle.upload(await make.jpeg());
  const reply = await idle.get(`${idle.at}/media/${body.sid}/content`);
  assert.deepEqual([reply.status, reply.body.error.code], [409, 'MEDIA_NOT_READY']);
});

test('the list is newest first and leaves out what was deleted', async () => {
  const own = await startMediaApp(lifetime, { role: 'api' });
  const sids: string[] = [];
  for (const word of ['a', 'b', 'c']) {
    own.clock.advance(1_000);
    sids.unshift((await own.upload(Buffer.from(word))).body.sid);
  }
  assert.equal((await own.delete(`${own.at}/media/${sids[1]}`)).status, 204);
  const first = await own.get(`${own.at}/media?limit=1`);
  const rest = await own.get(`${own.at}/media?limit=1&cursor=${first.body.nextCursor}`);
  assert.deepEqual(
    [first.body.data[0].sid, rest.body.data[0].sid, rest.body.hasMore],
    [sids[0], sids[2], false],
  );
});

suite('what is the same', () => {
  test('is kept once for one account, and gone when the last item that has it is', async () => {
    const own = await startMediaApp(lifetime);
    const bytes = await make.png();
    const [one, two] = await Promise.all([own.take(bytes), own.take(bytes)]);
    assert.deepEqual([codes(one), codes(two)], ['', '']);
    assert.notEqual(one.sid, two.sid);
    assert.equal((await own.stored()).length, 1);
    assert.deepEqual(await readFile((await own.stored())[0]!), bytes);
    const sweep = async () => {
      own.clock.advance(2 * 60 * 60_000);
      await sweepMediaFiles.run(own.jobContext);
    };
    await own.delete(`${own.at}/media/${one.sid}`);
    await sweep();
    assert.equal((await own.get(`${own.at}/media/${two.sid}/content`)).status, 200);
    await own.delete(`${own.at}/media/${two.sid}`);
    await sweep();
    assert.deepEqual([await own.stored(), await own.count('media_files')], [[], 0]);
  });

  test('is kept apart for each account and environment, and nothing tells that another has it', async () => {
    const bytes = await make.png(33, 33);
    const mine = await app.take(bytes);
    const stranger = await app.newAccount();
    const before = (await app.stored()).length;
    const path = `/v1/accounts/${stranger.accountSid}/media`;
    const { body, type } = formOf(bytes, {});
    const theirs = await app.send('POST', path, {
      body,
      headers: { 'content-type': type, ...bearer(stranger.sandboxKey) },
    });
    const live = await app.upload(bytes, { headers: bearer(app.liveKey) });
    assert.deepEqual([theirs.status, live.status], [202, 202]);
    assert.equal((await app.stored()).length, before + 2);
    assert.deepEqual(Object.keys(theirs.body), Object.keys(mine));
  });
});

test('what has expired is EXPIRED from that moment, its content gone with the sweep', async () => {
  const own = await startMediaApp(lifetime, { env: { MEDIA_RETENTION_DAYS: '2' } });
  const media = await own.take(await make.jpeg());
  own.clock.advance(2 * 24 * 60 * 60_000);
  const read = async () => (await own.get(`${own.at}/media/${media.sid}`)).body;
  assert.deepEqual([(await read()).status, (await read()).sendable], ['EXPIRED', false]);
  assert.equal((await own.get(`${own.at}/media/${media.sid}/content`)).status, 404);
  await expireMedia.run(own.jobContext);
  await sweepMediaFiles.run(own.jobContext);
  assert.deepEqual([(await read()).status, await own.stored()], ['EXPIRED', []]);
  await expireMedia.run(own.jobContext);
  const told = await own.sql('select data, occurred_at, created_at from events where type = $1', [
    'media.expired',
  ]);
  assert.equal(told.length, 1);
  assert.deepEqual([told[0]!.data.status, told[0]!.data.sid], ['EXPIRED', media.sid]);
  assert.deepEqual(told[0]!.occurred_at, new Date(media.expiresAt));
});

test('what nothing finished is rejected after a day, and says so', async () => {
  const own = await startMediaApp(lifetime, { role: 'api' });
  const { body } = await own.upload(await make.jpeg());
  own.clock.advance(25 * 60 * 60_000);
  await endUnfinishedMedia.run(own.jobContext);
  const media = await own.settled(body.sid);
  assert.deepEqual([media.status, codes(media)], ['REJECTED', 'SCAN_FAILED']);
  assert.ok((await own.emitted()).includes('media.rejected'));
});

test('an item deleted while it is scanned stays deleted', async () => {
  const own = await startMediaApp(lifetime, { role: 'api' });
  const { body } = await own.upload(await make.jpeg());
  await own.delete(`${own.at}/media/${body.sid}`);
  await own.runJob('media.scan', { mediaSid: body.sid });
  assert.equal((await own.get(`${own.at}/media/${body.sid}`)).status, 404);
  assert.equal(await own.count("media where status = 'DELETED' and file_id is null"), 1);
  assert.deepEqual(await own.emitted(), ['media.deleted']);
});
