// Runs in a process of its own: it moves the timers of its process.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import busboy from 'busboy';
import { type Lifetime, sharedLifetime } from '../../../test/harness/lifetime.ts';
import { until } from '../../../test/harness/until.ts';
import type { Connection, MediaFile, OutboundMessage } from '../../modules/provider/index.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { createProvider } from './provider.ts';

type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: Buffer };
type Answer = (request: Seen, response: ServerResponse) => void;

/** A provider that answers as it is told and remembers what it was asked. */
async function standIn(lifetime: Lifetime, answer: Answer) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => Buffer.alloc(0));
    const asked = { method: request.method!, url: request.url!, headers: request.headers, body };
    seen.push(asked);
    answer(asked, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  lifetime.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const connection = { baseUrl: `http://127.0.0.1:${port}`, apiVersion: 'v24.0', accessToken: 'secret' };
  return { connection, seen };
}

const json =
  (status: number, body: unknown): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

const accepted = {
  messaging_product: 'whatsapp',
  contacts: [{ input: '+33612003400', wa_id: '33612003400' }],
  messages: [{ id: 'wamid.OUT', message_status: 'accepted' }],
};
const message: OutboundMessage = {
  phoneNumberId: '106000300040005',
  transport: 'cloud_api',
  recipient: { phone: '+33612003400' },
  content: { type: 'text', text: { body: 'Hello' } },
  mediaIds: new Map(),
  flowIds: new Map(),
  replyTo: null,
  opaque: 'SM01J9ZK3V7T8Q2M4N6P8R0S2T4V',
};
const file = (bytes: Buffer, open = () => Readable.from([bytes], { objectMode: false })): MediaFile => ({
  filename: 'a "quoted"\r\nname.pdf',
  mimeType: 'application/pdf',
  sizeBytes: bytes.length,
  open,
});

/** A sink that keeps what it is given. */
const collector = (maxBytes: number) => {
  const chunks: Buffer[] = [];
  const write = async (chunk: Buffer) => void chunks.push(chunk);
  return { maxBytes, write, bytes: () => Buffer.concat(chunks) };
};

/** Whether a count that is still rising has come to rest, in 20 looks. */
async function isStill(count: () => number): Promise<boolean> {
  const before = count();
  for (let looks = 0; looks < 20; looks += 1) {
    await sleep(10);
    if (count() !== before) return false;
  }
  return true;
}

/** The parts of a form, files as their hashes. */
async function formOf({ headers, body }: Seen): Promise<Record<string, string>> {
  const parts: Record<string, string> = {};
  const files: Promise<void>[] = [];
  const form = busboy({ headers });
  form.on('field', (name, value) => {
    parts[name] = value;
  });
  form.on('file', (name, stream, { filename, mimeType }) => {
    const read = async () => {
      parts[name] = sha256Hex(await buffer(stream));
    };
    Object.assign(parts, { [`${name} name`]: filename, [`${name} type`]: mimeType });
    files.push(read());
  });
  await new Promise((done) => form.on('close', done).end(body));
  await Promise.all(files);
  return parts;
}

const lifetime = sharedLifetime();
const provider = createProvider();
lifetime.after(async () => provider.close?.());

