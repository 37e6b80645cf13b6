// Runs in a process of its own: it changes the environment.
import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import tls from 'node:tls';
import { gzipSync } from 'node:zlib';
import { until } from '../../../test/harness/until.ts';
import { hostileAddresses, hostileUrls, testCertificate, testKey } from './outbound.test-data.ts';
import {
  type ClientOptions,
  createClient,
  type OutboundFailureClass,
  type OutboundRequest,
  type StartDeadline,
} from './outbound.ts';

type Talk = (socket: net.Socket) => void;

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const publicAddress = '93.184.215.14';

/** Answers each request (all of ours fit one segment) with the same bytes. */
const answering =
  (bytes: string | Buffer, seen: string[] = []): Talk =>
  (socket) => {
    socket.on('data', (data) => {
      seen.push(data.toString());
      socket.write(bytes);
    });
  };

/** Listens on every local address unless one is named. */
async function listen(context: TestContext, talk: Talk, { secure = false, host = '' } = {}) {
  const sockets: net.Socket[] = [];
  const accept = (socket: net.Socket) => {
    socket.on('error', () => {});
    talk(socket);
  };
  const server = secure
    ? tls.createServer({ key: testKey, cert: testCertificate }, accept)
    : net.createServer(accept);
  server.on('connection', (socket: net.Socket) => sockets.push(socket));
  server.on('tlsClientError', () => {});
  server.listen({ port: 0, ...(host && { host }) });
  await once(server, 'listening');
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

const resolvingTo =
  (...addresses: string[]): ClientOptions['resolve'] =>
  async () =>
    addresses.map((address) => ({ address, family: net.isIP(address) }));

function open(context: TestContext, options: Partial<ClientOptions> = {}) {
  const outbound = createClient({ allowPrivate: false, ca: testCertificate, ...options });
  context.after(() => outbound.close());
  const request = (url: string, more: Partial<OutboundRequest> = {}) =>
    outbound.request({ url, method: 'POST', body: '{}', timeoutMs: 60_000, ...more });
  /** Expects an answer. */
  const answer = async (url: string, more?: Partial<OutboundRequest>) => {
    const result = await request(url, more);
    assert.ok(result.ok, result.ok ? '' : `${result.failure}: ${result.reason}`);
    return result;
  };
  /** Expects a failure, and that its sentence tells a tenant nothing about our network. */
  const failure = async (
    url: string,
    expected: OutboundFailureClass,
    requestSent: boolean,
    more?: Partial<OutboundRequest>,
  ) => {
    const result = await request(url, more);
    assert.ok(!result.ok, `${url} was answered`);
    assert.deepEqual(
      [result.failure, result.requestSent],
      [expected, requestSent],
      `${url}: ${result.reason}`,
    );
    assert.match(result.reason, /^[A-Z][a-zA-Z0-9 ,:]+\.$/);
    assert.doesNotMatch(result.reason, /127\.|::1|ECONN|ENOTFOUND|Error/);
    return result;
  };
  return { ...outbound, request, answer, failure };
}

/** A client for plain loopback receivers. */
const openPrivate = (context: TestContext, options: Partial<ClientOptions> = {}) =>
  open(context, { allowPrivate: true, resolve: resolvingTo('127.0.0.1'), ...options });

/** Connects as always, and keeps our ends of the connections for the test to look at. */
const remembering =
  (dialled: net.Socket[]): ClientOptions['dial'] =>
  (target) => {
    const socket = net.connect(target);
    dialled.push(socket);
    return socket;
  };

/** A network on which every public address leads to the loopback receiver and looks like itself. */
const publicNetwork =
  (dialled: string[] = []): ClientOptions['dial'] =>
  (target) => {
    const socket = net.connect({ port: target.port, host: '127.0.0.1' });
    target.lookup?.('', {}, (_error, answer) => {
      const [first] = answer as { address: string }[];
      dialled.push(first!.address);
      Object.defineProperty(socket, 'remoteAddress', { value: first!.address });
    });
    return socket;
  };

async function isClosed(socket: net.Socket | undefined) {
  assert.ok(socket, 'no connection was made');
  await until('the connection is closed', () => socket.closed);
}

// ---- What may be reached

test('a hostile URL is refused without a look-up or a connection', async (context) => {
  const inside = await listen(context, answering(ok));
  let lookups = 0;
  let dials = 0;
  const outbound = open(context, {
    resolve: async () => {
      lookups += 1;
      return [{ address: '127.0.0.1', family: 4 }];
    },
    dial: (target) => {
      dials += 1;
      return net.connect(target);
    },
  });
  for (const template of hostileUrls) {
    const url = template.replace('PORT', String(inside.port));
    await outbound.failure(url, 'blocked', false);
  }
  assert.deepEqual([lookups, dials, inside.sockets.length], [0, 0, 0]);
});

test('a name that resolves to a hostile address is refused without a connection', async (context) => {
  const inside = await listen(context, answering(ok));
  for (const address of hostileAddresses) {
    const outbound = open(context, { resolve: resolvingTo(address) });
    await outbound.failure(`https://hook.test:${inside.port}/`, 'blocked', false);
  }
  assert.equal(inside.sockets.length, 0);
});

test('one private address among public ones blocks the whole answer, wherever it stands', async (context) => {
  const inside = await listen(context, answering(ok));
  const dialled: string[] = [];
  for (const bad of ['127.0.0.1', '::ffff:10.0.0.1', 'fd00::1']) {
    const good = [publicAddress, '2606:4700::1'];
    for (const answer of [
      [bad, ...good],
      [good[0]!, bad, good[1]!],
      [...good, bad],
    ]) {
      const outbound = open(context, { resolve: resolvingTo(...answer), dial: publicNetwork(dialled) });
      await outbound.failure(`https://hook.test:${inside.port}/`, 'blocked', false);
    }
  }
  assert.deepEqual([dialled, inside.sockets.length], [[], 0]);
});

// ---- Rebinding

test('a name is looked up once for a connection, so a second, private answer is never used', async (context) => {
  const receiver = await listen(context, answering(ok), { secure: true });
  const answers = [publicAddress, '127.0.0.1'];
  const dialled: string[] = [];
  const outbound = open(context, {
    resolve: async () => [{ address: answers.shift()!, family: 4 }],
    dial: publicNetwork(dialled),
  });
  const { status } = await outbound.answer(`https://hook.test:${receiver.port}/`);
  assert.deepEqual([status, dialled, answers], [200, [publicAddress], ['127.0.0.1']]);
});

test('an answer that changes while it is read cannot pass the judge as another address', async (context) => {
  const inside = await listen(context, answering(ok));
  let reads = 0;
  const turning = {
    family: 4,
    get address() {
      reads += 1;
      return reads === 1 ? publicAddress : '127.0.0.1';
    },
  };
  const dialled: string[] = [];
  const outbound = open(context, { resolve: async () => [turning], dial: publicNetwork(dialled) });
  await outbound.request(`https://hook.test:${inside.port}/`);
  assert.deepEqual(dialled, [publicAddress]);
});

test('a connection that ends up at a private address is cut before a byte is written', async (context) => {
  const received: string[] = [];
  const inside = await listen(context, answering(ok, received));
  const outbound = open(context, {
    resolve: resolvingTo(publicAddress),
    dial: ({ port }) => net.connect({ port, host: '127.0.0.1' }),
  });
  await outbound.failure(`https://hook.test:${inside.port}/`, 'blocked', false);
  await isClosed(inside.sockets[0]);
  assert.deepEqual(received, []);
});

test('a kept connection outlives a changed resolution; a new one is judged by it', async (context) => {
  const receiver = await listen(context, answering(ok), { secure: true });
  let address = publicAddress;
  const outbound = open(context, {
    resolve: async () => [{ address, family: 4 }],
    dial: publicNetwork(),
  });
  const url = `https://hook.test:${receiver.port}/`;
  await outbound.answer(url);
  address = '10.0.0.1';
  await outbound.answer(url);
  assert.equal(receiver.sockets.length, 1);
  await outbound.failure(url.replace('hook.test', 'other.hook.test'), 'blocked', false);
  const closed = once(receiver.sockets[0]!, 'close');
  receiver.sockets[0]!.destroy();
  await closed;
  await outbound.failure(url, 'blocked', false);
});

test('proxies named in the environment are not used', async (context) => {
  const proxy = await listen(context, answering(ok));
  const receiver = await listen(context, answering(ok));
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'NODE_USE_ENV_PROXY'];
  context.after(() => {
    for (const name of names) delete process.env[name];
  });
  for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
  process.env.NODE_USE_ENV_PROXY = '1';
  await openPrivate(context).answer(`http://hook.test:${receiver.port}/`);
  assert.deepEqual([proxy.sockets.length, receiver.sockets.length], [0, 1]);
});

