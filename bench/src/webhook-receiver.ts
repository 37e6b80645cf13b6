// A receiver of webhooks that costs as little as one can: answers 200 and remembers when each event came first. At other
// paths it behaves badly.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

const arrivals = new Map<string, number>();
let count = 0;

const failAfterMs = 300;
const dripEveryMs = 100;

const badManners: Record<string, (response: http.ServerResponse) => void> = {
  '/hang': () => {},
  '/fail': (response) => void setTimeout(() => response.writeHead(500).end('broken'), failAfterMs),
  '/drip': (response) => {
    const dripping = setInterval(() => response.write('.'), dripEveryMs);
    response.on('close', () => clearInterval(dripping));
  },
};

const server = http.createServer((request, response) => {
  if (request.method === 'GET') return void report(response);
  const bad = badManners[request.url!];
  if (bad) return void request.resume().on('end', () => bad(response));
  const event = String(request.headers['x-service-event-id']);
  count += 1;
  if (!arrivals.has(event)) arrivals.set(event, performance.timeOrigin + performance.now());
  request.resume().on('end', () => response.end());
});

/** How many came since the last report, and when. */
function report(response: http.ServerResponse): void {
  response.end(JSON.stringify({ count, arrivals: [...arrivals] }));
  arrivals.clear();
  count = 0;
}

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
process.on('SIGINT', () => process.exit(0));
