// The scanner over its own protocol, on a real socket: what it says, what it does not say, and what becomes of media.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { Lifetime } from '../../../test/harness/lifetime.ts';
import { startMediaApp } from '../../../test/harness/media.ts';
import { eicar, jpeg } from '../../modules/media/examine/files.test-data.ts';
import { ScannerUnavailable } from '../../modules/media/index.ts';
import { clamdScanner } from './clamd.ts';

type Behaviour = 'honest' | 'silent' | 'hangs up' | 'too small' | 'nonsense';

/** Speaks INSTREAM as the daemon does, and knows the test file. */
async function fakeClamd(lifetime: Lifetime, behaviour: Behaviour = 'honest', path?: string) {
  const state = { behaviour, scans: 0, bytes: 0 };
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    if (state.behaviour === 'hangs up') return void socket.end();
    let heard = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      heard = Buffer.concat([heard, chunk]);
      const end = heard.indexOf(0);
      const command = heard.toString('latin1', 0, end);
      if (command === 'zPING') socket.end('PONG\0');
      if (command === 'zINSTREAM') answer(socket, heard.subarray(end + 1));
    });
  });
  const answer = (socket: net.Socket, stream: Buffer) => {
    const parts: Buffer[] = [];
    for (let at = 0; at + 4 <= stream.length; ) {
      const length = stream.readUInt32BE(at);
      if (length === 0) {
        state.scans += 1;
        const file = Buffer.concat(parts);
        state.bytes = file.length;
        if (state.behaviour === 'silent') return;
        if (state.behaviour === 'nonsense') return void socket.end('what?\0');
        return void socket.end(file.includes(eicar) ? 'stream: Eicar-Signature FOUND\0' : 'stream: OK\0');
      }
      parts.push(stream.subarray(at + 4, at + 4 + length));
      at += 4 + length;
      if (state.behaviour === 'too small') return void socket.end('INSTREAM size limit exceeded. ERROR\0');
    }
  };
  await new Promise<void>((listening) =>
    path ? server.listen(path, listening) : server.listen(0, '127.0.0.1', listening),
  );
  lifetime.after(async () => void server.close());
  const url = path ? `unix://${path}` : `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, { url, server });
}

const streamOf =
  (...chunks: Buffer[]) =>
  () =>
    Readable.from(chunks);

test('a clean file is clean and the test file is found, over TCP and over a socket file', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'godwit-clamd-'));
  context.after(() => rm(folder, { recursive: true }));
  for (const daemon of [await fakeClamd(context), await fakeClamd(context, 'honest', join(folder, 's'))]) {
    const scanner = clamdScanner(daemon.url);
    assert.deepEqual(await scanner.scan(streamOf(Buffer.alloc(300_000, 1), Buffer.from('x'))), {
      clean: true,
    });
    assert.equal(daemon.bytes, 300_001);
    const found = await scanner.scan(streamOf(eicar.subarray(0, 10), eicar.subarray(10)));
    assert.deepEqual(found, { clean: false, signature: 'Eicar-Signature' });
    await scanner.check();
  }
});

test('whatever is no verdict is no verdict: hanging up, a limit, other words, nobody there', async (context) => {
  for (const behaviour of ['hangs up', 'too small', 'nonsense'] as const) {
    const { url } = await fakeClamd(context, behaviour);
    await assert.rejects(clamdScanner(url).scan(streamOf(Buffer.alloc(100))), ScannerUnavailable, behaviour);
  }
  const { url, server } = await fakeClamd(context);
  await new Promise((closed) => server.close(closed));
  await assert.rejects(clamdScanner(url).scan(streamOf(eicar)), ScannerUnavailable);
  await assert.rejects(clamdScanner(url).check(), ScannerUnavailable);
});

test('a file that cannot be read to its end is not called clean', async (context) => {
  const { url } = await fakeClamd(context);
  const broken = () =>
    Readable.from(
      (async function* () {
        yield Buffer.alloc(10);
        throw new Error('the disk is broken');
      })(),
    );
  await assert.rejects(clamdScanner(url).scan(broken), /the disk is broken/);
});

test('with ClamAV named, media is READY or REJECTED by its word', async (context) => {
  const daemon = await fakeClamd(context);
  const app = await startMediaApp(context, { env: { CLAMD_URL: daemon.url } });
  const good = await app.take(await jpeg());
  assert.deepEqual([good.status, good.scan.scanner], ['READY', 'built-in+clamav']);
  assert.equal(daemon.scans, 1);
  // Hidden where the built-in check does not look: it knows only the exact text, and so does the fake.
  const bad = await app.take(eicar, { filename: 'a.txt' });
  assert.deepEqual([bad.status, bad.scan.reasons[0].code], ['REJECTED', 'MALWARE']);
});

test('while the scanner cannot be asked nothing is READY; it is tried again, and given up after an hour', async (context) => {
  const daemon = await fakeClamd(context, 'hangs up');
  const app = await startMediaApp(context, { role: 'api', env: { CLAMD_URL: daemon.url } });
  const [one, two] = [
    (await app.upload(await jpeg())).body.sid,
    (await app.upload(await jpeg(9, 9))).body.sid,
  ];
  const status = async (sid: string) => (await app.get(`${app.at}/media/${sid}`)).body.status;
  const scan = (mediaSid: string) => app.runJob('media.scan', { mediaSid });
  await assert.rejects(scan(one), ScannerUnavailable);
  await assert.rejects(scan(two), ScannerUnavailable);
  assert.deepEqual([await status(one), await status(two)], ['SCANNING', 'SCANNING']);
  assert.equal((await app.get(`${app.at}/media/${one}/content`)).body.error.code, 'MEDIA_NOT_READY');

  daemon.behaviour = 'honest';
  await scan(one);
  assert.equal(await status(one), 'READY');

  daemon.behaviour = 'hangs up';
  app.clock.advance(59 * 60_000);
  await assert.rejects(scan(two), ScannerUnavailable);
  app.clock.advance(60_000);
  await scan(two);
  const given = await app.settled(two);
  assert.deepEqual([given.status, given.scan.reasons[0].code], ['REJECTED', 'SCANNER_UNAVAILABLE']);
  assert.deepEqual(await app.emitted(), ['media.ready', 'media.rejected']);
});
