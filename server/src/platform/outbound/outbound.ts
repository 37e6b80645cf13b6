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
import net from 'node:net';
import tls from 'node:tls';
import {
  type Attempt,
  type Connection,
  defaultResolve,
  idleConnections,
  OutboundFailure,
  type OutboundFailureClass,
  openConnection,
  type Wall,
} from './outbound-connection.ts';
import { allowsPrivate, judgeWith } from './reachable.ts';

export type { OutboundFailureClass };

export type OutboundRequest = {
  url: string;
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: Buffer | string;
  /** Over everything, from the look-up of the name to the last byte of the answer. */
  timeoutMs: number;
  maxResponseBytes?: number;
  /**
   * Takes the body of a 2xx answer as it comes, so that none of it is held; no more is read while it is busy, and
   * nothing more once it failed. `maxResponseBytes` holds all the same.
   */
  sink?: (chunk: Buffer) => Promise<void>;
  /** Ends the request early; the result is then a `timeout`, as if the deadline had been now. */
  signal?: AbortSignal;
};

type Answer = {
  ok: true;
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The bytes as they came: a compressed body stays compressed. Empty when a sink took them. */
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

/** Ends a request when its time is up, unless what it returns is called before; tests give one that waits for them. */
export type StartDeadline = (end: () => void, timeoutMs: number) => () => void;

const onTheWall: StartDeadline = (end, timeoutMs) => {
  const timer = setTimeout(end, timeoutMs);
  return () => clearTimeout(timer);
};

export type ClientOptions = {
  /** Permits loopback, private networks, plain names and `http:`. */
  allowPrivate: boolean;
  resolve?: Wall['resolve'];
  now?: Wall['now'];
  startDeadline?: StartDeadline;
  /** Certificates to trust in place of the system's. */
  ca?: string;
  dial?: Wall['dial'];
};

/** Calls whatever it was made to reach, for whoever asks: for commands, whose URLs their own user types. */
export type Client = {
  request(request: OutboundRequest): Promise<OutboundResult>;
  /** Closes idle connections, takes no more requests, and waits for those under way. */
  close(): Promise<void>;
};

export type OutboundOptions = Omit<ClientOptions, 'allowPrivate'> & {
  /** The switch of development. It counts for sandboxes alone. */
  allowPrivateAddresses: boolean;
};

/** Calls for tenants. Every request says for which environment, since that decides what it may reach. */
export type Outbound = {
  request(request: OutboundRequest & { livemode: boolean }): Promise<OutboundResult>;
  close(): Promise<void>;
};

const defaultMaxResponseBytes = 64 * 1024;
// Enough for any honest `103 Early Hints`; an endless row of them would otherwise be read until the deadline.
const maxInformationalAnswers = 8;

// ---- One exchange

// These belong to the connection, not to the caller. Accept-Encoding is among them because an
// answer is never decompressed.
export const connectionHeaders: ReadonlySet<string> = new Set(
  'accept-encoding connection content-length expect host keep-alive te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

function sendableHeaders(headers: Record<string, string> = {}): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of Object.keys(headers))
    if (!connectionHeaders.has(name.toLowerCase())) kept[name] = headers[name]!;
  return kept;
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

/** An answer that flows on as it comes: the next chunk is read when the sink is done with the one before. */
async function exchangeInto(
  sink: (chunk: Buffer) => Promise<void>,
  { client, socket }: Connection,
  url: URL,
  request: OutboundRequest,
  attempt: Attempt,
): Promise<Answer> {
  attempt.socket = socket;
  attempt.sent = true;
  const limit = request.maxResponseBytes ?? defaultMaxResponseBytes;
  const kept = bodyOf(limit);
  let length = 0;
  let truncated = false;
  try {
    const {
      statusCode: status,
      headers,
      body,
    } = await client.request({
      path: url.pathname + url.search,
      method: request.method,
      headers: sendableHeaders(request.headers),
      body: request.body ?? null,
    });
    const flows = status >= 200 && status < 300;
    for await (const chunk of body) {
      length += chunk.length;
      truncated = length > limit;
      if (truncated) break;
      if (flows) await sink(chunk);
      else kept.add(chunk);
    }
    if (truncated) socket.destroy();
    return { ok: true, status, headers, body: kept.read(), truncated };
  } catch (error) {
    socket.destroy();
    throw classify(error as Error, socket);
  }
}

// ---- The client

/** Judges each URL once: the verdict follows from the text alone, and most requests go where others went before. */
function createJudge(allowPrivate: boolean): (text: string) => URL {
  const accepted = new Map<string, URL>();
  return (text) => {
    const known = accepted.get(text);
    if (known) return known;
    const refusal = judgeWith(text, allowPrivate);
    if (refusal) throw new OutboundFailure('blocked', refusal);
    const url = new URL(text);
    if (accepted.size >= mostJudged) accepted.clear();
    accepted.set(text, url);
    return url;
  };
}

const mostJudged = 1_000;

type Cancel = () => void;
const cancelled = new WeakMap<AbortSignal, Set<Cancel>>();

/** One listener a signal, however many requests follow it: the platform looks through all of them to add another. */
function cancelsOf(signal: AbortSignal): Set<Cancel> {
  const known = cancelled.get(signal);
  if (known) return known;
  const cancels = new Set<Cancel>();
  cancelled.set(signal, cancels);
  signal.addEventListener('abort', () => [...cancels].forEach((cancel) => void cancel()), { once: true });
  return cancels;
}

/** Two clients, so that a connection a sandbox opened to a private address is never there for live to use. */
export function createOutbound({ allowPrivateAddresses, ...options }: OutboundOptions): Outbound {
  const clientFor = (livemode: boolean) =>
    createClient({ ...options, allowPrivate: allowsPrivate({ livemode, site: { allowPrivateAddresses } }) });
  const live = clientFor(true);
  const sandbox = clientFor(false);
  return {
    request: ({ livemode, ...request }) => (livemode ? live : sandbox).request(request),
    async close() {
      await Promise.all([live.close(), sandbox.close()]);
    },
  };
}

export function createClient(options: ClientOptions): Client {
  const { allowPrivate, startDeadline = onTheWall } = options;
  const wall: Wall = {
    allowPrivate,
    resolve: options.resolve ?? defaultResolve(allowPrivate),
    dial: options.dial ?? net.connect,
    now: options.now ?? (() => performance.now()),
    trust: tls.createSecureContext({ ca: options.ca, minVersion: 'TLSv1.2' }),
  };
  const judge = createJudge(allowPrivate);
  const idle = idleConnections(wall.now);
  const underWay = new Set<Promise<OutboundResult>>();
  let closed = false;

  async function answerOver(connection: Connection, url: URL, request: OutboundRequest, attempt: Attempt) {
    const answer = request.sink
      ? await exchangeInto(request.sink, connection, url, request, attempt)
      : await exchange(connection, url, request, attempt);
    if (closed) connection.socket.destroy();
    else idle.keep(connection);
    return answer;
  }

  async function run(request: OutboundRequest, attempt: Attempt): Promise<Answer> {
    if (closed) throw new OutboundFailure('connect');
    const url = judge(request.url);
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
    const cancels = request.signal && cancelsOf(request.signal);
    return new Promise((resolve) => {
      const finish = (outcome: Answer | Failed) => {
        if (attempt.over) return;
        attempt.over = true;
        withdrawDeadline();
        cancels?.delete(cancel);
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
      const withdrawDeadline = startDeadline(end, request.timeoutMs);
      if (request.signal?.aborted) return cancel();
      cancels?.add(cancel);
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
