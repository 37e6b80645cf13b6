// The rules of the console's own map: where text may stand, who knows Base UI, and how the service is reached.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vite';
import { roleCatalogue } from '../../server/src/modules/roles/catalogue.ts';

const source = fileURLToPath(new URL('../src', import.meta.url));
const names = (await readdir(source, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
const files = await Promise.all(
  names.map(async (name) => ({ name, text: await readFile(join(source, name), 'utf8') })),
);

type Node = { type: string; [other: string]: unknown };
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** Every node, with the one above it. */
function* walk(node: Node, parents: Node[] = []): Generator<{ node: Node; parents: Node[] }> {
  yield { node, parents };
  for (const value of Object.values(node).flat()) if (isNode(value)) yield* walk(value, [...parents, node]);
}

const treeOf = ({ name, text }: { name: string; text: string }) =>
  parseAst(text, { lang: name.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node;

// Attributes whose strings are for the browser or name an operation; people do not read them.
const forBrowsers =
  /^(className|type|name|autoComplete|inputMode|rel|target|href|role|kind|to|d|viewBox|preserveAspectRatio|aria-hidden|aria-haspopup|aria-live|scope|pattern|autoHighlight|id|key|value|by|accept)$|^data-/;

/** What people would read that stands in the code. */
function textsIn(file: { name: string; text: string }): string[] {
  const found: string[] = [];
  for (const { node, parents } of walk(treeOf(file))) {
    if (node.type === 'JSXText' && /\p{L}/u.test(String(node.value))) found.push(String(node.value).trim());
    if (node.type !== 'Literal' || typeof node.value !== 'string') continue;
    const attribute = parents.slice(-2).find(({ type }) => type === 'JSXAttribute');
    const named = attribute && String((attribute.name as { name: string }).name);
    if (named && forBrowsers.test(named)) continue;
    // A key of the keyboard is called the same everywhere.
    if (/^(Ctrl|K|g|\?|\/|\.)$/.test(node.value)) continue;
    const isSentence = /\p{L}{2,}\p{P}?\s+\p{L}+/u.test(node.value) && !isClassList(node.value);
    if (named ? /\p{L}/u.test(node.value) : isSentence) found.push(node.value);
  }
  return found;
}

const isClassList = (text: string) =>
  text.split(/\s+/).every((word) => /^[-a-z0-9/:[\]().,_=#%&>*@!]+$/.test(word)) && /[-:[]/.test(text);

suite('the console', () => {
  test('says nothing that does not stand in words/', () => {
    const wrong = files
      .filter(({ name }) => !name.startsWith('words/'))
      .flatMap((file) => textsIn(file).map((text) => `${file.name}: ${text}`));
    assert.deepEqual(wrong, []);
  });
  test('finds text in code, where there is some', () => {
    const found = (text: string) => textsIn({ name: 'some.tsx', text });
    assert.deepEqual(found('const A = () => <p>Hello</p>;'), ['Hello']);
    assert.deepEqual(found('const A = () => <input aria-label="Search" className="p-2" />;'), ['Search']);
    assert.deepEqual(found("const told = 'Nothing was done.';"), ['Nothing was done.']);
    assert.deepEqual(found('const A = () => <p className="grid gap-2">{words.hello}</p>;'), []);
  });
  test('knows no role: what somebody may do follows from the scopes of operations', () => {
    const roles = Object.keys(roleCatalogue);
    assert.ok(roles.length > 5);
    const wrong = files.flatMap(({ name, text }) =>
      roles.filter((role) => new RegExp(`\\b${role}\\b`).test(text)).map((role) => `${name}: ${role}`),
    );
    assert.deepEqual(wrong, []);
  });
  const imports = ({ text }: { text: string }) =>
    [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!);
  test('imports Base UI only in ui/', () => {
    const wrong = files.filter(
      (file) => !file.name.startsWith('ui/') && imports(file).some((from) => from.startsWith('@base-ui/')),
    );
    assert.deepEqual(
      wrong.map(({ name }) => name),
      [],
    );
    assert.ok(files.some((file) => imports(file).some((from) => from.startsWith('@base-ui/'))));
  });
  test('reaches the service by the SDK alone, and no other host at all', () => {
    // What is given to the SDK to ask with stands in one file.
    const wrong = files.filter(
      ({ name, text }) =>
        /XMLHttpRequest|sendBeacon|EventSource|https?:\/\//.test(text) ||
        (name !== 'api/requests.ts' && /\bfetch\b(?!:)/.test(text)),
    );
    assert.deepEqual(
      wrong.map(({ name }) => name),
      [],
    );
  });
  test('makes no markup from text', () => {
    const wrong = files.filter(({ text }) =>
      /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/.test(text),
    );
    assert.deepEqual(
      wrong.map(({ name }) => name),
      [],
    );
  });
  test('has no file of more than 350 lines', () => {
    const long = files.filter(({ text }) => text.split('\n').length > 350).map(({ name }) => name);
    assert.deepEqual(long, []);
  });
});
