// What graphile-worker alone can do: jobs that do nothing, begun as the service begins its own.
import fastify from 'fastify';
import { run } from 'graphile-worker';
import { announce } from './bare.ts';

await run({
  connectionString: process.env.DATABASE_URL!,
  concurrency: 10,
  noHandleSignals: true,
  preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  taskList: { nothing: async () => {} },
});
await announce(fastify());
