// Media between this service and the provider: sent once per number, received whole, samples for template headers.
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Lifetime } from '../../../../test/harness/lifetime.ts';
import { type MediaApp, startMediaApp } from '../../../../test/harness/media.ts';
import { connectedWaba } from '../../../../test/harness/messages.ts';
import { sha256 } from '../../../platform/hashing.ts';
import type { Answered, Connection, MediaFile, Provider, Sink } from '../../provider/index.ts';
import * as make from '../examine/files.test-data.ts';
import { loadMedia, openMediaFile, providerMediaId, receiveMedia } from '../index.ts';
import { receiveJob, scanJob } from '../jobs.ts';
import { NotYetFetched } from './fetch-media.ts';

const connection: Connection = { baseUrl: 'http://nobody', apiVersion: 'v24.0', accessToken: 'token' };
const refused = (retryable: boolean): Answered<never> => ({
  ok: false,
  failure: {
    code: 'MEDIA_PROVIDER_ERROR',
    retryable,
    providerCode: 131053,
    providerSubcode: null,
    reason: 'no',
    retryAfterMs: null,
  },
});

/** A provider that remembers what it was given. */
async function standIn(lifetime: Lifetime, role: 'all' | 'api' = 'all') {
  const seen = {
    uploads: [] as { phoneNumberId: string; bytes: string; mimeType: string }[],
    fail: false,
    holds: null as Promise<void> | null,
  };
  const received = new Map<string, Buffer>();
  /** What breaks off half-way. */
  const broken = new Set<string>();
  const provider = {
    async uploadMedia(_connection: Connection, phoneNumberId: string, file: MediaFile) {
      await seen.holds;
      seen.uploads.push({ phoneNumberId, bytes: await text(file.open()), mimeType: file.mimeType });
      return seen.fail ? refused(true) : { ok: true, value: { mediaId: `id-${seen.uploads.length}` } };
    },
    async describeMedia(_connection: Connection, mediaId: string) {
      const bytes = received.get(mediaId);
      if (!bytes) return refused(false);
      return {
        ok: true,
        value: { url: mediaId, mimeType: 'text/plain', sha256: '', sizeBytes: bytes.length },
      };
    },
    async downloadMedia(_connection: Connection, url: string, { write }: Sink) {
      const bytes = received.get(url)!;
      const half = Math.ceil(bytes.length / 2);
      await write(bytes.subarray(0, half));
      if (broken.has(url)) return refused(true);
      await write(bytes.subarray(half));
      return { ok: true, value: null };
    },
    close: async () => {},
  } as unknown as Provider;
  const app = await startMediaApp(lifetime, { role, ports: { provider } as never });
  return { app, seen, received, broken };
}

test('a file is uploaded once per number, however many ask at once, and again when the provider forgets it', async (context) => {
  const { app, seen } = await standIn(context);
  const { sid } = await app.take(Buffer.from('hello'));
  const ask = (phoneNumberId: string) =>
    providerMediaId(app.tenantContext(), { mediaSid: sid, connection, phoneNumberId });
  const first = await Promise.all(Array.from({ length: 20 }, () => ask('1')));
  assert.equal(seen.uploads.length, 1);
  assert.deepEqual(seen.uploads[0], { phoneNumberId: '1', bytes: 'hello', mimeType: 'text/plain' });
  for (const answer of first) assert.deepEqual(answer, { ok: true, value: { mediaId: 'id-1' } });
  assert.deepEqual(await ask('1'), first[0]);
  assert.deepEqual(await ask('2'), { ok: true, value: { mediaId: 'id-2' } });
  app.clock.advance(28 * 24 * 60 * 60_000);
  assert.deepEqual(await ask('1'), first[0]);
  app.clock.advance(24 * 60 * 60_000);
  assert.deepEqual(await ask('1'), { ok: true, value: { mediaId: 'id-3' } });
});

test('another process that uploads the same file is waited for; one that died is not', async (context) => {
  const { app, seen } = await standIn(context);
  const { sid } = await app.take(Buffer.from('hello'));
  const claim = (until: string) =>
    app.sql(
      `insert into media_provider_ids (account_sid, livemode, media_sid, phone_number_id, claimed_until, created_at, updated_at)
       values ($1, false, $2, '1', $3, $4, $4)
       on conflict (account_sid, media_sid, phone_number_id) do update set claimed_until = excluded.claimed_until`,
      [app.accountSid, sid, until, app.clock.now()],
    );
  const ask = () => providerMediaId(app.tenantContext(), { mediaSid: sid, connection, phoneNumberId: '1' });
  await claim('2026-08-21T10:05:00Z');
  const waiting = ask();
  await app.sql(
    `update media_provider_ids set claimed_until = null, provider_media_id = 'theirs', usable_until = '2026-09-01T00:00:00Z'`,
  );
  assert.deepEqual(await waiting, { ok: true, value: { mediaId: 'theirs' } });
  assert.equal(seen.uploads.length, 0);
  await app.sql('update media_provider_ids set usable_until = null');
  await claim('2026-08-21T09:59:00Z');
  assert.deepEqual(await ask(), { ok: true, value: { mediaId: 'id-1' } });
});

