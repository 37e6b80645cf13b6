// What the framework alone can do with a callback: read it, check its signature, answer. Nothing is stored.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';

const secret = process.env.APP_SECRET ?? '';
const app = fastify();
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.post('/provider/callbacks/sandbox', async (request, reply) => {
  const given = Buffer.from(String(request.headers['x-hub-signature-256']).slice(7), 'hex');
  const made = createHmac('sha256', secret)
    .update(request.body as Buffer)
    .digest();
  const good = given.length === made.length && timingSafeEqual(given, made);
  return reply.code(good ? 200 : 401).send('Stored.');
});
app.get('/metrics', async () => {
  const { user, system } = process.cpuUsage();
  return `process_cpu_seconds_total ${(user + system) / 1e6}\nprocess_resident_memory_bytes ${process.memoryUsage.rss()}\n`;
});

await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}\n`);
process.on('SIGTERM', () => process.exit(0));
process.on('SIGINT', () => process.exit(0));
