// A service that kills itself at a chosen moment, for tests of what is left behind. Run as a child process:
// it prints its URL, serves, and ends by SIGKILL just before the commit or just before the answer. Told a number of accounts, it
// does so with the first batch of sends of so many: one of fewer is held at its commit, of which a line tells, so that the
// others gather behind it.
import { ServerResponse } from 'node:http';
import pg from 'pg';
import { startService } from '../../src/main/process/service.ts';
import { readConfig } from '../../src/main/settings.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';

const [databaseUrl = '', moment, number] = process.argv.slice(2);
const accounts = number === undefined ? null : Number(number);

const die = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('already dead');
};

const config = readConfig();
const together =
  accounts === null ? {} : { together: { most: accounts, ample: accounts, lateMs: 2 ** 31 - 1 } };
const service = await startService({ config, databaseUrl, role: 'api', log: silentLog, ...together });

/** By connection: whether its transaction is the effect under test, or one to be held; others look up credentials and the like. */
const kinds = new WeakMap<pg.Client, 'tested' | 'held' | 'other'>();
function kindOf(begin: string) {
  const members = /app\.accounts = '([^']*)'/.exec(begin)?.[1]?.split(',').length;
  if (members === undefined) return 'other';
  if (accounts === null || members === accounts) return 'tested';
  return begin.includes('uses_kept_facts') ? 'held' : 'other';
}
const query = pg.Client.prototype.query;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  const [text] = args;
  if (typeof text === 'string' && text.startsWith('begin')) kinds.set(this, kindOf(text));
  const ending = text === 'commit' ? kinds.get(this) : 'other';
  if (ending === 'tested' && moment === 'before-commit') die();
  if (ending !== 'held') return Reflect.apply(query, this, args);
  process.stdout.write('held\n');
  return new Promise(() => {});
} as never;
if (moment === 'before-answer') {
  ServerResponse.prototype.writeHead = (() => die()) as never;
}
process.stdout.write(`${service.url}\n`);