suite('sending', () => {
  test('hands the message over and hears its id', async (context) => {
    const { connection, seen } = await standIn(context, json(200, accepted));
    assert.deepEqual(await provider.send(connection, message), {
      ok: true,
      value: { providerMessageId: 'wamid.OUT', waId: '33612003400', bsuid: null, messageStatus: 'accepted' },
    });
    const [asked] = seen;
    assert.deepEqual([asked!.method, asked!.url], ['POST', '/v24.0/106000300040005/messages']);
    assert.equal(asked!.headers.authorization, 'Bearer secret');
    assert.equal(JSON.parse(asked!.body.toString()).text.body, 'Hello');
  });
  test('a marketing message goes its own way', async (context) => {
    const { connection, seen } = await standIn(context, json(200, accepted));
    const content = { type: 'template', template: { name: 'offer', language: 'en' } } as const;
    await provider.send(connection, { ...message, transport: 'marketing_messages', content });
    assert.equal(seen[0]!.url, '/v24.0/106000300040005/marketing_messages');
  });
  test('connections serve one message after another', async (context) => {
    const sockets = new Set<unknown>();
    const { connection } = await standIn(context, (request, response) => {
      sockets.add(response.socket);
      json(200, accepted)(request, response);
    });
    for (let i = 0; i < 20; i += 1) await provider.send(connection, message);
    assert.ok(sockets.size <= 2, `${sockets.size} connections for 20 messages`);
  });
  test('a refusal is explained in our words and in theirs', async (context) => {
    const error = {
      code: 131056,
      message: '(#131056) Pair rate limit hit',
      error_data: { details: 'Too many.' },
    };
    const { connection } = await standIn(context, json(400, { error }));
    assert.deepEqual(await provider.send(connection, message), {
      ok: false,
      failure: {
        code: 'PROVIDER_RATE_LIMITED',
        retryable: true,
        providerCode: 131056,
        providerSubcode: null,
        reason: 'Too many. (#131056) Pair rate limit hit',
        retryAfterMs: 6_000,
      },
    });
  });
  test('a limit says in a header how long it lasts', async (context) => {
    const usage = { 104000200030001: [{ type: 'messaging', estimated_time_to_regain_access: 7 }] };
    const { connection } = await standIn(context, (_request, response) => {
      response.setHeader('x-business-use-case-usage', JSON.stringify(usage));
      response.writeHead(400).end(JSON.stringify({ error: { code: 80007, message: 'limit' } }));
    });
    const answer = await provider.send(connection, message);
    assert.equal(!answer.ok && answer.failure.retryAfterMs, 7 * 60_000);
  });
  test('is not sent when it can no longer begin, and may be tried again', async (context) => {
    const { connection, seen } = await standIn(context, json(200, accepted));
    const answered = await provider.send(connection, message, () => false);
    assert.deepEqual(answered.ok ? null : [answered.failure.code, answered.failure.retryable], [
      'PROVIDER_TEMPORARY_ERROR',
      true,
    ]);
    // On the connection that was just opened for nothing, or another: only this one arrives.
    assert.equal((await provider.send(connection, message, () => true)).ok, true);
    assert.equal(seen.length, 1);
  });

  test('what cannot be built is not sent', async (context) => {
    const { connection, seen } = await standIn(context, json(200, accepted));
    const content = { type: 'image', media: { sid: 'ME01J9ZK3V7T8Q2M4N6P8R0S2T4V' } } as const;
    const answer = await provider.send(connection, { ...message, content });
    assert.equal(!answer.ok && answer.failure.code, 'MESSAGE_BUILD_FAILED');
    assert.equal(seen.length, 0);
  });
});

const outcome = async (connection: Connection) => {
  const answer = await provider.send(connection, message);
  assert.ok(!answer.ok);
  return [answer.failure.code, answer.failure.retryable];
};
const unknown = ['PROVIDER_RESULT_UNKNOWN', false];

