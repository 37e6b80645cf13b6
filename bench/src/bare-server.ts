// What the framework alone can do: the same Fastify and the same judge of the same body, and nothing behind them.
import fastify from 'fastify';
import { NewAuthorization } from '../../server/src/modules/authorizations/schema.ts';
import { NewMessage } from '../../server/src/modules/messages/schema.ts';
import { announce, judgeBodies } from './bare.ts';

const answer = process.env.ANSWER ?? '{}';
const app = fastify();

judgeBodies(app);
app.post('/echo', { schema: { body: NewAuthorization } }, async (request) => request.body);
app.post('/echo-message', { schema: { body: NewMessage } }, async (request) => request.body);
app.get('/fixed', async (_request, reply) => reply.type('application/json').send(answer));
await announce(app);