// ---- Failures before anything is sent

test('a name that does not resolve is a dns failure', async (context) => {
  const failing = open(context, { resolve: () => Promise.reject(new Error('queryA ENOTFOUND 127.0.0.1')) });
  await failing.failure('https://hook.test/', 'dns', false);
  await open(context, { resolve: resolvingTo() }).failure('https://hook.test/', 'dns', false);
});

test('a closed port is a connect failure', async (context) => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  await openPrivate(context).failure(`https://hook.test:${port}/`, 'connect', false);
});

test('when one of several addresses is dead, the next is used', async (context) => {
  const receiver = await listen(context, answering(ok), { host: '127.0.0.1' });
  const outbound = openPrivate(context, { resolve: resolvingTo('::1', '127.0.0.1') });
  await outbound.answer(`http://hook.test:${receiver.port}/`);
});

test('a certificate that is untrusted or for another name is a tls failure, whatever the environment says', async (context) => {
  const received: string[] = [];
  const receiver = await listen(context, answering(ok, received), { secure: true });
  context.after(() => {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  });
  for (const leniency of ['1', '0']) {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = leniency;
    const distrusting = openPrivate(context, { ca: undefined });
    await distrusting.failure(`https://hook.test:${receiver.port}/`, 'tls', false);
    const trusting = openPrivate(context);
    await trusting.failure(`https://other.test:${receiver.port}/`, 'tls', false);
    await trusting.failure(`https://127.0.0.1:${receiver.port}/`, 'tls', false);
    await trusting.answer(`https://hook.test.:${receiver.port}/`);
  }
  assert.equal(received.length, 2);
});

