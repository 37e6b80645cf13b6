// Runs the tests beside as many busy loops as the machine has cores: a test that goes by the clock on the wall shows here.
// Arguments are given on to the test runner, such as files; without any the whole suite runs.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const given = process.argv.slice(2);

// Each ends when its standard input does, which is when this process ends, however it does.
const busyLoop = `
  process.stdin.on('end', () => process.exit()).resume();
  const spin = () => {
    const untilMs = performance.now() + 50;
    while (performance.now() < untilMs);
    setImmediate(spin);
  };
  spin();`;
const loops = Array.from({ length: availableParallelism() }, () =>
  spawn(process.execPath, ['-e', busyLoop], { stdio: ['pipe', 'ignore', 'ignore'] }),
);

const endLoops = () => Promise.all(loops.map(endLoop));
async function endLoop(loop: ChildProcess): Promise<void> {
  if (loop.exitCode !== null || loop.signalCode !== null) return;
  const ended = once(loop, 'exit');
  loop.kill('SIGKILL');
  await ended;
}

const script = given.length > 0 ? ['test:only', '--', ...given] : ['test:all'];
const tests = spawn('npm', ['run', '--silent', ...script], { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => tests.kill(signal));
const [code, signal] = (await once(tests, 'exit').finally(endLoops)) as [
  number | null,
  NodeJS.Signals | null,
];
process.exitCode = code ?? 128 + constants.signals[signal!];
