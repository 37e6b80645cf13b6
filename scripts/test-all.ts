// Runs every test: few processes, each with many files. A file that says "Runs in a process of its own" gets one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
// More than there are cores: each of them waits a third of its time, for the database or for processes it started.
const processes = 4;
// What takes longest begins first, so that nobody waits for it at the end.
const longest = [
  'server/test/hostile-input',
  'server/test/every-operation',
  'server/test/process/',
  'server/test/',
];

const all = ['server', 'simulator', 'sdk', 'console', 'scripts']
  .flatMap((part) => globSync(`${part}/**/*.test.ts`, { cwd: root, exclude: ['**/node_modules/**'] }))
  .sort();
const rank = (file: string) => [...longest, ''].findIndex((prefix) => file.startsWith(prefix));
const inOrder = all.sort((a, b) => rank(a) - rank(b));
const isAlone = (file: string) =>
  readFileSync(join(root, file), 'utf8').includes('// Runs in a process of its own: ');
const alone = inOrder.filter(isAlone);

mkdirSync(join(root, '.godwit'), { recursive: true });
const queue = mkdtempSync(join(root, '.godwit', 'tests-'));
const absolute = inOrder.filter((file) => !isAlone(file)).map((file) => join(root, file));
writeFileSync(join(queue, 'files.json'), JSON.stringify(absolute));
const workers = Array.from({ length: processes }, (_, at) => {
  const worker = join(queue, `process-${at + 1}.ts`);
  const runFiles = join(root, 'server/test/harness/shared/run-files.ts');
  writeFileSync(
    worker,
    `import { runFiles } from ${JSON.stringify(runFiles)};\nawait runFiles(${JSON.stringify(queue)});\n`,
  );
  return worker;
});

// Several tests want the console; whoever comes first would build it, and wait for it.
const building = spawn(process.execPath, [join(root, 'server/src/main/console/build-process.ts')], {
  stdio: 'inherit',
});
building.unref();

const tests = spawn('npm', ['run', '--silent', 'test:only', '--', ...alone, ...workers], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TEST_WHOLE_SUITE: 'true' },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => tests.kill(signal));
const [code, signal] = (await once(tests, 'exit')) as [number | null, NodeJS.Signals | null];
rmSync(queue, { recursive: true, force: true });
process.exitCode = code ?? 128 + constants.signals[signal!];