test('a receiver that speaks no TLS, or leaves during the handshake, is a tls failure', async (context) => {
  const plain = await listen(context, answering(ok));
  const leaving = await listen(context, (socket) => socket.once('data', () => socket.destroy()));
  const outbound = openPrivate(context);
  await outbound.failure(`https://hook.test:${plain.port}/`, 'tls', false);
  await outbound.failure(`https://hook.test:${leaving.port}/`, 'tls', false);
});

test('a header that would break the request apart is never written', async (context) => {
  const received: string[] = [];
  const receiver = await listen(context, answering(ok, received));
  const outbound = openPrivate(context);
  const headers = { 'x-note': 'a\r\nevil: 1' };
  await outbound.failure(`http://hook.test:${receiver.port}/`, 'protocol', false, { headers });
  await isClosed(receiver.sockets[0]);
  assert.deepEqual(received, []);
});

// ---- One deadline over everything

const timeoutMs = 300;

/** Deadlines that are up when the test says so: when a request is in the phase that is meant, however long that took. */
function deadlinesByHand() {
  const running = new Set<() => void>();
  const startDeadline: StartDeadline = (end, ms) => {
    if (ms === timeoutMs) running.add(end);
    return () => running.delete(end);
  };
  return { startDeadline, running, expire: () => [...running].forEach((end) => void end()) };
}

