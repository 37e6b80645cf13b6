// The connections of the outbound client: opened only to addresses that were judged, and kept for the next request.
import { lookup, Resolver } from 'node:dns/promises';
import type net from 'node:net';
import { isIP } from 'node:net';
import tls from 'node:tls';
import { Client } from 'undici';
import { bareHost, mayReach } from './reachable.ts';

export type OutboundFailureClass = 'blocked' | 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'protocol';

const reasons: Record<OutboundFailureClass, string> = {
  blocked: 'The host name leads to an address that is not public.',
  dns: 'The host name could not be resolved.',
  connect: 'No connection to the host could be made.',
  tls: 'No secure connection could be made: the certificate or the TLS handshake was not accepted.',
  timeout: 'The request did not finish in time.',
  reset: 'The connection was closed before the answer was complete.',
  protocol: 'The answer was not valid HTTP.',
};

export class OutboundFailure extends Error {
  readonly failure: OutboundFailureClass;

  constructor(failure: OutboundFailureClass, reason = reasons[failure]) {
    super(reason);
    this.failure = failure;
  }
}

export type ResolvedAddress = { address: string; family: number };

export type Wall = {
  allowPrivate: boolean;
  resolve(hostname: string): Promise<ResolvedAddress[]>;
  /** Opens the TCP connection; tests give one that leads elsewhere. */
  dial(options: net.TcpNetConnectOpts): net.Socket;
  now(): number;
  trust: tls.SecureContext;
};

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

/** What the deadline needs to end a request in whatever phase it is. */
export type Attempt = { over: boolean; sent: boolean; socket?: net.Socket };

export type Connection = { origin: string; client: Client; socket: net.Socket; openedAt: number };

export function defaultResolve(allowPrivate: boolean): Wall['resolve'] {
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

export async function openConnection(url: URL, attempt: Attempt, wall: Wall): Promise<Connection> {
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

/**
 * Connections waiting for their next request, by origin. Reuse is safe: it looks nothing up and
 * stays with the address that was judged and the certificate that was checked for this very
 * origin. A changed resolution matters only to a new connection, and each of those is judged.
 */
export function idleConnections(now: () => number) {
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