test('a failed upload is told as it is, and tried again by the next who asks', async (context) => {
  const { app, seen } = await standIn(context);
  const { sid } = await app.take(Buffer.from('hello'));
  const ask = () => providerMediaId(app.tenantContext(), { mediaSid: sid, connection, phoneNumberId: '1' });
  seen.fail = true;
  assert.deepEqual(await ask(), refused(true));
  seen.fail = false;
  assert.deepEqual(await ask(), { ok: true, value: { mediaId: 'id-2' } });
});

test('only what is READY has a name at the provider', async (context) => {
  const { app, seen } = await standIn(context);
  const codeOf = async (mediaSid: string) => {
    const answer = await providerMediaId(app.tenantContext(), { mediaSid, connection, phoneNumberId: '1' });
    return answer.ok ? 'ok' : answer.failure.code;
  };
  const rejected = await app.take(make.gif);
  assert.equal(await codeOf(rejected.sid), 'MEDIA_REJECTED');
  const ready = await app.take(Buffer.from('x'));
  await app.delete(`${app.at}/media/${ready.sid}`);
  assert.equal(await codeOf(ready.sid), 'NOT_FOUND');
  assert.equal(seen.uploads.length, 0);
});

/** Brings in what the provider received, as the jobs do; in an app whose own worker does not come first. */
function receiving(app: MediaApp) {
  const bring = async (providerMediaId: string, digest: string | null = null) => {
    const { sid } = await app.tenantContext().write(async (t) =>
      receiveMedia(t, {
        providerMediaId,
        wabaSid: (await connectedWaba(t)).sid,
        senderSid: 'WA1',
        mimeType: null,
        filename: null,
        sha256: digest,
      }),
    );
    return sid;
  };
  const settle = async (sid: string, context = app.tenantContext()) => {
    await receiveJob.run(context, { mediaSid: sid });
    await scanJob.run(context, { mediaSid: sid });
    return app.settled(sid);
  };
  return { bring, settle };
}

test('what is received is fetched and scanned; what cannot be sent on can still be fetched by its owner', async (context) => {
  const { app, received } = await standIn(context, 'api');
  const bytes = make.zip([{ name: 'a.txt' }]);
  received.set('P1', bytes).set('P2', make.eicar).set('P3', Buffer.from('hello'));
  const { bring, settle } = receiving(app);
  const archive = await settle(await bring('P1', sha256(bytes).toString('base64')));
  assert.deepEqual(
    [archive.direction, archive.status, archive.sendable, archive.scan.reasons[0].code],
    ['INBOUND', 'READY', false, 'UNSUPPORTED_TYPE'],
  );
  assert.equal(
    (await app.get(`${app.at}/media/${archive.sid}/content`)).headers.get('content-type'),
    'application/octet-stream',
  );
  assert.equal(
    (await app.tenantContext().read((t) => loadMedia(t, [archive.sid]))).get(archive.sid)!.status,
    'REJECTED',
  );
  const virus = await settle(await bring('P2'));
  assert.deepEqual([virus.status, virus.scan.reasons[0].code], ['REJECTED', 'MALWARE']);
  const hello = await settle(await bring('P3', sha256('hello').toString('hex')));
  assert.deepEqual([hello.status, hello.sendable], ['READY', true]);
  assert.equal(await text((await openMediaFile(app.tenantContext(), hello.sid)).open()), 'hello');
  const unknown = await settle(await bring('P4'));
  assert.deepEqual([unknown.status, unknown.scan.reasons[0].code], ['REJECTED', 'FETCH_FAILED']);
});

test('lines of JSON are kept for imports and never handed to the provider', async (context) => {
  const { app, seen } = await standIn(context);
  const { sid, status, sendable, scan } = await app.take(Buffer.from('{"a":1}\n'), { filename: 'a.ndjson' });
  assert.deepEqual([status, sendable, scan.result], ['READY', false, 'CLEAN']);
  // The gates of sending see what may not be sent, and so does whoever uploads for them.
  const facts = await app.tenantContext().read((t) => loadMedia(t, [sid]));
  assert.equal(facts.get(sid)!.status, 'REJECTED');
  const wanted = { mediaSid: sid, connection, phoneNumberId: '1' };
  const named = await providerMediaId(app.tenantContext(), wanted);
  assert.equal(!named.ok && named.failure.code, 'MEDIA_REJECTED');
  assert.deepEqual(seen.uploads, []);
});

test('what breaks off, arrives damaged or meets a stopping worker is fetched again, and leaves no file behind', async (context) => {
  const { app, received, broken } = await standIn(context, 'api');
  received.set('P1', Buffer.from('hello'));
  const { bring, settle } = receiving(app);
  broken.add('P1');
  const sid = await bring('P1');
  await assert.rejects(settle(sid), NotYetFetched);
  broken.clear();
  await assert.rejects(settle(sid, { ...app.tenantContext(), signal: AbortSignal.abort() }), /abort/);
  await assert.rejects(settle(await bring('P1', sha256('other').toString('hex'))), /damaged/);
  assert.deepEqual(await app.spooled(), []);
  assert.equal((await settle(sid)).status, 'READY');
});
