#!/usr/bin/env node
// Finds the Node this project brings along and runs the command line with it, whatever Node the shell has.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
// The whole module, since older Node has no `enableCompileCache` to import.
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// From 24.7 on Node brings argon2, with which passwords are hashed.
const wanted = [24, 7];
const [major, minor] = process.versions.node.split('.').map(Number);
const cli = fileURLToPath(new URL('../src/main/cli.ts', import.meta.url));

// `npx` runs the command by a shell, which a signal to npx ends without a word to us. So we ask ourselves to stop once it
// has gone. (`npm start` needs none of it: its script puts us in the shell's place.)
if (process.env.npm_lifecycle_event === 'npx' && process.platform !== 'win32') {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  watch.unref();
}

if (major > wanted[0] || (major === wanted[0] && minor >= wanted[1])) {
  nodeModule.enableCompileCache?.();
  await import('./own-sources.js');
  await import(cli);
} else {
  const own = findNode();
  if (!own) {
    process.stderr.write(
      `Godwit needs Node ${wanted.join('.')} and found ${process.version}. Run "npm ci" in the checkout, which brings it.\n`,
    );
    process.exit(1);
  }
  const child = spawn(own, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    // Ends as the child has ended; a listener would catch the signal and end well.
    for (const heard of signals) process.removeAllListeners(heard);
    process.kill(process.pid, signal);
  });
}

function findNode() {
  const names = process.platform === 'win32' ? ['node.exe', 'node.cmd'] : ['node'];
  const places = ['../../node_modules/.bin', '../../../.bin', '../node_modules/.bin'];
  return places
    .flatMap((place) => names.map((name) => join(fileURLToPath(new URL(place, import.meta.url)), name)))
    .find((path) => existsSync(path));
}
