// The network at its worst, between a client and the service. What it does to a request follows from the order in which requests
// came, so that every kind of fault happens in every run; after three faults a request gets through.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Lifetime } from '../../../server/test/harness/lifetime.ts';
import { refusal } from './fake-service.ts';

type Answer = { status: number; headers: IncomingMessage['headers']; body: Buffer };
type Asked = { method: string; url: string; headers: IncomingMessage['headers']; body: Buffer };

export const faults = ['cut', 'lost', 'busy', 'page', 'late', 'twice'] as const;
export type Fault = (typeof faults)[number];

const faultsEach = 3;

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function forward(target: string, { method, url, headers, body }: Asked): Promise<Answer> {
  const outgoing = request(new URL(url, target), { method, headers, agent: false });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: answer.statusCode!, headers: answer.headers, body: await bodyOf(answer) };
}

export async function startFaultyProxy(lifetime: Lifetime, target: string) {
  const counts = Object.fromEntries(faults.map((fault) => [fault, 0])) as Record<Fault, number>;
  /** How often each request came, and what is still on its way: by its key, or where it has none by its address. */
  const comings = new Map<string, number>();
  const onTheWay = new Map<string, Asked>();
  const late: Promise<unknown>[] = [];
  let requests = 0;

  const faultFor = (name: string): Fault | null => {
    const coming = comings.get(name) ?? 0;
    comings.set(name, coming + 1);
    requests += 1;
    return coming < faultsEach && requests % 3 !== 0 ? faults[(requests + coming) % faults.length]! : null;
  };

  const suffer = async (fault: Fault, asked: Asked, name: string, response: ServerResponse) => {
    counts[fault] += 1;
    if (fault === 'busy') return tell(response, await busy());
    if (fault === 'page') return tell(response, page);
    if (fault === 'lost') await forward(target, asked);
    if (fault === 'late') onTheWay.set(name, asked);
    if (fault !== 'twice') return void response.destroy();
    const answers = await Promise.all([forward(target, asked), forward(target, asked)]);
    return tell(response, answers.find(({ status }) => status < 400) ?? answers[0]!);
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = incoming;
    const asked = { method, url, headers, body: await bodyOf(incoming) };
    const name = String(headers['idempotency-key'] ?? `${method} ${url}`);
    const fault = faultFor(name);
    if (fault) return suffer(fault, asked, name, response);
    const answer = await forward(target, asked);
    // What was thought lost arrives now, after the request that took its place.
    const straggler = onTheWay.get(name);
    onTheWay.delete(name);
    if (straggler) late.push(forward(target, straggler));
    return tell(response, answer);
  };

  const settled = () => Promise.all(late);

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  lifetime.after(async () => {
    await settled();
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    /** Everything that came late has been answered. */
    settled,
  };
}

const page: Answer = {
  status: 503,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('<h1>Busy</h1>'),
};

async function busy(): Promise<Answer> {
  const answer = refusal(503, 'INTERNAL_TEMPORARY_ERROR', { retryable: true, retryAfterSeconds: 2 });
  return { status: 503, headers: {}, body: Buffer.from(await answer.text()) };
}

function tell(response: ServerResponse, { status, headers, body }: Answer): void {
  const { 'transfer-encoding': _chunked, connection: _connection, ...rest } = headers;
  response.writeHead(status, rest).end(body);
}
