// Runs in a process of its own: it moves the timers of its process.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createLog } from '../../platform/observability/logging.ts';
import { stopWhenAsked } from './stopping.ts';

/** A process that only remembers what it was told, whose time stands still until the test moves it. */
function standIn(context: TestContext, stop: () => Promise<void>) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const exits: number[] = [];
  const logged: { msg: string; open?: string[] }[] = [];
  const signals = new EventEmitter();
  let atMs = 0;
  const host = {
    on: (event: string, listener: (error: unknown) => void) => signals.on(event, listener),
    exit: (code: number) => void exits.push(code),
    getActiveResourcesInfo: () => ['TCPSocketWrap', 'Timeout'],
    stdout: { isTTY: false, write: () => true },
  };
  const log = createLog('info', { write: (line) => void logged.push(JSON.parse(line)) });
  stopWhenAsked(stop, log, { host, nowMs: () => atMs });
  const pass = async (ms: number) => {
    atMs += ms;
    context.mock.timers.tick(ms);
    await new Promise((turn) => setImmediate(turn));
  };
  return { exits, logged, pass, signal: (name: string, error?: Error) => signals.emit(name, error) };
}
const never = () => new Promise<void>(() => {});

test('a stop that does not end is ended after 25 s, and the log says what was open', async (context) => {
  const { exits, logged, pass, signal } = standIn(context, never);
  signal('SIGTERM');
  await pass(24_999);
  assert.deepEqual([exits, logged], [[], []]);
  await pass(1);
  assert.deepEqual(exits, [1]);
  assert.deepEqual(logged[0]!.open, ['TCPSocketWrap', 'Timeout']);
  assert.match(logged[0]!.msg, /^did not stop within 25 s/);
});

test('a stop that ends in time ends well, and is never said to be late', async (context) => {
  const stopped = Promise.withResolvers<void>();
  const { exits, logged, pass, signal } = standIn(context, () => stopped.promise);
  signal('SIGINT');
  await pass(24_000);
  stopped.resolve();
  await pass(0);
  assert.deepEqual([exits, logged], [[0], []]);
});

test('a stop that fails says why and ends badly', async (context) => {
  const { exits, logged, pass, signal } = standIn(context, () => Promise.reject(new Error('no')));
  signal('SIGTERM');
  await pass(0);
  assert.deepEqual(exits, [1]);
  assert.equal(logged[0]!.msg, 'did not stop cleanly');
});

test('a wish that arrives twice is one; a Ctrl-C repeated after a second ends the process at once', async (context) => {
  let stops = 0;
  const { exits, pass, signal } = standIn(context, () => {
    stops += 1;
    return never();
  });
  signal('SIGINT');
  await pass(1_000);
  signal('SIGTERM');
  assert.deepEqual([stops, exits], [1, []]);
  await pass(1);
  signal('SIGTERM');
  assert.deepEqual([stops, exits], [1, []]);
  signal('SIGINT');
  assert.deepEqual([stops, exits], [1, [130]]);
});

test('an error nobody caught stops the process, badly, and further ones change nothing', async (context) => {
  const stopped = Promise.withResolvers<void>();
  const { exits, logged, pass, signal } = standIn(context, () => stopped.promise);
  signal('uncaughtException', new Error('first'));
  await pass(2_000);
  signal('unhandledRejection', new Error('second'));
  assert.deepEqual(exits, [], 'no person asked again');
  stopped.resolve();
  await pass(0);
  assert.deepEqual(exits, [1]);
  assert.deepEqual(
    logged.map(({ msg }) => msg),
    ['an error nobody caught', 'an error nobody caught'],
  );
});

test('a real process that cannot stop ends by itself and names what it left open', async () => {
  const script = fileURLToPath(new URL('./stopping.test-data.ts', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said = text(child.stdout);
  const [code] = await once(child, 'exit');
  assert.equal(code, 1);
  const { open, msg } = JSON.parse(await said);
  assert.ok(open.includes('TCPServerWrap'), `${open}`);
  assert.match(msg, /^did not stop within 0.001 s/);
});