test('a request that never ends is over when its time is up, and not before', async (context) => {
  const outbound = openPrivate(context, { resolve: () => new Promise(() => {}) });
  const { durationMs } = await outbound.failure('http://hook.test/', 'timeout', false, { timeoutMs });
  // Timers count in whole milliseconds.
  assert.ok(durationMs >= timeoutMs - 2, `took ${durationMs} ms`);
});

test('an answer withdraws its deadline', async (context) => {
  const receiver = await listen(context, answering(ok));
  const deadlines = deadlinesByHand();
  const outbound = openPrivate(context, deadlines);
  const answered = outbound.answer(`http://hook.test:${receiver.port}/`, { timeoutMs });
  assert.equal(deadlines.running.size, 1);
  await answered;
  assert.equal(deadlines.running.size, 0);
});

test('the deadline covers a look-up that never ends, and nothing is connected when it ends late', async (context) => {
  const deadlines = deadlinesByHand();
  const late = Promise.withResolvers<{ address: string; family: number }[]>();
  let dials = 0;
  const outbound = openPrivate(context, {
    ...deadlines,
    resolve: () => {
      setImmediate(deadlines.expire);
      return late.promise;
    },
    dial: (target) => {
      dials += 1;
      return net.connect(target);
    },
  });
  await outbound.failure('http://hook.test:9999/', 'timeout', false, { timeoutMs });
  late.resolve([{ address: '127.0.0.1', family: 4 }]);
  // All that follows from the address alone is done by then.
  await new Promise(setImmediate);
  assert.equal(dials, 0);
});

test('the deadline covers a connect that hangs, and destroys its socket', async (context) => {
  const deadlines = deadlinesByHand();
  const hanging = new net.Socket();
  const outbound = openPrivate(context, {
    ...deadlines,
    dial: () => {
      setImmediate(deadlines.expire);
      return hanging;
    },
  });
  await outbound.failure('http://hook.test:9999/', 'timeout', false, { timeoutMs });
  assert.equal(hanging.destroyed, true);
});

test('the deadline covers a handshake that hangs, and destroys its socket', async (context) => {
  const deadlines = deadlinesByHand();
  const silent = await listen(context, (socket) => socket.once('data', deadlines.expire));
  const outbound = openPrivate(context, deadlines);
  await outbound.failure(`https://hook.test:${silent.port}/`, 'timeout', false, { timeoutMs });
  await isClosed(silent.sockets[0]);
});

for (const secure of [false, true]) {
  const scheme = secure ? 'https' : 'http';

  test(`the deadline covers headers that never come over ${scheme}`, async (context) => {
    const deadlines = deadlinesByHand();
    const silent = await listen(context, (socket) => socket.once('data', deadlines.expire), { secure });
    const outbound = openPrivate(context, deadlines);
    await outbound.failure(`${scheme}://hook.test:${silent.port}/`, 'timeout', true, { timeoutMs });
    await isClosed(silent.sockets[0]);
  });

  test(`the deadline covers a body dripped byte by byte over ${scheme}`, async (context) => {
    const deadlines = deadlinesByHand();
    const dripping = await listen(
      context,
      (socket) => {
        let drops = 0;
        const drip = () => {
          drops += 1;
          if (drops === 50) deadlines.expire();
          if (!socket.destroyed) socket.write('x', () => setImmediate(drip));
        };
        socket.once('data', () =>
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n', () => setImmediate(drip)),
        );
      },
      { secure },
    );
    const outbound = openPrivate(context, deadlines);
    await outbound.failure(`${scheme}://hook.test:${dripping.port}/`, 'timeout', true, { timeoutMs });
    await isClosed(dripping.sockets[0]);
  });
}

test('the deadline covers a receiver that does not read the request', async (context) => {
  const deadlines = deadlinesByHand();
  const deaf = await listen(context, (socket) => socket.pause());
  const dialled: net.Socket[] = [];
  const outbound = openPrivate(context, { ...deadlines, dial: remembering(dialled) });
  const body = Buffer.alloc(16 * 1024 * 1024);
  const failed = outbound.failure(`http://hook.test:${deaf.port}/`, 'timeout', true, { timeoutMs, body });
  await until('the request is being written', () => dialled[0]?.writableLength);
  deadlines.expire();
  await failed;
  deaf.sockets[0]!.resume();
  await isClosed(deaf.sockets[0]);
});

