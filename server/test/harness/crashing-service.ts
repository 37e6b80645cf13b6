// A service that kills itself at a chosen moment, for tests of what is left behind. Run as a child process:
// it prints its URL, serves, and ends by SIGKILL just before the commit or just before the answer.
import { ServerResponse } from 'node:http';
import pg from 'pg';
import { startService } from '../../src/main/process/service.ts';
import { readConfig } from '../../src/main/settings.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';

const [databaseUrl = '', moment] = process.argv.slice(2);

const die = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('already dead');
};

const config = readConfig();
const service = await startService({ config, databaseUrl, role: 'api', log: silentLog });

if (moment === 'before-commit') {
  const query = pg.Client.prototype.query;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    // Only requests end in a plain commit on the serving connections; the first such is the effect under test.
    return args[0] === 'commit' ? die() : Reflect.apply(query, this, args);
  } as never;
}
if (moment === 'before-answer') {
  ServerResponse.prototype.writeHead = (() => die()) as never;
}
process.stdout.write(`${service.url}\n`);
