/**
 * The one client for every URL a tenant can influence: webhooks, media, identity providers.
 *
 * A name is resolved once for each connection, every address of the answer is judged, and only that
 * judged answer is given to the socket, so a name that changes its address between the check and the
 * connect gains nothing. The connected socket is judged again, before a byte leaves, in case the
 * network itself leads elsewhere.
 *
 * A connection serves one request at a time and belongs to it, so the request's deadline can end it
 * in whatever phase it is: looking up, connecting, shaking hands, writing or reading. Proxies from
 * the environment are never consulted, since the sockets are opened here.
 */
import { lookup, Resolver } from 'node:dns/promises';
import net, { isIP } from 'node:net';
import tls from 'node:tls';
import { Client } from 'undici';

export type OutboundFailureClass = 'blocked' | 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'protocol';

export type OutboundRequest = {
  url: string;
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: Buffer | string;
  /** Over everything, from the look-up of the name to the last byte of the answer. */
  timeoutMs: number;
  maxResponseBytes?: number;
  /** Ends the request early; the result is then a `timeout`, as if the deadline had been now. */
  signal?: AbortSignal;
};

type Answer = {
  ok: true;
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The bytes as they came: a compressed body stays compressed. */
  body: Buffer;
  truncated: boolean;
};

type Failed = {
  ok: false;
  failure: OutboundFailureClass;
  /** Whether bytes of the request may have left. When false, trying again can repeat nothing. */
  requestSent: boolean;
  /** A sentence fit for a tenant's eyes: no address, no internal detail. */
  reason: string;
};

export type OutboundResult = (Answer | Failed) & { durationMs: number };

export type ResolvedAddress = { address: string; family: number };

export type OutboundOptions = {
  /** For development and sandboxes: permits loopback, private networks, plain names and `http:`. */
  allowPrivate?: boolean;
  resolve?: (hostname: string) => Promise<ResolvedAddress[]>;
  now?: () => number;
  /** Certificates to trust in place of the system's. */
  ca?: string;
  /** Opens the TCP connection; tests give one that leads elsewhere. */
  dial?: (options: net.TcpNetConnectOpts) => net.Socket;
};

export type Outbound = {
  request(request: OutboundRequest): Promise<OutboundResult>;
  /** Closes idle connections, takes no more requests, and waits for those under way. */
  close(): Promise<void>;
};

const defaultMaxResponseBytes = 64 * 1024;
const maxAnswerHeaderBytes = 16 * 1024;
// Shorter than the five seconds after which common servers hang up, so that it is usually we who
// leave first; a server may offer longer with its Keep-Alive header, up to the maximum.
const idleMs = 4_000;
const maxIdleMs = 20_000;
// A receiver that moves to a new address is followed within a minute, however busy the old connection.
const maxConnectionAgeMs = 60_000;
const maxIdlePerOrigin = 64;
const maxIdleConnections = 1_024;
// Node's own 250 ms gives up on a distant receiver that has several addresses.
const addressAttemptMs = 500;
// Enough for any honest `103 Early Hints`; an endless row of them would otherwise be read until the deadline.
const maxInformationalAnswers = 8;

const reasons: Record<OutboundFailureClass, string> = {
  blocked: 'The host name leads to an address that is not public.',
  dns: 'The host name could not be resolved.',
  connect: 'No connection to the host could be made.',
  tls: 'No secure connection could be made: the certificate or the TLS handshake was not accepted.',
  timeout: 'The request did not finish in time.',
  reset: 'The connection was closed before the answer was complete.',
  protocol: 'The answer was not valid HTTP.',
};

class OutboundFailure extends Error {
  readonly failure: OutboundFailureClass;

  constructor(failure: OutboundFailureClass, reason = reasons[failure]) {
    super(reason);
    this.failure = failure;
  }
}

// ---- What may be reached

type Range = { network: bigint; hostBits: bigint };

/**
 * One number line for both families: an IPv4 address stands where its IPv4-mapped form stands, so
 * the two are judged alike. Takes only what `isIP` has accepted.
 */
