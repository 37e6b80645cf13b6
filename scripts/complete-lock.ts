// A package for another platform that the registry does not hold (yet) is left out of package-lock.json
// without a word, and `npm ci` then refuses the lock on every platform. This adds what is missing.
// And `npm ci` warns of every package that does not like the Node it runs by itself, which is not the one that will run them:
// the project brings its own. So the lock does not repeat those wishes.
//   node scripts/complete-lock.ts            completes the lock
//   node scripts/complete-lock.ts --check    changes nothing, names what is to be done and exits 1
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

export type LockEntry = {
  version?: string;
  integrity?: string;
  cpu?: string | string[];
  dev?: boolean;
  devOptional?: boolean;
  engines?: { node?: string; [other: string]: string | undefined };
  libc?: string | string[];
  optional?: boolean;
  os?: string | string[];
  optionalDependencies?: Record<string, string>;
  [other: string]: unknown;
};
export type Lock = { packages: Record<string, LockEntry>; [other: string]: unknown };
export type Missing = { name: string; spec: string; parent: string };
type Platform = Pick<LockEntry, 'integrity' | 'cpu' | 'libc' | 'os'>;
type Lookup = (name: string, version: string) => Promise<Platform>;

const lockFile = new URL('../package-lock.json', import.meta.url);
const exactVersion = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

const systems: Record<string, string> = { windows: 'win32', win: 'win32', macos: 'darwin' };
for (const os of [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]) {
  systems[os] = os;
}
const processors: Record<string, string> = { amd64: 'x64', x86: 'ia32' };
for (const cpu of [
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
]) {
  processors[cpu] = cpu;
}
const libraries: Record<string, string> = {
  musl: 'musl',
  musleabihf: 'musl',
  gnu: 'glibc',
  gnueabihf: 'glibc',
};

export function platformFromName(name: string): Platform {
  const words = name.split(/[^a-z0-9]+/);
  const among = (known: Record<string, string>) => words.map((word) => known[word]).findLast(Boolean);
  const [os, cpu, libc] = [among(systems), among(processors), among(libraries)];
  return { ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [libc] }), ...(os && { os: [os] }) };
}

// As Node looks for a module: in the package's own node_modules, then in those of every folder above it.
function locate(lock: Lock, from: string, name: string): string | undefined {
  const folders = from.split('/').filter(Boolean);
  for (let depth = folders.length; depth >= 0; depth--) {
    const path = [...folders.slice(0, depth), 'node_modules', name].join('/');
    if (lock.packages[path]) return path;
  }
  return undefined;
}

export function findMissing(lock: Lock): Missing[] {
  const missing = new Map<string, Missing>();
  for (const [parent, entry] of Object.entries(lock.packages)) {
    for (const [name, spec] of Object.entries(entry.optionalDependencies ?? {})) {
      if (!locate(lock, parent, name)) missing.set(name, { name, spec, parent });
    }
  }
  return [...missing.values()];
}

// The oldest Node that may run npm here, as package.json says; everything else runs on the Node the project brings.
const oldestNode = 20;

/** The packages that would have `npm ci` warn of a Node that never runs them. */
export function findWarning(lock: Lock): string[] {
  const refusing = (wanted: string) =>
    wanted.split('||').every((range) => Number(/\d+/.exec(range)?.[0] ?? 0) > oldestNode);
  return Object.entries(lock.packages)
    .filter(([path, { engines }]) => path.includes('node_modules/') && refusing(engines?.node ?? ''))
    .map(([path]) => path);
}

export function quietLock(lock: Lock): Lock {
  const packages = { ...lock.packages };
  for (const path of findWarning(lock)) {
    const { engines: _, ...entry } = packages[path]!;
    packages[path] = entry;
  }
  return { ...lock, packages };
}

function versionOf(lock: Lock, { name, spec, parent }: Missing): string {
  if (exactVersion.test(spec)) return spec;
  // Packages of one family are published together, so a sibling asked for alike tells the version.
  for (const [sibling, siblingSpec] of Object.entries(lock.packages[parent]?.optionalDependencies ?? {})) {
    const path = siblingSpec === spec && locate(lock, parent, sibling);
    const version = path && lock.packages[path]?.version;
    if (version) return version;
  }
  throw new Error(`no version known for ${name}@${spec}, wanted by ${parent || 'the root package'}`);
}

async function entryFor(lock: Lock, missing: Missing, lookup: Lookup): Promise<LockEntry> {
  const version = versionOf(lock, missing);
  const { dev, devOptional } = lock.packages[missing.parent] ?? {};
  const platform = { ...platformFromName(missing.name), ...(await lookup(missing.name, version)) };
  if (!platform.os && !platform.cpu) throw new Error(`no platform known for ${missing.name}@${version}`);
  // The keys stand in npm's own order, so that npm later rewrites nothing.
  return {
    version,
    ...(platform.integrity && { integrity: platform.integrity }),
    ...(platform.cpu && { cpu: platform.cpu }),
    ...(dev && { dev }),
    ...(devOptional && { devOptional }),
    ...(platform.libc && { libc: platform.libc }),
    optional: true,
    ...(platform.os && { os: platform.os }),
  };
}

export async function completeLock(lock: Lock, lookup: Lookup): Promise<Lock> {
  const missing = findMissing(lock);
  const added = await Promise.all(missing.map((one) => entryFor(lock, one, lookup)));
  const packages = { ...lock.packages };
  for (const [index, { name }] of missing.entries()) packages[`node_modules/${name}`] = added[index]!;
  const sorted = Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
  return { ...lock, packages: Object.fromEntries(sorted) };
}

const list = (value: unknown) => (value === undefined ? undefined : [value].flat().map(String));

async function npmView(spec: string): Promise<Platform | undefined> {
  const fields = ['os', 'cpu', 'libc', 'dist.integrity'];
  const options = { timeout: 20_000 };
  try {
    const { stdout } = await promisify(execFile)('npm', ['view', '--json', spec, ...fields], options);
    const found = JSON.parse(stdout);
    const platform = {
      integrity: found['dist.integrity'],
      cpu: list(found.cpu),
      libc: list(found.libc),
      os: list(found.os),
    };
    return JSON.parse(JSON.stringify(platform));
  } catch {
    return undefined; // Unknown to the registry, or no registry in reach: the name must do.
  }
}

// Asked through npm, so that the user's own registry and credentials apply.
async function registryLookup(name: string, version: string): Promise<Platform> {
  const exact = await npmView(`${name}@${version}`);
  if (exact) return exact;
  // Another version runs on the same platform, but its checksum is not this one's.
  const { integrity: _, ...platform } = (await npmView(name)) ?? {};
  return platform;
}

async function main(check: boolean): Promise<void> {
  const lock: Lock = JSON.parse(readFileSync(lockFile, 'utf8'));
  const missing = findMissing(lock);
  const warning = findWarning(lock);
  for (const { name, spec } of missing) console.log(`${check ? 'missing' : 'adding'} ${name}@${spec}`);
  for (const path of warning) console.log(`${check ? 'warns' : 'quieting'} ${path}`);
  if (missing.length + warning.length === 0)
    return console.log('package-lock.json lists every optional package, and none of them warns');
  if (check) process.exitCode = 1;
  else
    writeFileSync(
      lockFile,
      `${JSON.stringify(quietLock(await completeLock(lock, registryLookup)), null, 2)}\n`,
    );
}

if (import.meta.main) await main(process.argv.includes('--check'));
