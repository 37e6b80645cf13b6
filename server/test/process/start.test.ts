import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { freshDatabase, ownerOf } from './fixtures.ts';
import {
  type Answer,
  call,
  credentialsIn,
  dataFolder,
  godwit,
  postgresPid,
  type Started,
  startGodwit,
} from './godwit.ts';
import { migratedFolder } from './migrated-folder.ts';

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
const readiness = ({ readyMs, workedMs }: Started) =>
  `ready after ${seconds(readyMs)} and ${seconds(workedMs)} of work`;

// What is promised. It is held against the time the process itself worked: what it waited for a processor that others
// had is no fault of its own. A processor that is shared also works more slowly, by half at most, and so does an older one.
const firstStartMs = 4_000;
const nextStartMs = 1_500;
const leniency = 2;

/** Work that is always the same, and how long it took where the promises were measured. */
const yardstick = `
  const begun = process.cpuUsage();
  for (let round = 0; round < 60; round += 1) {
    const made = Array.from({ length: 2_000 }, (_, at) => ({ at, name: 'name ' + at, more: [at, round, { deep: at % 7 }] }));
    for (const { name } of JSON.parse(JSON.stringify(made))) name.replaceAll(/\\d/g, 'x');
  }
  const { user, system } = process.cpuUsage(begun);
  console.log((user + system) / 1_000);`;
const yardstickMs = 130;

/** How many times slower the processor is just now. */
async function slowness(): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', yardstick]);
  return Math.max(1, Number(stdout) / yardstickMs);
}

test('the first start shows a key that sends a message, and the second keeps the data and shows none', async (context) => {
  const dataDir = await dataFolder(context);
  const first = await startGodwit(context, { DATA_DIR: dataDir });
  context.diagnostic(`first start: ${readiness(first)}, promised ${seconds(firstStartMs)}`);
  assert.ok(first.workedMs < leniency * firstStartMs * (await slowness()), readiness(first));
  const { accountSid, key } = credentialsIn(first.text());
  const [sent, listed] = await asTheCurlLinesSay(first.text());
  assert.deepEqual([sent!.status, sent!.body.accountSid], [201, accountSid]);
  assert.deepEqual(
    listed!.body.data.map(({ sid }: { sid: string }) => sid),
    [sent!.body.sid],
  );
  assert.match(first.text(), /Console +http\S+\/console\n/);
  // Built by now, or by another process of this run, or by its own at the lowest priority: in any case it says so.
  const page = await fetch(`${first.url}/console/`);
  assert.match(await page.text(), page.status === 200 ? /<div id="root">/ : /is being built/);
  assert.deepEqual(await first.stop('SIGINT'), { code: 0, signal: null });
  assert.equal(postgresPid(dataDir), null);

  const second = await startGodwit(context, { DATA_DIR: dataDir });
  context.diagnostic(`next start: ${readiness(second)}, promised ${seconds(nextStartMs)}`);
  assert.ok(second.workedMs < leniency * nextStartMs * (await slowness()), readiness(second));
  assert.doesNotMatch(second.text(), /gw_test_|Sandbox key|Sign in|curl/);
  assert.equal((await call(`${second.url}/v1/me`, { key })).status, 200);
  assert.deepEqual(await second.stop('SIGTERM'), { code: 0, signal: null });
  assert.equal(postgresPid(dataDir), null);
});

/** Sends what a person would send by copying the lines. */
async function asTheCurlLinesSay(banner: string): Promise<Answer[]> {
  const lines = banner.split('\n').filter((line) => line.trim().startsWith('curl '));
  assert.equal(lines.length, 2, 'the banner sends a message and looks at it');
  const answers: Answer[] = [];
  for (const line of lines) {
    const [, url] = /curl (\S+)/.exec(line)!;
    const headers = Object.fromEntries(
      [...line.matchAll(/-H "([^:]+): ([^"]+)"/g)].map(([, name, value]) => [name!.toLowerCase(), value!]),
    );
    const body = /-d '([^']+)'/.exec(line)?.[1];
    answers.push(await call(url!, { headers, ...(body && { method: 'POST', body }) }));
  }
  return answers;
}

test('two copies run side by side, and a third on the folder of one of them is sent away', async (context) => {
  const [here, there] = [await migratedFolder(context), await migratedFolder(context)];
  const copies = await Promise.all([here, there].map((DATA_DIR) => startGodwit(context, { DATA_DIR })));
  const [mine, other] = copies as [Started, Started];
  const { key } = credentialsIn(mine.text());
  assert.notEqual(mine.url, other.url);
  assert.equal((await call(`${other.url}/v1/me`, { key })).status, 401);

  const third = await godwit(['start'], { PORT: '0', DATA_DIR: here });
  assert.equal(third.code, 2);
  assert.equal(third.stdout, '');
  assert.match(third.stderr, /^godwit: Another Godwit runs on .+\. Stop it, or .+ DATA_DIR and PORT\.\n$/);
  assert.equal((await call(`${mine.url}/v1/me`, { key })).status, 200);
  for (const copy of copies) assert.equal((await copy.stop()).code, 0);
});

test('a given database gets no demo organization', async (context) => {
  const env = await freshDatabase(context);
  const service = await startGodwit(context, env);
  assert.doesNotMatch(service.text(), /gw_test_|Account|curl/);
  assert.match(service.text(), /PostgreSQL at DATABASE_URL/);
  const owner = await ownerOf(context, env);
  assert.equal((await owner.query('select from accounts')).rowCount, 0);
  assert.equal(existsSync(join(env.DATA_DIR, 'postgres')), false);
  assert.equal((await service.stop()).code, 0);
});

test('a data folder is made, with every folder above it', async (context) => {
  const env = await freshDatabase(context);
  const { MASTER_KEY: _, ...withoutKey } = env;
  const deep = join(env.DATA_DIR, 'a', 'b', 'c');
  const service = await startGodwit(context, { ...withoutKey, DATA_DIR: deep });
  assert.equal(existsSync(join(deep, 'master.key')), true);
  assert.equal((await service.stop()).code, 0);
});

test('a worker alone tells no address', async (context) => {
  const env = await freshDatabase(context);
  const worker = await startGodwit(context, env, { args: ['start', '--role', 'worker'] });
  assert.match(worker.text(), /is ready \(worker, /);
  assert.doesNotMatch(worker.text(), /\/v1|\/docs/);
  assert.equal((await worker.stop()).code, 0);
});

test('a port that is taken is one clear line, and no database stays behind', async (context) => {
  const dataDir = await migratedFolder(context);
  const port = await takenPort(context);
  const { code, stderr } = await godwit(['start'], { PORT: String(port), DATA_DIR: dataDir });
  const said = `godwit: PORT ${port} is in use. Set PORT to another, or to 0.\n`;
  assert.deepEqual({ code, stderr }, { code: 2, stderr: said });
  assert.equal(postgresPid(dataDir), null);
});

function takenPort(context: { after(work: () => void): void }): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      done((server.address() as { port: number }).port);
    });
    context.after(() => server.close());
  });
}

test('a master key that does not fit the database stops the start', async (context) => {
  const env = await freshDatabase(context);
  const other = await freshDatabase(context);
  assert.equal((await godwit(['bootstrap', '--json'], env)).code, 0);
  const refused = await godwit(['start'], { ...env, PORT: '0', MASTER_KEY: other.MASTER_KEY });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /^godwit: MASTER_KEY does not fit this database: .*\n$/);
});
