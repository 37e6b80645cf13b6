// What the command line says before it does anything.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { runCommandLine } from '../../src/main/command-line.ts';
import { freshDatabase, olderNode } from './fixtures.ts';
import { type Environment, type Finished, godwit, launcher, until } from './godwit.ts';

const accountSid = 'AC01M7EFRXGBFCR29V3G3NK609QQ';
// Whatever gets past the command line finds no database, least of all the one of this checkout.
const nowhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
const { DATABASE_URL } = process.env;
before(() => void Object.assign(process.env, nowhere));
after(() => {
  if (DATABASE_URL === undefined) delete process.env.DATABASE_URL;
  else process.env.DATABASE_URL = DATABASE_URL;
});

/** The commands in this process: the start of another costs more than what is looked at. */
async function commandLine(args: string[]): Promise<Finished> {
  const said = { stdout: '', stderr: '' };
  const code = await runCommandLine(args, {
    writeOut(text) {
      said.stdout += text;
    },
    writeErr(text) {
      said.stderr += text;
    },
  });
  return { code, signal: null, ...said };
}

function isOneLine({ code, stdout, stderr }: Finished, says: RegExp): void {
  assert.match(stderr, /^godwit: [^\n]+\n$/);
  assert.match(stderr, says);
  assert.deepEqual([code, stdout], [2, '']);
}

test('every command explains itself', async () => {
  const found = await explained([]);
  for (const command of [
    'start',
    'migrate',
    'openapi',
    'bootstrap',
    'keys create',
    'keys list',
    'keys disable',
  ]) {
    assert.ok(found.includes(command), command);
  }
  for (const command of ['audit verify', 'ledger verify', 'wallets credit', 'wallets terms', 'doctor'])
    assert.ok(found.includes(command), command);
  for (const command of ['workflows list', 'workflows explain', 'workflows test'])
    assert.ok(found.includes(command), command);
  for (const command of ['list', 'show', 'pause', 'resume', 'cancel'])
    assert.ok(found.includes(`campaigns ${command}`), command);
  for (const command of ['documents verify', 'staff grant', 'staff revoke', 'staff list', 'tax rates set'])
    assert.ok(found.includes(command), command);
});

/** Asks a command for help, and then every command that its help names. */
async function explained(path: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await commandLine([...path, '--help']);
  assert.deepEqual([code, stderr], [0, ''], path.join(' '));
  const [usage, description] = stdout.split(/\n\n/);
  assert.ok(usage!.startsWith(`Usage: ${['godwit', ...path].join(' ')}`), usage);
  assert.match(description!, /^\w/);
  const listed = stdout.split('\nCommands:\n')[1] ?? '';
  const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)]
    .map(([, name]) => name!)
    .filter((name) => name !== 'help');
  const below = await Promise.all(names.map((name) => explained([...path, name])));
  return [path.join(' '), ...below.flat()];
}