function numberOf(address: string): bigint {
  const wide = address.includes(':') ? address : `::ffff:${address}`;
  const hexadecimal = wide.replace(/[\d.]+\.[\d.]+$/, (dotted) => {
    const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [left = [], right = []] = hexadecimal.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

function rangesOf(text: string): Range[] {
  return text.split(' ').map((range) => {
    const [address = '', prefix] = range.split('/');
    const hostBits = BigInt((isIP(address) === 4 ? 32 : 128) - Number(prefix));
    return { network: numberOf(address) >> hostBits, hostBits };
  });
}

// Everything outside is local, unassigned, or an IPv4 address in disguise (NAT64, IPv4-compatible).
const globalRanges = rangesOf('0.0.0.0/0 2000::/3');
const hiddenRanges = rangesOf(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 ' +
    '192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 ' +
    '224.0.0.0/4 240.0.0.0/4 2001::/23 2001:db8::/32 2002::/16 3fff::/20',
);
// Cloud metadata services are link-local and thus stay out of reach of a sandbox too.
const developmentRanges = rangesOf('127.0.0.0/8 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 ::1/128 fc00::/7');

function isWithin(address: string, ranges: Range[]): boolean {
  // A zone index belongs only to addresses that are not public.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const value = numberOf(address);
  return ranges.some(({ network, hostBits }) => value >> hostBits === network);
}

export function isPublicAddress(address: string): boolean {
  return isWithin(address, globalRanges) && !isWithin(address, hiddenRanges);
}

function mayReach(address: string, allowPrivate: boolean): boolean {
  return isPublicAddress(address) || (allowPrivate && isWithin(address, developmentRanges));
}

/** The host without the brackets of IPv6 and without the dot of a fully qualified name. */
const bareHost = (url: URL) => url.hostname.replace(/^\[|\]$|\.+$/g, '');

/** Why this URL is refused, or null. To be asked at configuration time; every request asks it again. */
export function judgeUrl(text: string, { allowPrivate = false } = {}): string | null {
  const url = URL.parse(text);
  if (!url) return 'The URL is not valid.';
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    return 'The URL must use https.';
  if (url.username || url.password) return 'The URL must not contain a user name or password.';
  if (url.port !== '' && Number(url.port) < 1024) return 'The port must be 443, or 1024 and above.';
  const host = bareHost(url);
  if (isIP(host)) return mayReach(host, allowPrivate) ? null : 'The address is not public.';
  if (host === '' || host.split('.').includes('')) return 'The host name is not valid.';
  if (!allowPrivate && (!host.includes('.') || /\.(localhost|local|internal)$/.test(host)))
    return 'The host name is not public.';
  return null;
}

// ---- One connection

/** What the deadline needs to end a request in whatever phase it is. */
type Attempt = { over: boolean; sent: boolean; socket?: net.Socket };

type Connection = { origin: string; client: Client; socket: net.Socket; openedAt: number };

function defaultResolve(allowPrivate: boolean): NonNullable<OutboundOptions['resolve']> {
  if (allowPrivate) return (hostname) => lookup(hostname, { all: true });
  // The system's own look-up blocks one of few shared threads: a tenant's name server that never
  // answers would stall everyone's. It also reads the hosts file and appends search domains, so
  // a public-looking name could mean an inner machine.
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    return found.map((address) => ({ address, family: isIP(address) }));
  };
}

function connectTcp(target: net.TcpNetConnectOpts, attempt: Attempt, wall: Wall) {
  return new Promise<net.Socket>((resolve, reject) => {
    const socket = wall.dial(target);
    attempt.socket = socket;
    // These listeners stay for the life of the socket, so that a late error finds someone listening.
    socket.on('error', () => reject(new OutboundFailure('connect')));
    socket.on('close', () => reject(new OutboundFailure('connect')));
    socket.once('connect', () => {
      const peer = socket.remoteAddress;
      if (peer !== undefined && mayReach(peer, wall.allowPrivate)) return resolve(socket);
      // A peer that left at once has no address any more, which is no reason to call it private.
      reject(new OutboundFailure(peer === undefined ? 'connect' : 'blocked'));
      socket.destroy();
    });
  });
}

function startTls(socket: net.Socket, host: string, attempt: Attempt, wall: Wall) {
  return new Promise<net.Socket>((resolve, reject) => {
    const secured = tls.connect({
      socket,
      host,
      servername: isIP(host) ? '' : host,
      secureContext: wall.trust,
      ALPNProtocols: ['http/1.1'],
      // Said aloud because the environment can change the default.
      rejectUnauthorized: true,
    });
    attempt.socket = secured;
    secured.on('error', () => reject(new OutboundFailure('tls')));
    secured.on('close', () => reject(new OutboundFailure('tls')));
    secured.once('secureConnect', () => resolve(secured));
  });
}

function clientOver(socket: net.Socket, origin: string): Client {
  let given = false;
  return new Client(origin, {
    // The library would open a new socket by itself when this one closes. It may not: a connection
    // is judged when opened here, and a request is never written twice behind the caller's back.
    connect: (_options, done) => {
      const isFirst = !given;
      given = true;
      // The library loses a request whose connector answers before it returns.
      queueMicrotask(() => (isFirst ? done(null, socket) : done(new OutboundFailure('reset'), null)));
    },
    pipelining: 1,
    maxHeaderSize: maxAnswerHeaderBytes,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: maxIdleMs,
    // Our deadline covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

// ---- One exchange

// These belong to the connection, not to the caller. Accept-Encoding is among them because an
// answer is never decompressed.
const connectionHeaders = new Set(
  'accept-encoding connection content-length expect host keep-alive te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

function sendableHeaders(headers: Record<string, string> = {}): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !connectionHeaders.has(name.toLowerCase()));
  return Object.fromEntries(kept);
}

/** One growing buffer: a body dripped byte by byte must not cost an object for each byte. */
function bodyOf(limit: number) {
  let bytes = Buffer.alloc(0);
  let length = 0;
  return {
    /** Says whether all of the chunk still fitted. */
    add(chunk: Buffer): boolean {
      const taken = Math.min(chunk.length, limit - length);
      if (length + taken > bytes.length) {
        const grown = Buffer.allocUnsafe(Math.min(limit, Math.max(256, 2 * (length + taken))));
        bytes.copy(grown, 0, 0, length);
        bytes = grown;
      }
      chunk.copy(bytes, length, 0, taken);
      length += taken;
      return taken === chunk.length;
    },
    read: () => bytes.subarray(0, length),
  };
}

const brokenOffCodes = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'];

function classify(error: Error & { code?: string }, socket?: net.Socket): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  const code = error.code ?? '';
  // With TLS 1.3 a server refuses us (for want of a client certificate, say) only after the handshake.
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return new OutboundFailure('tls');
  const wasClosed = socket?.readableEnded || (code === 'UND_ERR_SOCKET' && /closed/.test(error.message));
  if (wasClosed || brokenOffCodes.includes(code)) return new OutboundFailure('reset');
  if (code === 'UND_ERR_INVALID_ARG')
    return new OutboundFailure('protocol', 'The request has an invalid header.');
  return new OutboundFailure('protocol');
}

function exchange(
  { client, socket }: Connection,
  url: URL,
  request: OutboundRequest,
  attempt: Attempt,
): Promise<Answer> {
  attempt.socket = socket;
  return new Promise((resolve, reject) => {
    const body = bodyOf(request.maxResponseBytes ?? defaultMaxResponseBytes);
    const head: Pick<Answer, 'status' | 'headers'> = { status: 0, headers: {} };
    let informational = 0;
    const finish = (truncated: boolean) => resolve({ ok: true, ...head, body: body.read(), truncated });
    const fail = (error: Error) => {
      reject(classify(error, socket));
      socket.destroy();
    };

    client.dispatch(
      {
        path: url.pathname + url.search,
        method: request.method,
        headers: sendableHeaders(request.headers),
        body: request.body ?? null,
      },
      {
        onRequestStart() {
          attempt.sent = true;
        },
        onResponseStart(_controller, status, headers) {
          Object.assign(head, { status, headers });
          if (status < 200) informational += 1;
          if (informational > maxInformationalAnswers) fail(new OutboundFailure('protocol'));
        },
        onResponseData(_controller, chunk) {
          if (body.add(chunk)) return;
          finish(true);
          socket.destroy();
        },
        onResponseEnd: () => finish(false),
        onResponseError: (_controller, error) => fail(error),
      },
    );
  });
}

// ---- The client

/**
 * Connections waiting for their next request, by origin. Reuse is safe: it looks nothing up and
 * stays with the address that was judged and the certificate that was checked for this very
 * origin. A changed resolution matters only to a new connection, and each of those is judged.
 */
function idleConnections(now: () => number) {
  const byOrigin = new Map<string, Connection[]>();
  let count = 0;

  function remove(connection: Connection) {
    const waiting = byOrigin.get(connection.origin);
    const index = waiting?.indexOf(connection) ?? -1;
    if (!waiting || index < 0) return;
    waiting.splice(index, 1);
    if (waiting.length === 0) byOrigin.delete(connection.origin);
    count -= 1;
  }

  return {
    remove,
    take(origin: string): Connection | undefined {
      // The most recent first: the oldest then fall idle and close.
      const connection = byOrigin.get(origin)?.findLast(({ socket }) => !socket.destroyed);
      if (connection) remove(connection);
      return connection;
    },
    keep(connection: Connection) {
      if (connection.socket.destroyed) return;
      const waiting = byOrigin.get(connection.origin) ?? [];
      const isOld = now() - connection.openedAt > maxConnectionAgeMs;
      if (isOld || waiting.length >= maxIdlePerOrigin || count >= maxIdleConnections) {
        connection.socket.destroy();
        return;
      }
      byOrigin.set(connection.origin, waiting);
      waiting.push(connection);
      count += 1;
    },
    destroyAll() {
      for (const { socket } of [...byOrigin.values()].flat()) socket.destroy();
    },
  };
}

type Wall = Required<Pick<OutboundOptions, 'resolve' | 'dial' | 'now'>> & {
  allowPrivate: boolean;
  trust: tls.SecureContext;
};

async function judgedAddresses(host: string, wall: Wall): Promise<ResolvedAddress[]> {
  const answer = isIP(host) ? [{ address: host }] : await wall.resolve(host).catch(() => []);
  if (answer.length === 0) throw new OutboundFailure('dns');
  // Copied before judging: what is judged is what is connected to.
  const addresses = answer.map(({ address }) => ({ address, family: isIP(address) }));
  // One bad address blocks them all: an honest name has no reason to mix, and a chosen one could be
  // the address that is tried.
  if (!addresses.every(({ address }) => mayReach(address, wall.allowPrivate)))
    throw new OutboundFailure('blocked');
  return addresses;
}

async function openConnection(url: URL, attempt: Attempt, wall: Wall): Promise<Connection> {
  const host = bareHost(url);
  const addresses = await judgedAddresses(host, wall);
  if (attempt.over) throw new OutboundFailure('timeout');
  const isSecure = url.protocol === 'https:';
  const target: net.TcpNetConnectOpts = {
    host,
    port: Number(url.port) || (isSecure ? 443 : 80),
    lookup: (_host, _options, done) => done(null, addresses),
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressAttemptMs,
  };
  const tcp = await connectTcp(target, attempt, wall);
  const socket = isSecure ? await startTls(tcp, host, attempt, wall) : tcp;
  return { origin: url.origin, client: clientOver(socket, url.origin), socket, openedAt: wall.now() };
}

export function createOutbound(options: OutboundOptions = {}): Outbound {
  const allowPrivate = options.allowPrivate ?? false;
  const wall: Wall = {
    allowPrivate,
    resolve: options.resolve ?? defaultResolve(allowPrivate),
    dial: options.dial ?? net.connect,
    now: options.now ?? (() => performance.now()),
    trust: tls.createSecureContext({ ca: options.ca, minVersion: 'TLSv1.2' }),
  };
  const idle = idleConnections(wall.now);
  const underWay = new Set<Promise<OutboundResult>>();
  let closed = false;

  async function answerOver(connection: Connection, url: URL, request: OutboundRequest, attempt: Attempt) {
    const answer = await exchange(connection, url, request, attempt);
    if (closed) connection.socket.destroy();
    else idle.keep(connection);
    return answer;
  }

  async function run(request: OutboundRequest, attempt: Attempt): Promise<Answer> {
    if (closed) throw new OutboundFailure('connect');
    const refusal = judgeUrl(request.url, { allowPrivate });
    if (refusal) throw new OutboundFailure('blocked', refusal);
    const url = new URL(request.url);
    const kept = idle.take(url.origin);
    if (kept) {
      try {
        return await answerOver(kept, url, request, attempt);
      } catch (error) {
        // The receiver may hang up on an idle connection just before it is used again. As long as
        // nothing was written, a fresh connection repeats nothing.
        if (attempt.sent || attempt.over) throw error;
      }
    }
    const fresh = await openConnection(url, attempt, wall);
    fresh.socket.once('close', () => idle.remove(fresh));
    return answerOver(fresh, url, request, attempt);
  }

  function withDeadline(request: OutboundRequest): Promise<OutboundResult> {
    const startedAt = wall.now();
    const attempt: Attempt = { over: false, sent: false };
    return new Promise((resolve) => {
      const finish = (outcome: Answer | Failed) => {
        if (attempt.over) return;
        attempt.over = true;
        clearTimeout(deadline);
        request.signal?.removeEventListener('abort', cancel);
        resolve({ ...outcome, durationMs: wall.now() - startedAt });
      };
      const fail = (error: unknown) => {
        const { failure, message } = classify(error as Error);
        finish({ ok: false, failure, requestSent: attempt.sent, reason: message });
      };
      const end = (reason?: string) => {
        fail(new OutboundFailure('timeout', reason));
        attempt.socket?.destroy();
      };
      const cancel = () => end('The request was cancelled.');
      const deadline = setTimeout(end, request.timeoutMs);
      if (request.signal?.aborted) return cancel();
      request.signal?.addEventListener('abort', cancel, { once: true });
      run(request, attempt).then(finish, fail);
    });
  }

  return {
    request(request) {
      const result = withDeadline(request);
      underWay.add(result);
      return result.finally(() => underWay.delete(result));
    },
    async close() {
      closed = true;
      idle.destroyAll();
      await Promise.all(underWay);
    },
  };
}