test('a caller can end a request early, before or while it runs', async (context) => {
  const calling = new AbortController();
  const silent = await listen(context, (socket) => void socket.once('data', () => calling.abort()));
  const outbound = openPrivate(context);
  const url = `http://hook.test:${silent.port}/`;
  await outbound.failure(url, 'timeout', false, { signal: AbortSignal.abort() });
  assert.equal(silent.sockets.length, 0);
  const result = await outbound.failure(url, 'timeout', true, { signal: calling.signal, timeoutMs: 60_000 });
  assert.equal(result.reason, 'The request was cancelled.');
  await isClosed(silent.sockets[0]);
});

test('one signal ends all requests that follow it, through one listener', async (context) => {
  const silent = await listen(context, (socket) => socket.resume());
  const quick = await listen(context, answering(ok));
  const outbound = openPrivate(context);
  const stopping = new AbortController();
  const over = await outbound.request(`http://hook.test:${quick.port}/`, { signal: stopping.signal });
  const waiting = Array.from({ length: 20 }, () =>
    outbound.failure(`http://hook.test:${silent.port}/`, 'timeout', true, { signal: stopping.signal }),
  );
  await until(
    'all requests have come',
    () => silent.sockets.length === 20 && silent.sockets.every(({ bytesRead }) => bytesRead > 0),
  );
  assert.equal(getEventListeners(stopping.signal, 'abort').length, 1);
  stopping.abort();
  assert.equal((await Promise.all(waiting)).length, 20);
  assert.equal(over.ok, true);
});

// ---- Failures after the request was sent

test('a reset before or within the answer is a reset', async (context) => {
  const before = await listen(context, (socket) => socket.once('data', () => socket.resetAndDestroy()));
  const within = await listen(context, (socket) =>
    socket.once('data', () =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc', () => socket.resetAndDestroy()),
    ),
  );
  const outbound = openPrivate(context);
  await outbound.failure(`http://hook.test:${before.port}/`, 'reset', true);
  await outbound.failure(`http://hook.test:${within.port}/`, 'reset', true);
});

test('an answer that ends early is a reset, never a shorter body', async (context) => {
  const outbound = openPrivate(context);
  for (const beginning of [
    '',
    'HTTP/1.1 200',
    'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc',
    'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9\r\n\r\nabc',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
    'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
  ]) {
    const leaving = await listen(context, (socket) => socket.once('data', () => socket.end(beginning)));
    await outbound.failure(`http://hook.test:${leaving.port}/`, 'reset', true);
    assert.equal(leaving.sockets.length, 1, 'the request was written twice');
  }
});

test('an answer that is not HTTP is a protocol failure', async (context) => {
  const outbound = openPrivate(context);
  for (const answer of [
    'SSH-2.0-OpenSSH_9.9\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nok',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(50),
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  ]) {
    const odd = await listen(context, answering(answer));
    await outbound.failure(`http://hook.test:${odd.port}/`, 'protocol', true);
    await isClosed(odd.sockets[0]);
  }
});

