// The least there is to taking a file: Node's own server, a stream to disk, a flush.
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const folder = process.env.FOLDER!;
const server = http.createServer(async (request, answer) => {
  const path = join(folder, randomUUID());
  await pipeline(request, createWriteStream(path, { flush: true }));
  answer.end('ok');
  await rm(path);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => server.close(() => process.exit(0)).closeAllConnections());
