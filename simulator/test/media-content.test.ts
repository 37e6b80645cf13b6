// Files are looked into, and links are fetched: what no phone could show is not taken for sent.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, test } from 'node:test';
import { isLoopback, isPublic } from '../src/media/public-addresses.ts';
import { type Kit, type Lifetime, numberId, startKit } from './harness.ts';
import { pngOf, tinyMp4, tinyOgg, tinyPng, track, webpOf } from './tiny-files.ts';

const [h264, aac] = [track('vide', 'avc1'), track('soun', 'mp4a')];

suite('an uploaded file', () => {
  const upload = async (kit: Kit, mime: string, bytes: Buffer) => {
    const form = new FormData();
    form.set('messaging_product', 'whatsapp');
    form.set('type', mime);
    form.set('file', new Blob([new Uint8Array(bytes)], { type: mime }), 'file');
    const { body } = await kit.call('POST', `/v25.0/${numberId}/media`, form);
    return body.error?.code ?? 'taken';
  };
  test('is taken when its coding is one the provider names, and refused with 131053 when not', async (context) => {
    const kit = await startKit(context);
    const cases: [string, Buffer, 'taken' | 131053][] = [
      ['image/png', tinyPng, 'taken'],
      ['image/png', pngOf(8, 2), 'taken'],
      ['image/png', pngOf(16, 6), 131053],
      ['image/png', pngOf(8, 3), 131053],
      ['image/jpeg', tinyPng, 131053],
      ['audio/ogg', tinyOgg('OpusHead', 1), 'taken'],
      ['audio/ogg; codecs=opus', tinyOgg('OpusHead', 1), 'taken'],
      ['audio/ogg', tinyOgg('OpusHead', 2), 131053],
      ['audio/ogg', tinyOgg('\x01vorbis.', 1), 131053],
      ['audio/mpeg', Buffer.from('ID3\x03', 'latin1'), 'taken'],
      ['audio/mpeg', tinyOgg('OpusHead', 1), 131053],
      ['audio/amr', Buffer.from('#!AMR\n'), 'taken'],
      ['audio/aac', Buffer.from([0xff, 0xf1, 0x50]), 'taken'],
      ['audio/mp4', tinyMp4(aac), 'taken'],
      ['audio/mp4', tinyMp4(h264), 131053],
      ['video/mp4', tinyMp4(h264, aac), 'taken'],
      ['video/mp4', tinyMp4(h264), 'taken'],
      ['video/3gpp', tinyMp4(h264, aac), 'taken'],
      ['video/mp4', tinyMp4(track('vide', 'hvc1'), aac), 131053],
      ['video/mp4', tinyMp4(h264, track('soun', 'ac-3')), 131053],
      ['video/mp4', tinyMp4(h264, aac, aac), 131053],
      ['video/mp4', tinyMp4(aac), 131053],
      ['video/mp4', tinyMp4(), 131053],
      ['video/mp4', tinyMp4(h264, aac).subarray(0, 60), 131053],
      ['video/mp4', Buffer.from('no video'), 131053],
      ['image/webp', webpOf(100 * 1024, false), 'taken'],
      ['image/webp', webpOf(100 * 1024 + 1, false), 131053],
      ['image/webp', webpOf(300 * 1024, true), 'taken'],
      ['image/webp', webpOf(500 * 1024 + 1, true), 131053],
    ];
    for (const [i, [mime, bytes, outcome]] of cases.entries())
      assert.equal(await upload(kit, mime, bytes), outcome, `case ${i}: ${mime}`);
  });
});