test('headers and trailers beyond 16 KiB are a protocol failure', async (context) => {
  const outbound = openPrivate(context);
  const many = Array.from({ length: 1_000 }, (_, index) => `x-${index}: ${'y'.repeat(20)}\r\n`).join('');
  for (const answer of [
    `HTTP/1.1 200 OK\r\nx-long: ${'y'.repeat(20_000)}\r\nContent-Length: 0\r\n\r\n`,
    `HTTP/1.1 200 OK\r\n${many}Content-Length: 0\r\n\r\n`,
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${many}\r\n`,
  ]) {
    const talkative = await listen(context, answering(answer));
    await outbound.failure(`http://hook.test:${talkative.port}/`, 'protocol', true);
    await isClosed(talkative.sockets[0]);
  }
});

// ---- Answers

test('a signed delivery arrives over TLS as it was given, and its answer is read', async (context) => {
  const received: string[] = [];
  const answer =
    'HTTP/1.1 202 Accepted\r\nX-Trace: 7\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nContent-Length: 2\r\n\r\nok';
  const receiver = await listen(context, answering(answer, received), { secure: true });
  const outbound = open(context, { resolve: resolvingTo(publicAddress), dial: publicNetwork() });
  const result = await outbound.answer(`https://hook.test:${receiver.port}/in?a=b%20c#part`, {
    body: Buffer.from('{"é":1}'),
    headers: { 'Content-Type': 'application/json', 'X-Signature': 't=1,v1=2' },
  });
  assert.deepEqual(
    [
      result.status,
      result.body.toString(),
      result.truncated,
      result.headers['x-trace'],
      result.headers['set-cookie'],
    ],
    [202, 'ok', false, '7', ['a', 'b']],
  );
  const request = received.join('').toLowerCase();
  assert.match(request, /^post \/in\?a=b%20c http\/1\.1\r\n/);
  assert.match(request, new RegExp(`\r\nhost: hook.test:${receiver.port}\r\n`));
  assert.match(request, /\r\ncontent-length: 8\r\n/);
  assert.match(request, /\r\nx-signature: t=1,v1=2\r\n/);
  assert.match(request, /\r\n\r\n\{"é":1\}$/);
});

test('headers that belong to the connection cannot be set, and no compression is asked for', async (context) => {
  const received: string[] = [];
  const receiver = await listen(context, answering(ok, received));
  await openPrivate(context).answer(`http://hook.test:${receiver.port}/`, {
    headers: {
      Host: 'inside.example',
      'Accept-Encoding': 'gzip',
      'Content-Length': '1',
      'Transfer-Encoding': 'chunked',
      Connection: 'upgrade',
      Upgrade: 'websocket',
      Expect: '100-continue',
    },
  });
  const names = received[0]!.split('\r\n\r\n')[0]!.split('\r\n').slice(1);
  assert.deepEqual(names, [
    `host: hook.test:${receiver.port}`,
    'connection: keep-alive',
    'content-length: 2',
  ]);
});

test('a redirect is an answer like any other and is not followed', async (context) => {
  const target = await listen(context, answering(ok));
  const outbound = openPrivate(context);
  for (const status of [301, 302, 303, 307, 308]) {
    const answer = `HTTP/1.1 ${status} Moved\r\nLocation: http://127.0.0.1:${target.port}/\r\nContent-Length: 0\r\n\r\n`;
    const receiver = await listen(context, answering(answer));
    const result = await outbound.answer(`http://hook.test:${receiver.port}/`);
    assert.equal(result.status, status);
  }
  assert.equal(target.sockets.length, 0);
});

test('a compressed body is left as it came', async (context) => {
  const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024));
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`;
  const receiver = await listen(context, answering(Buffer.concat([Buffer.from(head), bomb])));
  const result = await openPrivate(context).answer(`http://hook.test:${receiver.port}/`);
  assert.deepEqual([result.body.equals(bomb), result.truncated], [true, false]);
});

test('a body of exactly the limit is whole; one byte more is cut there and its connection closed', async (context) => {
  const outbound = openPrivate(context);
  for (const [length, truncated] of [
    [1_000, false],
    [1_001, true],
  ] as const) {
    const bytes = 'x'.repeat(length);
    const receiver = await listen(
      context,
      answering(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${bytes}`),
    );
    const url = `http://hook.test:${receiver.port}/`;
    const result = await outbound.answer(url, { maxResponseBytes: 1_000 });
    assert.deepEqual([result.body.toString(), result.truncated], ['x'.repeat(1_000), truncated]);
    if (truncated) await isClosed(receiver.sockets[0]);
    else assert.equal(receiver.sockets[0]!.closed, false);
  }
});

test('an endless body is cut at 64 KiB, its connection destroyed, and memory stays flat', async (context) => {
  const piece = Buffer.alloc(64 * 1024, 'x');
  const endless = await listen(context, (socket) => {
    const pour = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', pour);
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      pour();
    });
  });
  const outbound = openPrivate(context);
  const before = process.memoryUsage().rss;
  for (let round = 0; round < 40; round += 1) {
    const result = await outbound.answer(`http://hook.test:${endless.port}/`);
    assert.deepEqual([result.body.length, result.truncated], [64 * 1024, true]);
    await isClosed(endless.sockets[round]);
    assert.ok(endless.sockets[round]!.bytesWritten < 32 * 1024 * 1024);
  }
  assert.ok(process.memoryUsage().rss - before < 64 * 1024 * 1024);
});

