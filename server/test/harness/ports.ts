// Ports for servers that come and go on the same one.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A port nobody listens on, from below those the system gives out by itself: one of these could be given to somebody else
 * while its server is away.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once('error', () => done(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(true)));
  });
}