const mistakes: [args: string[], says: RegExp][] = [
  [['strat'], /unknown command 'strat' \(Did you mean start\?\)/],
  [['keys', 'creat'], /unknown command 'creat'/],
  [['start', 'now'], /too many arguments/],
  [['start', '--rol', 'api'], /unknown option '--rol'/],
  [['start', '--role', 'boss'], /'boss' is invalid\. Allowed choices are all, api, worker, simulator\./],
  [['bootstrap', '--jsn'], /unknown option '--jsn' \(Did you mean --json\?\)/],
  [['bootstrap', '--organization', ' '], /--organization .*must be 1 to 200 characters/],
  [['staff', 'grant', '--hours', '9'], /'9' is invalid\. It must be a whole number of hours, 1 to 8\./],
  [['tax', 'rates', 'set', '--rate', '101'], /'101' is invalid\. It must be a percentage from 0 to 100/],
  [['tax', 'rates', 'set', '--from', '2027-02-29'], /'2027-02-29' is invalid\. It must be a day/],
  [['keys', 'list'], /required option '--account <AC…>'/],
  [['keys', 'list', '--account'], /argument missing/],
  [['keys', 'list', '--account', 'AC123'], /'AC123' is invalid\. It must be an account SID/],
  [['keys', 'create', '--account', accountSid], /required option '--name <name>'/],
  [['keys', 'create', '--nmae', 'x'], /unknown option '--nmae'/],
  [['keys', 'create', '--account', accountSid, '--name', ''], /--name .*must be 1 to 128 characters/],
  [
    ['keys', 'create', '--account', accountSid, '--name', 'x', '--scopes', 'contacts:read,contacts:raed'],
    /There is no scope contacts:raed\./,
  ],
  [['keys', 'create', '--account', accountSid, '--name', 'x', '--requests-per-second', '0'], /whole number/],
  [['keys', 'disable', '--account', accountSid], /missing required argument 'id'/],
  [['keys', 'disable', 'first', '--account', accountSid], /'first' is invalid .*It must be a key's id/],
  [
    ['audit', 'verify', '--account', 'WA01M7EFRXGBFCR29V3G3NK609QQ'],
    /is invalid\. It must be an account SID/,
  ],
  [['wallets', 'credit', '--account', accountSid], /required option '--amount <amount>'/],
  ...['-5', '1e3', '1,5', '.5', '5.', 'all'].map((amount): [string[], RegExp] => [
    ['wallets', 'credit', '--account', accountSid, `--amount=${amount}`],
    /is invalid\. It must be an amount such as 100\.00\./,
  ]),
  [['wallets', 'credit', '--account', accountSid, '--amount', '5'], /required option '--reason <text>'/],
  [['wallets', 'terms', '--account', accountSid], /required option '--mode <mode>'/],
  [['announce', 'incident', '--title-en', 'x'], /required option '--body-en <text>'/],
  [['announce', 'product-update', '--title-en', 'a\nb'], /It must be one line without control characters\./],
  [
    ['wallets', 'terms', '--account', accountSid, '--mode', 'free'],
    /'free' is invalid\. Allowed choices are/,
  ],
];

test('a mistake on the command line is one line that names it, and exit code 2', async () => {
  const finished = await Promise.all(mistakes.map(([args]) => commandLine(args)));
  for (const [i, result] of finished.entries()) isOneLine(result, mistakes[i]![1]);
});

test('a wrong variable is one line that names it and what it should be, and exit code 2', async (context) => {
  const env = await freshDatabase(context);
  const wrong: [variable: Environment, says: RegExp][] = [
    [{ PORT: 'abc' }, /PORT must be a whole number from 0 to 65535\./],
    [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL must be one of trace, /],
    [{ DATABASE_URL: 'mysql://localhost/x' }, /DATABASE_URL must be a URL such as postgres:\/\/…/],
    [{ MASTER_KEY: 'secret' }, /MASTER_KEY must be 32 bytes in base64/],
    [{ TRUSTED_PROXIES: '10.0.0.0/8, nonsense' }, /TRUSTED_PROXIES must be addresses or CIDR ranges/],
    [{ HOST: '203.0.113.1', PORT: '0' }, /HOST 203\.0\.113\.1 is not an address of this machine\./],
  ];
  const finished = await Promise.all(wrong.map(([variable]) => godwit(['start'], { ...env, ...variable })));
  for (const [i, result] of finished.entries()) isOneLine(result, wrong[i]![1]);
});

test('openapi prints the document, whole, into a pipe that is read slowly', async () => {
  const child = spawn(process.execPath, [launcher, 'openapi'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise((done) => child.once('exit', done));
  child.stdout.once('readable', () => {}); // begins to read, and stops when its own room is full
  await until(
    'no more fits between the two',
    () => child.stdout.readableLength >= child.stdout.readableHighWaterMark,
  );
  let text = '';
  for await (const part of child.stdout.setEncoding('utf8')) text += part;
  assert.equal(await exited, 0);
  const document = JSON.parse(text);
  assert.match(document.openapi, /^3\.1\./);
  assert.ok(Object.keys(document.paths).includes('/v1/me'));
});

test('a reader that has read enough is no error', async () => {
  const child = spawn('sh', ['-c', `"${process.execPath}" "${launcher}" openapi | head -c 1 | cat`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  child.stdout.resume();
  await new Promise((done) => child.once('close', done));
  assert.equal(said, '');
});

test("an older Node of the shell starts the project's own", async (context) => {
  const node = await olderNode();
  if (!node) return context.skip('this machine has no Node older than 24');
  const command: [string, string] = [node, launcher];
  const { code, stdout, stderr } = await godwit(['openapi'], nowhere, { command });
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(JSON.parse(stdout).openapi, /^3\.1\./);
  isOneLine(await godwit(['strat'], nowhere, { command }), /unknown command/);
  isOneLine(await godwit(['start'], { ...nowhere, PORT: 'abc' }, { command }), /PORT must be/);
});