test('a body without a length ends with its connection', async (context) => {
  const receiver = await listen(context, (socket) =>
    socket.once('data', () => socket.end('HTTP/1.0 200 OK\r\n\r\nto the end')),
  );
  const result = await openPrivate(context).answer(`http://hook.test:${receiver.port}/`);
  assert.deepEqual([result.body.toString(), result.truncated], ['to the end', false]);
});

test('header names that mean something to objects are only names', async (context) => {
  const receiver = await listen(
    context,
    answering(
      'HTTP/1.1 200 OK\r\n__proto__: a\r\n__proto__: b\r\nconstructor: c\r\nContent-Length: 2\r\n\r\nok',
    ),
  );
  const result = await openPrivate(context).answer(`http://hook.test:${receiver.port}/`);
  assert.equal(({} as Record<string, unknown>).a, undefined);
  assert.equal(result.status, 200);
});

// ---- Connections kept alive

test('requests that follow one another share a connection, over http and https', async (context) => {
  for (const secure of [false, true]) {
    const receiver = await listen(context, answering(ok), { secure });
    const outbound = openPrivate(context);
    const url = `${secure ? 'https' : 'http'}://hook.test:${receiver.port}/`;
    for (let count = 0; count < 20; count += 1) await outbound.answer(url);
    assert.equal(receiver.sockets.length, 1);
  }
});

test('requests at the same time never share a connection, and one that hangs delays no other', async (context) => {
  const receiver = await listen(context, (socket) =>
    socket.on('data', (data) => {
      if (!data.toString().includes('/hang')) socket.write(ok);
    }),
  );
  const deadlines = deadlinesByHand();
  const outbound = openPrivate(context, deadlines);
  const base = `http://hook.test:${receiver.port}`;
  const hanging = outbound.failure(`${base}/hang`, 'timeout', true, { timeoutMs });
  await Promise.all(Array.from({ length: 20 }, () => outbound.answer(`${base}/`)));
  assert.equal(deadlines.running.size, 1, 'the one that hangs still waits');
  assert.equal(receiver.sockets.length, 21);
  await until('its request has come', () => receiver.sockets.every(({ bytesRead }) => bytesRead > 0));
  deadlines.expire();
  await hanging;
});

test('a receiver that hangs up on an idle connection costs the next request nothing', async (context) => {
  const received: string[] = [];
  const receiver = await listen(context, answering(ok, received));
  const dialled: net.Socket[] = [];
  const outbound = openPrivate(context, { dial: remembering(dialled) });
  const url = `http://hook.test:${receiver.port}/`;
  for (let count = 1; count <= 20; count += 1) {
    await outbound.answer(url);
    assert.deepEqual([received.length, receiver.sockets.length], [count, count]);
    await new Promise(setImmediate);
    receiver.sockets.at(-1)!.destroy();
    // On odd rounds we learn of it only when the next request already waits for that connection.
    if (count % 2 === 0) await isClosed(dialled.at(-1));
  }
});

test('a request that was written on a kept connection is never written again', async (context) => {
  const received: string[] = [];
  const receiver = await listen(context, (socket) =>
    socket.on('data', (data) => {
      received.push(data.toString());
      if (received.length === 1) socket.write(ok);
      else socket.resetAndDestroy();
    }),
  );
  const outbound = openPrivate(context);
  const url = `http://hook.test:${receiver.port}/`;
  await outbound.answer(url);
  await outbound.failure(url, 'reset', true);
  assert.deepEqual([received.length, receiver.sockets.length], [2, 1]);
});