suite('a message whose answer is lost is never simply repeated', () => {
  const losses: Record<string, Answer> = {
    'the connection is reset': (_request, response) => response.socket!.resetAndDestroy(),
    'the connection closes without an answer': (_request, response) => response.socket!.destroy(),
    'the answer breaks off': (_request, response) => {
      response.writeHead(200, { 'content-length': '500' });
      response.write('{"messages":[', () => response.socket!.destroy());
    },
    'the answer is no JSON': (_request, response) => response.writeHead(200).end('<html>'),
    'the answer is empty': (_request, response) => response.writeHead(200).end(),
    'the answer holds no id': json(200, { messages: [{}] }),
    'the answer is another command’s': json(200, { success: true }),
    'a gateway fails': (_request, response) => response.writeHead(502).end('Bad Gateway'),
    'a gateway runs out of time': (_request, response) => response.writeHead(504).end(),
    'a server fails without a word': json(500, {}),
    'the request ran out of time on the way': (_request, response) => response.writeHead(408).end(),
    'the answer is no HTTP': (_request, response) => void response.socket!.end('garbage\r\n\r\n'),
  };
  for (const [what, answer] of Object.entries(losses)) {
    test(what, async (context) => {
      const { connection, seen } = await standIn(context, answer);
      assert.deepEqual(await outcome(connection), unknown);
      assert.equal(seen.length, 1, 'it was sent once');
    });
  }
  test('a kept connection dies under the next message', async (context) => {
    let answered = 0;
    const { connection, seen } = await standIn(context, (request, response) => {
      answered += 1;
      if (answered === 1) json(200, accepted)(request, response);
      else response.socket!.resetAndDestroy();
    });
    assert.ok((await provider.send(connection, message)).ok);
    assert.deepEqual(await outcome(connection), unknown);
    assert.equal(seen.length, 2);
  });
  test('the provider never answers', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { connection, seen } = await standIn(context, () => context.mock.timers.tick(31_000));
    assert.deepEqual(await outcome(connection), unknown);
    assert.equal(seen.length, 1);
  });
});

suite('a message that never left may be repeated', () => {
  const passing = ['PROVIDER_TEMPORARY_ERROR', true];
  const at = (baseUrl: string): Connection => ({ baseUrl, apiVersion: 'v24.0', accessToken: 'secret' });
  test('nobody listens', async () => {
    const server = net.createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    await new Promise((done) => server.close(done));
    assert.deepEqual(await outcome(at(`http://127.0.0.1:${port}`)), passing);
  });
  test('the name does not exist', async () => {
    assert.deepEqual(await outcome(at('http://provider.invalid')), passing);
  });
  test('the other end speaks no TLS', async (context) => {
    const { connection } = await standIn(context, json(200, accepted));
    assert.deepEqual(await outcome(at(connection.baseUrl.replace('http:', 'https:'))), passing);
  });
  test('the provider says so', async (context) => {
    const { connection } = await standIn(context, json(503, { error: { code: 2, message: 'Service down' } }));
    assert.deepEqual(await outcome(connection), passing);
  });
  test('too many requests, in nobody’s words', async (context) => {
    const { connection } = await standIn(context, (_request, response) => response.writeHead(429).end());
    assert.deepEqual(await outcome(connection), ['PROVIDER_RATE_LIMITED', true]);
  });
});

