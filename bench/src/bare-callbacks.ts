// What the framework alone can do with a callback: read it, check its signature, answer. Nothing is stored.
import { createHmac, timingSafeEqual } from 'node:crypto';
import fastify from 'fastify';
import { announce } from './bare.ts';

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
await announce(app);
