#!/usr/bin/env node
// Finds the Node this project brings along and runs the command line with it, whatever Node the shell has.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const wantedMajor = 24;
const cli = fileURLToPath(new URL('../src/main/cli.ts', import.meta.url));

if (Number(process.versions.node.split('.')[0]) >= wantedMajor) {
  enableCompileCache?.();
  await import(cli);
} else {
  const own = findNode();
  if (!own) {
    process.stderr.write(
      `Godwit needs Node ${wantedMajor} and found ${process.version}. Run "npm ci" in the checkout, which brings it.\n`,
    );
    process.exit(1);
  }
  const child = spawn(own, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)));
}

function findNode() {
  const names = process.platform === 'win32' ? ['node.exe', 'node.cmd'] : ['node'];
  const places = ['../../node_modules/.bin', '../../../.bin', '../node_modules/.bin'];
  return places
    .flatMap((place) => names.map((name) => join(fileURLToPath(new URL(place, import.meta.url)), name)))
    .find((path) => existsSync(path));
}
