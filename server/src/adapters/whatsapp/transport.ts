// HTTP to the provider: connections kept per base URL, one deadline over each request, and always the answer to one
// question: may bytes of the request have left?
//
// The base URL is the operator's, not a tenant's, so this is not the client that judges addresses. It is fast instead: no
// streams for small bodies, no redirects, no retries behind the caller's back.
import type { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import type { Sink } from '../../modules/provider/index.ts';
import { flowing, holding, type Intake, NotWritten, TooLarge } from './intake.ts';

export type HttpRequest = {
  method: 'GET' | 'POST' | 'DELETE';
  url: URL;
  headers: Record<string, string>;
  body?: string | Buffer | Readable;
  timeoutMs: number;
  maxAnswerBytes: number;
  /** Takes the body of a 2xx answer in place of memory. When it cannot, the request fails with what it threw. */
  sink?: Sink;
  /** Asked just before the first byte leaves; when it says no, none does. */
  mayBegin?: () => boolean;
};

export type HttpResult =
  | {
      kind: 'answer';
      status: number;
      headers: Record<string, string | string[] | undefined>;
      /** Empty when a sink took it. */
      body: Buffer;
    }
  /** `sent` says that bytes may have left: nobody knows what became of them. */
  | { kind: 'lost'; sent: boolean; reason: string }
  | { kind: 'too-large'; status: number };

export type Transport = {
  request(request: HttpRequest): Promise<HttpResult>;
  close(): Promise<void>;
};

// A number may send 1,000 messages a second and the provider takes some hundred milliseconds for each.
const connectionsPerOrigin = 640;
const connectMs = 5_000;
// Shorter than what common servers offer, so that it is we who leave: a server that hangs up just as a message is
// written leaves a result nobody knows.
const idleMs = 4_000;
const maxHeaderBytes = 32 * 1024;

export function createTransport(): Transport {
  const agent = new Agent({
    connections: connectionsPerOrigin,
    pipelining: 1,
    connect: { timeout: connectMs },
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: 10 * idleMs,
    maxHeaderSize: maxHeaderBytes,
    // Our deadline covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    request: (request) => new Promise((resolve, reject) => exchange(agent, request, resolve, reject)),
    close: () => agent.close(),
  };
}

class OutOfTime extends Error {}
class TooLate extends Error {}

function exchange(
  agent: Agent,
  request: HttpRequest,
  resolve: (result: HttpResult) => void,
  reject: (error: unknown) => void,
): void {
  const { url, method, timeoutMs, maxAnswerBytes, sink, mayBegin = () => true } = request;
  let controller: Dispatcher.DispatchController | null = null;
  let over = false;
  let status = 0;
  let headers: Record<string, string | string[] | undefined> = {};
  let intake: Intake = holding(maxAnswerBytes);

  const finish = (result: HttpResult) => {
    if (over) return;
    over = true;
    clearTimeout(deadline);
    resolve(result);
  };
  const fail = (error: Error) => {
    if (error instanceof TooLarge) return finish({ kind: 'too-large', status });
    if (error instanceof NotWritten) {
      clearTimeout(deadline);
      over = true;
      return reject(error.cause);
    }
    finish({ kind: 'lost', sent: controller !== null, reason: reasonOf(error) });
  };
  const deadline = setTimeout(() => {
    const late = new OutOfTime();
    fail(late);
    controller?.abort(late);
  }, timeoutMs);

  const handler: Dispatcher.DispatchHandler = {
    // Called when a connection is there and just before the first byte is written.
    onRequestStart(given) {
      if (over) return given.abort(new OutOfTime());
      if (!mayBegin()) return given.abort(new TooLate());
      controller = given;
    },
    onResponseStart(_controller, code, received) {
      if (code < 200) return; // something of what follows, such as 103 Early Hints
      status = code;
      headers = received as typeof headers;
      if (sink && code < 300) intake = flowing(sink);
    },
    onResponseData(given, chunk) {
      intake.take(given, chunk);
    },
    onResponseEnd() {
      intake.end().then((body) => finish({ kind: 'answer', status, headers, body }), fail);
    },
    onResponseError(_controller, error) {
      fail(error);
    },
  };
  const options: Dispatcher.DispatchOptions = {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: request.headers,
    body: request.body ?? null,
  };
  try {
    agent.dispatch(options, handler);
  } catch (error) {
    fail(error as Error);
  }
}

function reasonOf(error: Error): string {
  if (error instanceof OutOfTime) return 'The provider did not answer in time.';
  if (error instanceof TooLate) return 'The request could not begin in time and was not sent.';
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'No connection to the provider could be made in time.';
  if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(code))
    return 'The provider cannot be reached.';
  if (/^(ERR_TLS|CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code))
    return 'No secure connection to the provider could be made.';
  return 'The connection to the provider broke.';
}
