// One suite for both stores: a folder, and an S3-compatible server that checks every signature.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { suite, test } from 'node:test';
import { AwsV4Signer } from 'aws4fetch';
import type { Lifetime } from '../../../test/harness/lifetime.ts';
import type { MediaStore } from '../../modules/media/index.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { createSpool, type Spool } from '../../platform/spool.ts';
import { createMediaStore } from './media-store.ts';

const credentials = { accessKeyId: 'key', secretAccessKey: 'secret', region: 'eu-west-3' };

/** Keeps objects in memory and takes no call that is not signed as it should be. */
async function fakeS3(lifetime: Lifetime) {
  const objects = new Map<string, Buffer>();
  const server = http.createServer(async (request, answer) => {
    const body = await buffer(request);
    const url = `http://${request.headers.host}${request.url}`;
    const signed = /SignedHeaders=([^,]+)/.exec(request.headers.authorization ?? '')?.[1]?.split(';') ?? [];
    const headers = Object.fromEntries(
      signed
        .filter((name) => name !== 'host' && name !== 'x-amz-date')
        .map((name) => [name, String(request.headers[name])]),
    );
    const datetime = String(request.headers['x-amz-date']);
    const expected = await new AwsV4Signer({
      method: request.method!,
      url,
      headers,
      service: 's3',
      datetime,
      ...credentials,
    }).sign();
    const bodyFits = request.headers['x-amz-content-sha256'] === sha256Hex(body);
    if (expected.headers.get('authorization') !== request.headers.authorization || !bodyFits) {
      return answer.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
    }
    const found = objects.get(request.url!);
    if (request.method === 'PUT') {
      objects.set(request.url!, body);
      return answer.writeHead(200).end();
    }
    if (request.method === 'DELETE') {
      objects.delete(request.url!);
      return answer.writeHead(204).end();
    }
    const { pathname, searchParams } = new URL(url);
    if (searchParams.get('list-type') === '2')
      return answer.writeHead(200).end(pageOf(pathname, searchParams));
    if (!found) return answer.writeHead(404).end();
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    if (range) return answer.writeHead(206).end(found.subarray(Number(range[1]), Number(range[2]) + 1));
    answer.writeHead(200).end(found);
  });
  /** Two names a page, so that whoever lists has to ask on. */
  const pageOf = (bucket: string, asked: URLSearchParams) => {
    const names = [...objects.keys()].map((path) => decodeURIComponent(path.slice(bucket.length + 1))).sort();
    const after = asked.get('continuation-token') ?? '';
    const left = names.filter((name) => name.startsWith(asked.get('prefix')!) && name > after);
    const keys = left.slice(0, 2).map((name) => `<Contents><Key>${name}</Key></Contents>`);
    const next = left.length > 2 ? `<NextContinuationToken>${left[1]}</NextContinuationToken>` : '';
    return `<ListBucketResult>${keys.join('')}${next}</ListBucketResult>`;
  };
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  lifetime.after(async () => void server.close());
  return { objects, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function folderOf(lifetime: Lifetime) {
  const folder = await mkdtemp(join(tmpdir(), 'godwit-store-'));
  lifetime.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

type Made = { store: MediaStore; spool: Spool; spoolDir: string };
const stores: Record<string, (lifetime: Lifetime) => Promise<Made>> = {
  async folder(lifetime) {
    const dataDir = await folderOf(lifetime);
    const spool = createSpool(join(dataDir, 'spool'));
    const settings = { mediaStore: null, dataDir, s3AccessKeyId: null, s3SecretAccessKey: null };
    return { store: createMediaStore(settings, spool), spool, spoolDir: join(dataDir, 'spool') };
  },
  async S3(lifetime) {
    const dataDir = await folderOf(lifetime);
    const { endpoint } = await fakeS3(lifetime);
    const spool = createSpool(join(dataDir, 'spool'));
    const mediaStore = `s3://bucket/some/prefix?region=eu-west-3&endpoint=${encodeURIComponent(endpoint)}`;
    const settings = { mediaStore, dataDir, s3AccessKeyId: 'key', s3SecretAccessKey: 'secret' };
    return { store: createMediaStore(settings, spool), spool, spoolDir: join(dataDir, 'spool') };
  },
};

async function* chunks(...parts: string[]) {
  for (const part of parts) yield Buffer.from(part);
}

for (const [name, make] of Object.entries(stores)) {
  suite(`the ${name} store`, () => {
    test('gives back what it was given, whole and in part, and leaves nothing in the spool', async (context) => {
      const { store, spool, spoolDir } = await make(context);
      const file = await spool.fill(chunks('hello ', 'world'));
      assert.deepEqual([file.sizeBytes, file.sha256], [11, sha256Hex('hello world')]);
      await store.put('sandbox/AC1/ab/file-1', file);
      assert.deepEqual(await readdir(spoolDir), []);
      assert.equal(await text(await store.open('sandbox/AC1/ab/file-1')), 'hello world');
      assert.equal(await text(await store.open('sandbox/AC1/ab/file-1', { start: 6, end: 8 })), 'wor');
      const { path, release } = await store.borrow('sandbox/AC1/ab/file-1');
      assert.equal(await text((await import('node:fs')).createReadStream(path)), 'hello world');
      await release();
      assert.deepEqual(await readdir(spoolDir), []);
    });
    test('lists what stands in a folder, however much it is, and nothing beside it', async (context) => {
      const { store, spool } = await make(context);
      const listed = async () => (await Array.fromAsync(store.list('journal/'))).sort();
      assert.deepEqual(await listed(), []);
      const names = [1, 2, 3, 4, 5].map((n) => `journal/live/AC${n}/DR${n}.json`);
      for (const name of [...names, 'journals/other', 'other/journal/x'])
        await store.put(name, await spool.fill(chunks(name)));
      assert.deepEqual(await listed(), names);
    });
    test('puts the same name again, and removes what is and what is not there', async (context) => {
      const { store, spool } = await make(context);
      for (let i = 0; i < 2; i += 1) await store.put('a/b', await spool.fill(chunks('same')));
      assert.equal(await text(await store.open('a/b')), 'same');
      await store.remove('a/b');
      await store.remove('a/b');
      await assert.rejects(store.open('a/b'));
      await store.check();
    });
  });
}

test('an S3 store with wrong credentials says what the store says', async (context) => {
  const { endpoint } = await fakeS3(context);
  const dataDir = await folderOf(context);
  const settings = {
    mediaStore: `s3://bucket?endpoint=${endpoint}`,
    dataDir,
    s3AccessKeyId: 'key',
    s3SecretAccessKey: 'wrong',
  };
  const store = createMediaStore(settings, createSpool(dataDir));
  await assert.rejects(store.check(), /the media store answered 403/);
  await assert.rejects(store.open('a'), /the media store answered 403 SignatureDoesNotMatch/);
  assert.throws(
    () => createMediaStore({ ...settings, s3AccessKeyId: null }, createSpool(dataDir)),
    /S3_ACCESS_KEY_ID/,
  );
});

test('a spool that is given up, or fails midway, leaves nothing; what is old is swept', async (context) => {
  const folder = await folderOf(context);
  const spool = createSpool(folder);
  const broken = (async function* () {
    yield Buffer.from('half');
    throw new Error('broken');
  })();
  await assert.rejects(spool.fill(broken), /broken/);
  await (await spool.open()).discard();
  assert.deepEqual(await readdir(folder), []);
  await spool.fill(chunks('forgotten'));
  await spool.sweep(new Date(0));
  assert.equal((await readdir(folder)).length, 1);
  await spool.sweep(new Date(Date.now() + 60_000));
  assert.deepEqual(await readdir(folder), []);
});