/** A file host on this machine; counts what it is asked. */
async function startHost(lifetime: Lifetime) {
  const asked: string[] = [];
  const server = createServer((incoming, answer) => {
    const { pathname } = new URL(incoming.url!, 'http://host');
    asked.push(pathname);
    const redirect = /^\/to\/(.*)$/.exec(pathname)?.[1];
    if (redirect !== undefined) {
      answer.writeHead(302, { location: decodeURIComponent(redirect) }).end();
    } else if (pathname === '/endless.png') {
      answer.writeHead(200, { 'content-type': 'image/png' });
      const more = () => {
        while (!answer.destroyed && answer.write(Buffer.alloc(64 * 1024, 1)));
      };
      answer.on('drain', more);
      more();
    } else if (pathname === '/a.png') {
      answer.writeHead(200, { 'content-type': 'image/png' }).end(tinyPng);
    } else if (pathname === '/lies.png') {
      answer.writeHead(200, { 'content-type': 'image/png' }).end('no picture');
    } else if (pathname === '/page') {
      answer.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in first');
    } else {
      answer.writeHead(404).end();
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  lifetime.after(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

suite('a link', () => {
  const sendImage = (kit: Kit, link: string) => kit.send({ type: 'image', image: { link } });
  const end = async (kit: Kit) => {
    const last = (await kit.statuses()).at(-1);
    return last.errors?.[0].code ?? last.status;
  };

  test('is fetched once in ten minutes, and the message goes on when the file will do', async (context) => {
    const host = await startHost(context);
    const kit = await startKit(context, { links: 'loopback' });
    await kit.openWindow();
    for (let i = 0; i < 2; i += 1) await sendImage(kit, `${host.url}/a.png`);
    assert.equal(await end(kit), 'read');
    assert.deepEqual(host.asked, ['/a.png']);
    await kit.control.advance(10 * 60_000);
    await sendImage(kit, `${host.url}/a.png`);
    assert.equal(await end(kit), 'read');
    assert.equal(host.asked.length, 2);
    await sendImage(kit, `${host.url}/to/${encodeURIComponent(`${host.url}/a.png`)}`);
    assert.equal(await end(kit), 'read');
  });

  test('to nothing, to another kind of file, to a false one, to one without end or round in a circle fails with 131053', async (context) => {
    const host = await startHost(context);
    const kit = await startKit(context, { links: 'loopback' });
    await kit.openWindow();
    const circle = `${host.url}/to/`;
    for (const path of ['/none.png', '/page', '/lies.png', '/endless.png', '/to/']) {
      await sendImage(kit, path === '/to/' ? circle : host.url + path);
      assert.equal(await end(kit), 131053, path);
    }
    await kit.send({ type: 'sticker', sticker: { link: `${host.url}/a.png` } });
    assert.equal(await end(kit), 131053);
    assert.equal(kit.control.messages().data.at(-1)!.failure, 131053);
  });

  test('never leads to this machine unless that is allowed, and to private networks never', async (context) => {
    const host = await startHost(context);
    const careful = await startKit(context, { links: 'public' });
    await careful.openWindow();
    const port = new URL(host.url).port;
    for (const link of [
      `${host.url}/a.png`,
      `http://localhost:${port}/a.png`,
      `http://[::ffff:127.0.0.1]:${port}/a.png`,
    ]) {
      await sendImage(careful, link);
      assert.equal(await end(careful), 131053, link);
    }
    assert.deepEqual(host.asked, []);
    const developing = await startKit(context, { links: 'loopback' });
    await developing.openWindow();
    for (const target of [
      'http://10.0.0.1/a.png',
      'http://169.254.169.254/latest/meta-data',
      'ftp://127.0.0.1/a',
    ]) {
      await sendImage(developing, `${host.url}/to/${encodeURIComponent(target)}`);
      assert.equal(await end(developing), 131053, target);
    }
  });

  test('to a name of examples is believed, and one that cannot be is not', async (context) => {
    const kit = await startKit(context, { links: 'public' });
    await kit.openWindow();
    for (const [link, outcome] of [
      ['https://img.example/a.jpg', 'read'],
      ['https://www.example.com/a.jpg', 'read'],
      ['https://files.invalid/a.jpg', 131053],
    ] as const) {
      await sendImage(kit, link);
      assert.equal(await end(kit), outcome, link);
    }
  });
});

test('addresses of this machine, of private networks and of nobody are not public', () => {
  const hidden =
    '127.0.0.1 10.1.2.3 172.31.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 255.255.255.255 ::1 :: fe80::1 fc00::1 ::ffff:8.8.8.8 64:ff9b::7f00:1 2002:7f00:1:: 2001:db8::1 nonsense';
  for (const address of hidden.split(' ')) assert.ok(!isPublic(address), address);
  for (const address of ['8.8.8.8', '1.1.1.1', '2606:4700::1111']) assert.ok(isPublic(address), address);
  for (const address of ['127.0.0.1', '127.9.9.9', '::1']) assert.ok(isLoopback(address), address);
  for (const address of ['10.0.0.1', '8.8.8.8', '::2', 'nonsense']) assert.ok(!isLoopback(address), address);
});