suite('files', () => {
  const bytes = Buffer.from('%PDF-1.7 '.repeat(20_000));

  test('are uploaded as one form, whatever they are called', async (context) => {
    const { connection, seen } = await standIn(context, json(200, { id: '1402220011330044' }));
    const answer = await provider.uploadMedia(connection, '106', file(bytes));
    assert.deepEqual(answer, { ok: true, value: { mediaId: '1402220011330044' } });
    assert.deepEqual(await formOf(seen[0]!), {
      messaging_product: 'whatsapp',
      type: 'application/pdf',
      file: sha256Hex(bytes),
      'file name': 'a %22quoted%22%0D%0Aname.pdf',
      'file type': 'application/pdf',
    });
  });
  test('that cannot be read are a failure and nothing worse', async (context) => {
    const { connection } = await standIn(context, json(200, { id: '1' }));
    const broken = file(bytes, () => {
      return new Readable({ read: (): never => void 0 as never }).destroy(new Error('disk'));
    });
    const answer = await provider.uploadMedia(connection, '106', broken);
    assert.equal(!answer.ok && answer.failure.code, 'PROVIDER_TEMPORARY_ERROR');
  });
  test('are fetched with the token, up to a size', async (context) => {
    const { connection, seen } = await standIn(context, (_request, response) => response.end(bytes));
    const url = `${connection.baseUrl}/file`;
    const whole = collector(bytes.length);
    assert.deepEqual(await provider.downloadMedia(connection, url, whole), { ok: true, value: null });
    assert.ok(whole.bytes().equals(bytes));
    assert.equal(seen[0]!.headers.authorization, 'Bearer secret');
    const less = collector(bytes.length - 1);
    const large = await provider.downloadMedia(connection, url, less);
    assert.equal(!large.ok && large.failure.code, 'MEDIA_PROVIDER_ERROR');
    assert.ok(less.bytes().length < bytes.length, 'nothing is taken beyond the size');
  });
  test('flow through: while a piece is being written the provider waits, and no memory fills', async (context) => {
    const piece = Buffer.alloc(64 * 1024, 'godwit');
    const pieces = 1_600;
    let sent = 0;
    const { connection } = await standIn(context, async (_request, response) => {
      for (; sent < pieces; sent += 1) if (!response.write(piece)) await once(response, 'drain');
      response.end();
    });
    const held = Promise.withResolvers<void>();
    const hash = createHash('sha256');
    let busy = false;
    const write = async (chunk: Buffer) => {
      assert.equal(busy, false, 'one piece at a time');
      busy = true;
      hash.update(chunk);
      await held.promise;
      busy = false;
    };
    const url = `${connection.baseUrl}/file`;
    const downloading = provider.downloadMedia(connection, url, { maxBytes: pieces * piece.length, write });
    await until('the provider can send no more', () => busy && isStill(() => sent));
    assert.ok(sent < pieces / 2, `${sent} of ${pieces} pieces were sent to somebody who took one`);
    held.resolve();
    assert.deepEqual(await downloading, { ok: true, value: null });
    const expected = createHash('sha256');
    for (let count = 0; count < pieces; count += 1) expected.update(piece);
    assert.equal(hash.digest('hex'), expected.digest('hex'));
  });
  test('that cannot be written fail with the reason, and the rest is not read', async (context) => {
    let closed = false;
    const { connection } = await standIn(context, (_request, response) => {
      response.once('close', () => {
        closed = true;
      });
      response.write(bytes); // and then nothing, for as long as somebody reads
    });
    const full = new Error('the disk is full');
    const write = async () => {
      throw full;
    };
    const url = `${connection.baseUrl}/file`;
    const downloading = provider.downloadMedia(connection, url, { maxBytes: 1_000_000, write });
    await assert.rejects(downloading, (error) => error === full);
    await until('the connection is closed', () => closed);
  });
  test('an answer that is not the file is not taken for it, however long it is', async (context) => {
    const { connection } = await standIn(context, (_request, response) =>
      response.writeHead(503).end(Buffer.alloc(9 * 1024 * 1024)),
    );
    const taken = collector(1_000_000);
    const answer = await provider.downloadMedia(connection, `${connection.baseUrl}/file`, taken);
    assert.ok(!answer.ok && answer.failure.retryable);
    assert.equal(taken.bytes().length, 0);
  });
  test('are never fetched from a stranger, who would learn the token', async (context) => {
    const stranger = await standIn(context, (_request, response) => response.end(bytes));
    const { connection } = await standIn(context, json(200, {}));
    for (const url of [
      `${stranger.connection.baseUrl}/file`,
      'http://lookaside.fbsbx.com/file',
      'https://fbsbx.com.example/file',
      'nonsense',
    ]) {
      const answer = await provider.downloadMedia(connection, url, collector(1_000_000));
      assert.equal(!answer.ok && answer.failure.code, 'MEDIA_PROVIDER_ERROR', url);
    }
    assert.equal(stranger.seen.length, 0);
  });
  test('an expired link can be asked for again', async (context) => {
    const { connection } = await standIn(context, (_request, response) => response.writeHead(404).end());
    const answer = await provider.downloadMedia(connection, `${connection.baseUrl}/file`, collector(1_000));
    assert.ok(!answer.ok && answer.failure.retryable);
  });
  test('of templates go on where they broke off', async (context) => {
    let stored = Buffer.alloc(0);
    let breaks = 0;
    const { connection, seen } = await standIn(context, ({ method, url, headers, body }, response) => {
      if (url.includes('/uploads')) return void response.end('{"id":"upload:abc"}');
      if (method === 'GET')
        return void response.end(JSON.stringify({ id: 'upload:abc', file_offset: stored.length }));
      assert.equal(Number(headers.file_offset), stored.length);
      breaks += 1;
      const taken = breaks < 3 ? body.subarray(0, 50_000) : body;
      stored = Buffer.concat([stored, taken]);
      if (breaks < 3) response.socket!.destroy();
      else response.end('{"h":"4::handle"}');
    });
    const answer = await provider.uploadTemplateHeader(connection, 'app', file(bytes));
    assert.deepEqual(answer, { ok: true, value: { handle: '4::handle' } });
    assert.ok(stored.equals(bytes));
    const session = new URL(seen[0]!.url, 'http://x');
    assert.equal(session.searchParams.get('file_length'), String(bytes.length));
  });
});

