// A worker that kills itself at a chosen moment of its first turn. Run as a child process.
import pg from 'pg';
import { openDatabase } from '../../platform/db/open-database.ts';
import { silentLog } from '../../platform/observability/logging.ts';
import { hooksFor, tracing, workerContext } from './callbacks.test-data.ts';
import { workOnCallbacks } from './work-callbacks.ts';

const [url = '', moment, numbers = '{}'] = process.argv.slice(2);
const die = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('already dead');
};

const database = openDatabase({ url, sealer: null as never, site: () => null as never, log: silentLog });
let commits = 0;
const query = pg.Client.prototype.query;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  if (args[0] !== 'commit') return Reflect.apply(query, this, args);
  commits += 1;
  if (moment === 'before-commit') return die();
  const answer = Reflect.apply(query, this, args) as unknown as Promise<unknown>;
  const enough = moment === 'between-tenants' ? 1 : 2;
  return answer.then((result) => (commits >= enough ? die() : result));
} as never;

const context = workerContext(database, () => new Date('2026-08-21T10:00:00.000Z'));
await workOnCallbacks(context, hooksFor(JSON.parse(numbers), tracing));
