// Ports for servers that come and go on the same one.
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const candidates = portsToChooseFrom();

/**
 * A port nobody listens on and the system gives to nobody by itself, so that it is still free when its server was away. No other
 * process of the tests is given it as long as this one lives.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = candidates[randomInt(candidates.length)]!;
    if ((await isOurs(port)) && (await isFree(port))) return port;
  }
}

/** The same port of UDP, which no server of the tests uses, is the sign that one of TCP is taken. */
function isOurs(port: number): Promise<boolean> {
  const sign = createSocket('udp4').unref();
  return new Promise((done) => {
    sign.once('error', () => sign.close(() => done(false)));
    sign.bind({ port, address: '127.0.0.1', exclusive: true }, () => done(true));
  });
}

function portsToChooseFrom(): number[] {
  const file = '/proc/sys/net/ipv4/ip_local_port_range';
  const range = existsSync(file) ? readFileSync(file, 'utf8') : '32768 65535';
  const [first, last] = range.trim().split(/\s+/).map(Number) as [number, number];
  const all = Array.from({ length: 45_000 }, (_, index) => 15_000 + index);
  const outside = all.filter((port) => port < first || port > last);
  // A system may give out nearly all of them.
  return outside.length > 1_000 ? outside : all;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once('error', () => done(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(true)));
  });
}
