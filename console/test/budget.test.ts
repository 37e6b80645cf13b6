// What a browser loads before the first page, and with each page.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { builtConsole } from '../../server/test/harness/console.ts';

const { files } = await builtConsole();
const kilobyte = 1_000;

/** The weight of files as a browser without brotli loads them. */
const weight = (names: Iterable<string>) =>
  [...new Set(names)].reduce((sum, name) => {
    const { gzip, content } = files.assets.get(name)!;
    return sum + (gzip ?? content).length;
  }, 0);

const named = [...files.assets.keys()];
const textOf = (name: string) => files.assets.get(name)!.content.toString('utf8');
/** What a script needs before it runs: `import … from "./name.js"`, not `import("./name.js")`. */
function needed(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const [, other] of textOf(name).matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) needed(other!, seen);
  return seen;
}
const inPage = (form: RegExp) => [...files.html.matchAll(form)].map((match) => match[1]!);
const entries = inPage(/(?:src|href)="\/console\/assets\/([^"]+\.js)"/g);
const first = new Set(entries.flatMap((name) => [...needed(name)]));

suite('the weight of the console', () => {
  test('is at most 160 kB of scripts and 20 kB of styles for sign-in and shell', (context) => {
    const scripts = weight(first);
    const styles = weight(inPage(/href="\/console\/assets\/([^"]+\.css)"/g));
    context.diagnostic(`${scripts} bytes of scripts, ${styles} bytes of styles`);
    assert.ok(entries.length > 0 && scripts > 0 && styles > 0);
    assert.ok(scripts <= 160 * kilobyte, `${scripts}`);
    assert.ok(styles <= 20 * kilobyte, `${styles}`);
  });
  test('is at most 45 kB for any page or part that is loaded later', (context) => {
    const later = named.filter((name) => name.endsWith('.js') && !first.has(name));
    assert.ok(later.length > 0);
    for (const name of later) {
      const own = weight([...needed(name)].filter((one) => !first.has(one)));
      context.diagnostic(`${name}: ${own} bytes`);
      assert.ok(own <= 45 * kilobyte, `${name}: ${own}`);
    }
  });
});