test('an answer nobody asked for is not taken for the next one', async (context) => {
  const forged = ok.replace('ok', 'no');
  const receiver = await listen(context, answering(ok + forged));
  const outbound = openPrivate(context);
  for (let count = 0; count < 5; count += 1) {
    const result = await outbound.answer(`http://hook.test:${receiver.port}/`);
    assert.equal(result.body.toString(), 'ok');
  }
  assert.equal(receiver.sockets.length, 5);
});

test('a connection older than a minute is not used again, so a moved receiver is followed', async (context) => {
  const receiver = await listen(context, answering(ok));
  let nowMs = 0;
  const outbound = openPrivate(context, { now: () => nowMs });
  const url = `http://hook.test:${receiver.port}/`;
  await outbound.answer(url);
  nowMs = 60_001;
  await outbound.answer(url);
  await outbound.answer(url);
  assert.equal(receiver.sockets.length, 2);
});

test('closing waits for requests under way, ends idle connections and takes no more', async (context) => {
  const slowly: (() => void)[] = [];
  const receiver = await listen(context, (socket) =>
    socket.on('data', (data) => {
      if (data.toString().includes('/slow')) slowly.push(() => socket.write(ok));
      else socket.write(ok);
    }),
  );
  const outbound = openPrivate(context);
  const base = `http://hook.test:${receiver.port}`;
  const slow = outbound.answer(`${base}/slow`);
  await outbound.answer(`${base}/`);
  await until('the slow request has come', () => slowly.length);
  let closed = false;
  const closing = outbound.close().then(() => {
    closed = true;
  });
  await until('the idle connection is closed', () => receiver.sockets.some((socket) => socket.closed));
  assert.equal(closed, false);
  slowly[0]!();
  assert.equal((await slow).status, 200);
  await closing;
  await Promise.all(receiver.sockets.map(isClosed));
  await outbound.failure(`${base}/`, 'connect', false);
  assert.equal(receiver.sockets.length, 2);
});

test('a sink takes an answer as it comes, one chunk at a time, and only a good one', async (context) => {
  const long = `HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n${'x'.repeat(3_000_000)}`;
  const { port } = await listen(context, answering(long));
  const bad = await listen(context, answering('HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno'));
  const { request } = open(context, { allowPrivate: true });
  let busy = false;
  let taken = 0;
  const sink = async (chunk: Buffer) => {
    assert.equal(busy, false);
    busy = true;
    await new Promise((done) => setImmediate(done));
    busy = false;
    taken += chunk.length;
  };
  const whole = await request(`http://127.0.0.1:${port}/`, { sink, maxResponseBytes: 3_000_000 });
  assert.deepEqual(
    [whole.ok && whole.truncated, whole.ok && whole.body.length, taken],
    [false, 0, 3_000_000],
  );
  taken = 0;
  const cut = await request(`http://127.0.0.1:${port}/`, { sink, maxResponseBytes: 1_000_000 });
  assert.ok(cut.ok && cut.truncated && taken <= 1_000_000, `${taken}`);
  const refused = await request(`http://127.0.0.1:${bad.port}/`, {
    sink: () => assert.fail('a refusal flowed on'),
  });
  assert.deepEqual([refused.ok && refused.status, refused.ok && refused.body.toString()], [404, 'no']);
});

test('a sink that fails, and a body that ends early, end the request', async (context) => {
  const { port } = await listen(context, answering(ok));
  const half = await listen(context, (socket) => {
    socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'));
  });
  const { request } = open(context, { allowPrivate: true });
  const failed = await request(`http://127.0.0.1:${port}/`, {
    sink: () => Promise.reject(new Error('full')),
  });
  assert.equal(failed.ok, false);
  const early = await request(`http://127.0.0.1:${half.port}/`, { sink: async () => {} });
  assert.deepEqual([early.ok, !early.ok && early.failure], [false, 'reset']);
});
