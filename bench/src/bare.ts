// What the bare servers have in common: the judge of bodies, and how they tell where they are and what they use.
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { judgeBy } from '../../server/src/platform/http/input/validation.ts';

/** Bodies are judged as the service judges them. */
export function judgeBodies(app: FastifyInstance): void {
  app.setValidatorCompiler(({ schema }) => {
    const judge = judgeBy(schema as TSchema);
    return (value) => {
      const details = judge(value);
      return details.length === 0 ? { value } : { error: new Error(JSON.stringify(details)) };
    };
  });
}

/** Listens, tells what it uses as the service does, prints where it is, and ends when told. */
export async function announce(app: FastifyInstance): Promise<void> {
  app.get('/metrics', async () => {
    const { user, system } = process.cpuUsage();
    return `process_cpu_seconds_total ${(user + system) / 1e6}\nprocess_resident_memory_bytes ${process.memoryUsage.rss()}\n`;
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  process.stdout.write(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}\n`);
  process.on('SIGTERM', () => process.exit(0));
  process.on('SIGINT', () => process.exit(0));
}
