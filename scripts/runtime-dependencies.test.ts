// What runs after `npm ci --omit=dev`: the service, the simulator beside it, and the build of the console.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const lock: { packages: Record<string, { dev?: boolean; devOptional?: boolean }> } = JSON.parse(
  read('package-lock.json'),
);

/** The packages that a file loads when it runs; types are gone by then. */
export function packagesIn(text: string): string[] {
  const code = text
    .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    .replaceAll(/\b(import|export) type\b[^;]*?\bfrom\s*['"][^'"]+['"]/g, '');
  const loaded =
    /(?:\bfrom|(?:\bimport|\bimport\.meta\.resolve|\brequire(?:\.resolve)?)\s*\(?)\s*['"]([^'"]+)['"]/g;
  return [...code.matchAll(loaded)]
    .map((match) => match[1]!)
    .filter((name) => /^[@a-z]/.test(name) && !isBuiltin(name))
    .map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)![0]);
}

// Each with the manifest that must name what it loads.
const parts = {
  server: ['server/bin/*.js', 'server/src/**/*.ts'],
  simulator: ['simulator/src/**/*.ts'],
  'sdk/typescript': ['sdk/typescript/src/**/*.ts'],
  console: ['console/build.ts', 'console/src/**/*.{ts,tsx,css}'],
};
const isForTests = (file: string) => /\.test(-data)?\.ts$|\/fixtures\.ts$|\.d\.ts$/.test(file);

for (const [part, patterns] of Object.entries(parts))
  test(`everything that ${part} loads when it runs is there without the packages for development`, () => {
    const manifest = JSON.parse(read(`${part}/package.json`));
    const named = { ...manifest.dependencies, ...manifest.optionalDependencies };
    const files = globSync(patterns, { cwd: root }).filter((file) => !isForTests(file));
    assert.ok(files.length > 3, `${files.length}`);
    const loaded = files.flatMap((file) => packagesIn(read(file)).map((name) => ({ file, name })));
    const missing = loaded.filter(({ name }) => !Object.hasOwn(named, name) && name !== manifest.name);
    assert.deepEqual(missing, []);
    const leftOut = loaded.filter(({ name }) => {
      const entry = lock.packages[`${part}/node_modules/${name}`] ?? lock.packages[`node_modules/${name}`];
      return entry?.dev === true;
    });
    assert.deepEqual(leftOut, []);
  });

test('a package is found however it is loaded, and not where only its types are', () => {
  const text = `import { a } from '@scope/one/part';\nimport 'two';\nconst b = await import("three/x");
import type { C } from 'four';\nexport type { D } from 'five';\n// from 'six'\nimport.meta.resolve('seven');
import { e } from 'node:fs';\nBuffer.from('eleven');\nimport { f } from './eight.ts';\n@import "nine";\nimport { type G, h } from 'ten';`;
  assert.deepEqual(packagesIn(text), ['@scope/one', 'two', 'three', 'seven', 'nine', 'ten']);
});
