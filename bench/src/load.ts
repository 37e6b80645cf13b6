// Loads one HTTP server over keep-alive connections, one request in flight on each.
//
// It shares the machine with what it measures, so it must cost little: bare sockets, requests written as ready text,
// answers read only as far as their status and length. Per request it takes two thirds of the CPU autocannon takes for
// one that never changes, and these change with every request.
import { connect, type Socket } from 'node:net';

export type Load = {
  port: number;
  connections: number;
  seconds: number;
  /** The whole text of the next request, Latin-1. */
  next(): string;
  /** The one status that is no error. */
  expect: number;
};

export type Measured = {
  /** All answers, also those outside the time that counts. */
  answers: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  errors: number;
  /** The first answer that was not expected, to be shown. */
  firstError: string | null;
  /** How many answers had another status than the expected one, by status. */
  refusals: Record<string, number>;
  /** CPU this process took meanwhile, in percent of one core. */
  clientCpu: number;
};

// Connections open and caches fill before anything counts.
const leadInMs = 250;
const answerTimeoutMs = 15_000;
const readBytes = 64 * 1024;

export async function load({ port, connections, seconds, next, expect }: Load): Promise<Measured> {
  const latencies: number[] = [];
  let answers = 0;
  let errors = 0;
  let firstError: string | null = null;
  const refusals: Record<string, number> = {};
  const fail = (what: string) => {
    errors += 1;
    firstError ??= what;
  };
  const countFrom = performance.now() + leadInMs;
  const until = countFrom + seconds * 1000;
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const one = () =>
    new Promise<void>((done) => {
      let sentAt = 0;
      const socket = openExchange(port, {
        answered(status, text) {
          const now = performance.now();
          answers += 1;
          if (status !== expect) {
            refusals[status] = (refusals[status] ?? 0) + 1;
            fail(text());
          } else if (sentAt >= countFrom && now <= until) latencies.push(now - sentAt);
          if (now >= until) return void socket.destroy();
          send();
        },
        lost(reason) {
          fail(reason);
          socket.destroy();
        },
      });
      const send = () => {
        sentAt = performance.now();
        socket.write(next(), 'latin1');
      };
      socket.once('connect', send);
      socket.once('close', () => done());
    });
  await Promise.all(Array.from({ length: connections }, one));
  const used = process.cpuUsage(cpu);
  const sorted = Float64Array.from(latencies).sort();
  const quantile = (q: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
  return {
    answers,
    perSecond: sorted.length / seconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    errors,
    firstError,
    refusals,
    clientCpu: (used.user + used.system) / 10 / (performance.now() - startedAt),
  };
}

type Listener = { answered(status: number, text: () => string): void; lost(reason: string): void };

/** A connection that tells of each whole answer. Only answers with a Content-Length are understood. */
function openExchange(port: number, { answered, lost }: Listener): Socket {
  let held: Buffer | null = null;
  const take = (bytes: Buffer) => {
    const data = held ? Buffer.concat([held, bytes]) : bytes;
    const headEnd = data.indexOf('\r\n\r\n');
    const length = headEnd < 0 ? 0 : contentLength(data.toString('latin1', 0, headEnd));
    if (length === null)
      return lost(`an answer without Content-Length: ${data.toString('latin1', 0, headEnd)}`);
    const end = headEnd + 4 + length;
    if (headEnd < 0 || data.length < end) {
      held = Buffer.from(data); // a copy: the socket reads into the same buffer again
      return;
    }
    held = null;
    answered(Number(data.toString('latin1', 9, 12)), () => data.toString('utf8', 0, end));
  };
  const socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    // Reads into one buffer and past the stream machinery.
    onread: {
      buffer: Buffer.allocUnsafe(readBytes),
      callback(count, buffer) {
        take((buffer as Buffer).subarray(0, count));
        return true;
      },
    },
  });
  socket.setTimeout(answerTimeoutMs, () => lost(`no answer within ${answerTimeoutMs / 1000} seconds`));
  socket.once('error', (error) => lost(error.message));
  socket.once('end', () => lost('the server closed the connection'));
  return socket;
}

function contentLength(head: string): number | null {
  const found = /\r\ncontent-length: *(\d+)/i.exec(head);
  return found ? Number(found[1]) : null;
}
