// What the framework alone can do: the same Fastify and the same judge of the same body, and nothing behind them.
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import type { TSchema } from 'typebox';
import { NewAuthorization } from '../../server/src/modules/authorizations/schema.ts';
import { NewMessage } from '../../server/src/modules/messages/schema.ts';
import { judgeBy } from '../../server/src/platform/http/input/validation.ts';

const answer = process.env.ANSWER ?? '{}';
const app = fastify();

app.setValidatorCompiler(({ schema }) => {
  const judge = judgeBy(schema as TSchema);
  return (value) => {
    const details = judge(value);
    return details.length === 0 ? { value } : { error: new Error(JSON.stringify(details)) };
  };
});
app.post('/echo', { schema: { body: NewAuthorization } }, async (request) => request.body);
app.post('/echo-message', { schema: { body: NewMessage } }, async (request) => request.body);
app.get('/fixed', async (_request, reply) => reply.type('application/json').send(answer));
app.get('/metrics', async () => {
  const { user, system } = process.cpuUsage();
  return `process_cpu_seconds_total ${(user + system) / 1e6}\nprocess_resident_memory_bytes ${process.memoryUsage.rss()}\n`;
});

await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}\n`);
process.on('SIGTERM', () => process.exit(0));
process.on('SIGINT', () => process.exit(0));