suite('management', () => {
  test('a list goes on only while there is a next page', async (context) => {
    const template = { id: 7, name: 'a', language: 'fr', status: 'APPROVED', category: 'UTILITY' };
    const paging = { cursors: { after: 'NEXT' } };
    let next: object = { next: 'https://x' };
    const { connection, seen } = await standIn(context, (request, response) => {
      json(200, { data: [template, {}, 'nonsense'], paging: { ...paging, ...next } })(request, response);
      next = {};
    });
    const first = await provider.listTemplates(connection, '104', null);
    assert.ok(first.ok);
    assert.deepEqual(
      [first.value.items.length, first.value.items[0]!.id, first.value.after],
      [1, '7', 'NEXT'],
    );
    const last = await provider.listTemplates(connection, '104', 'NEXT');
    assert.equal(last.ok && last.value.after, null);
    assert.match(seen[1]!.url, /after=NEXT/);
  });
  test('a template whose making nobody confirmed is unknown, and a read may be repeated', async (context) => {
    const { connection } = await standIn(context, (_request, response) => response.socket!.destroy());
    const made = await provider.createTemplate(connection, '104', {
      name: 'a',
      language: 'fr',
      category: 'UTILITY',
      components: [],
      parameterFormat: 'NAMED',
    });
    assert.equal(!made.ok && made.failure.code, 'PROVIDER_RESULT_UNKNOWN');
    const read = await provider.getPhoneNumber(connection, '106');
    assert.equal(!read.ok && read.failure.code, 'PROVIDER_TEMPORARY_ERROR');
  });

  test('a number is added new or moved from elsewhere, and one whose adding nobody confirmed is unknown', async (context) => {
    const { connection, seen } = await standIn(context, json(200, { id: 107 }));
    const number = { countryCode: '33', number: '180001000' };
    assert.deepEqual(await provider.addPhoneNumber(connection, '104', { ...number, migrate: true }), {
      ok: true,
      value: { phoneNumberId: '107' },
    });
    await provider.addPhoneNumber(connection, '104', { ...number, verifiedName: 'Depot', migrate: false });
    assert.deepEqual(
      seen.map(({ method, url, body }) => [`${method} ${url}`, JSON.parse(body.toString())]),
      [
        [
          'POST /v24.0/104/phone_numbers',
          { cc: '33', phone_number: '180001000', migrate_phone_number: true },
        ],
        ['POST /v24.0/104/phone_numbers', { cc: '33', phone_number: '180001000', verified_name: 'Depot' }],
      ],
    );
    const dead = await standIn(context, (_request, response) => response.socket!.destroy());
    const lost = await provider.addPhoneNumber(dead.connection, '104', { ...number, migrate: true });
    assert.equal(!lost.ok && lost.failure.code, 'PROVIDER_RESULT_UNKNOWN');
  });

  const done = { ok: true, value: null };
  test('every command is the call the provider documents', async (context) => {
    const { connection, seen } = await standIn(context, json(200, { success: true }));
    const c = connection;
    const commands: [Promise<unknown>, string, object | null][] = [
      [
        provider.markRead(c, '106', 'wamid.IN'),
        'POST /v24.0/106/messages',
        { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.IN' },
      ],
      [provider.deleteMedia(c, '140'), 'DELETE /v24.0/140', null],
      [provider.editTemplate(c, '77', { category: 'UTILITY' }), 'POST /v24.0/77', { category: 'UTILITY' }],
      [provider.deleteTemplate(c, '104', 'a'), 'DELETE /v24.0/104/message_templates?name=a', null],
      [
        provider.deleteTemplate(c, '104', 'a', '77'),
        'DELETE /v24.0/104/message_templates?hsm_id=77&name=a',
        null,
      ],
      [
        provider.requestVerificationCode(c, '106', { method: 'VOICE', language: 'fr' }),
        'POST /v24.0/106/request_code',
        { code_method: 'VOICE', language: 'fr' },
      ],
      [provider.verifyPhoneNumber(c, '106', '123456'), 'POST /v24.0/106/verify_code', { code: '123456' }],
      [
        provider.registerPhoneNumber(c, '106', '482916'),
        'POST /v24.0/106/register',
        { messaging_product: 'whatsapp', pin: '482916' },
      ],
      [
        provider.deregisterPhoneNumber(c, '106'),
        'POST /v24.0/106/deregister',
        { messaging_product: 'whatsapp' },
      ],
      [provider.setTwoStepPin(c, '106', '482917'), 'POST /v24.0/106', { pin: '482917' }],
      [
        provider.updateBusinessProfile(c, '106', { about: 'Pots', profilePictureHandle: '4::h' }),
        'POST /v24.0/106/whatsapp_business_profile',
        { messaging_product: 'whatsapp', about: 'Pots', profile_picture_handle: '4::h' },
      ],
      [provider.subscribe(c, '104'), 'POST /v24.0/104/subscribed_apps', {}],
      [provider.unsubscribe(c, '104'), 'DELETE /v24.0/104/subscribed_apps', null],
      [
        provider.blockUsers(c, '106', ['+33612003400', 'FR.4812']),
        'POST /v24.0/106/block_users',
        { messaging_product: 'whatsapp', block_users: [{ user: '+33612003400' }, { user_id: 'FR.4812' }] },
      ],
      [
        provider.unblockUsers(c, '106', ['+33612003400']),
        'DELETE /v24.0/106/block_users',
        { messaging_product: 'whatsapp', block_users: [{ user: '+33612003400' }] },
      ],
    ];
    for (const [answer] of commands) assert.deepEqual(await answer, done);
    const asked = seen.map(({ method, url, body }) => [
      `${method} ${url}`,
      body.length > 0 ? JSON.parse(body.toString()) : null,
    ]);
    const key = ([call]: unknown[]) => String(call);
    const byKey = (a: unknown[], b: unknown[]) => (key(a) < key(b) ? -1 : 1);
    assert.deepEqual(
      asked.sort(byKey),
      commands.map(([, call, body]) => [call, body] as unknown[]).sort(byKey),
    );
  });
  test('bills of a partner read to the last cent, and one that cannot be read makes the answer worthless', async (context) => {
    const bill = (more: object) => ({
      id: '32202610',
      type: 'INV',
      billing_period: '2026-10-01',
      currency: 'USD',
      amount: '1,500.00',
      ...more,
    });
    let data: unknown[] = [
      bill({ billed_amount_details: { net_amount: '1,234.56', tax_amount: '265.44' } }),
      bill({ id: 33, type: 'CM', amount: '-0.5', currency: 'EUR' }),
      bill({ type: 'DM', amount: 12 }),
      bill({ type: 'PRO_FORMA', billing_period: '2026-11' }),
    ];
    const { connection, seen } = await standIn(context, (request, response) =>
      json(200, { data })(request, response),
    );
    const span = { from: new Date('2026-08-01'), to: new Date('2026-11-01'), after: null };
    const ask = () => provider.listBusinessInvoices(connection, '300', span);
    const told = await ask();
    assert.ok(told.ok);
    assert.deepEqual(
      told.value.items.map(({ id, month, kind, currency, netMinor, scale }) => [
        id,
        month,
        kind,
        `${netMinor}/${scale} ${currency}`,
      ]),
      [
        ['32202610', '2026-10', 'bill', '123456/2 USD'],
        ['33', '2026-10', 'credit', '5/1 EUR'],
        ['32202610', '2026-10', 'bill', '12/0 USD'],
        ['32202610', '2026-11', null, '150000/2 USD'],
      ],
    );
    const { pathname, searchParams } = new URL(seen[0]!.url, 'http://x');
    assert.deepEqual(
      [pathname, searchParams.get('start_date'), searchParams.get('end_date')],
      ['/v24.0/300/business_invoices', '2026-08-01', '2026-11-01'],
    );
    const worthless = [
      { amount: 'many' },
      { amount: '1e3' },
      { currency: 'dollars' },
      { billing_period: '2026-13-01' },
      { type: 'GIFT' },
      { type: 'toString' },
      { id: null },
    ];
    for (const more of worthless) {
      data = [bill({}), bill(more)];
      assert.equal((await ask()).ok, false, JSON.stringify(more));
    }
  });
  test('numbers, profiles and subscriptions read as they are', async (context) => {
    const number = {
      id: '106',
      display_phone_number: '+33 1 80 00 10 00',
      verified_name: 'Depot',
      status: 'CONNECTED',
      quality_rating: 'GREEN',
      throughput: { level: 'HIGH' },
      whatsapp_business_manager_messaging_limit: 'TIER_10K',
    };
    const answers: Record<string, unknown> = {
      '/v24.0/106': number,
      '/v24.0/106/whatsapp_business_profile': { data: [{ about: 'Pots', websites: ['https://x.example'] }] },
      '/v24.0/104/subscribed_apps': {
        data: [
          { whatsapp_business_api_data: { id: '1' }, override_callback_uri: 'https://elsewhere.example' },
          { whatsapp_business_api_data: { id: 2 } },
          { name: 'without an id' },
        ],
      },
      '/v24.0/104': { id: '104', marketing_messages_onboarding_status: 'ELIGIBLE' },
      '/v24.0/104/product_catalogs': { data: [{ id: '880011' }, { id: 880012 }, { name: 'without an id' }] },
      '/v24.0/106/whatsapp_business_encryption': {
        data: [{ business_public_key: 'PEM', business_public_key_signature_status: 'MISMATCH' }],
      },
      '/v24.0/107/whatsapp_business_encryption': { data: [] },
      '/v24.0/140': { url: 'https://f', mime_type: 'image/png', sha256: 'ab', file_size: 12, id: '140' },
    };
    const { connection } = await standIn(context, (request, response) =>
      json(200, answers[request.url.split('?')[0]!])(request, response),
    );
    const values = await Promise.all([
      provider.getPhoneNumber(connection, '106'),
      provider.getBusinessProfile(connection, '106'),
      provider.listSubscribedApps(connection, '104'),
      provider.describeMedia(connection, '140'),
      provider.getWaba(connection, '104'),
      provider.listCatalogs(connection, '104'),
      provider.getFlowKey(connection, '106'),
      provider.getFlowKey(connection, '107'),
    ]);
    assert.deepEqual(
      values.map((answer) => answer.ok && answer.value),
      [
        {
          id: '106',
          displayPhoneNumber: '+33 1 80 00 10 00',
          verifiedName: 'Depot',
          status: 'CONNECTED',
          qualityRating: 'GREEN',
          throughputLevel: 'HIGH',
          messagingLimit: 'TIER_10K',
          nameStatus: null,
          isOnBizApp: false,
          codeVerificationStatus: null,
        },
        { about: 'Pots', websites: ['https://x.example'] },
        {
          apps: [
            { appId: '1', overrideUrl: 'https://elsewhere.example' },
            { appId: '2', overrideUrl: null },
          ],
        },
        { url: 'https://f', mimeType: 'image/png', sha256: 'ab', sizeBytes: 12 },
        { marketingMessages: 'ELIGIBLE' },
        { catalogIds: ['880011', '880012'] },
        { flowKey: 'MISMATCH' },
        { flowKey: 'NONE' },
      ],
    );
  });
});
