// Writes docs/generated/error-codes.md: which operation raises each error of the catalogue, and which test provokes it.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { operations } from '../server/src/main/modules.ts';
import { errorOrigins, type Origin } from '../server/test/error-origins.ts';
import { generated } from './generated-file.ts';

const known = new Set(operations.map(({ id }) => id));
const texts = new Map<string, string>();

async function textOf(file: string): Promise<string> {
  const text =
    texts.get(file) ?? (await readFile(fileURLToPath(new URL(`../${file}`, import.meta.url)), 'utf8'));
  texts.set(file, text);
  return text;
}

// A test is named by words of its title or of its row in a table; the code must stand near them.
const nearbyCharacters = 4_000;

async function faultOf(code: string, origin: Origin): Promise<string | null> {
  if ('opensWith' in origin) return null;
  const { raisedBy, file, test } = origin;
  const unknown = Array.isArray(raisedBy) ? raisedBy.filter((id) => !known.has(id)) : [];
  if (unknown.length > 0) return `${code}: there is no operation ${unknown.join(', ')}.`;
  const text = await textOf(file);
  const at = text.indexOf(test);
  if (at === -1) return `${code}: ${file} has no test "${test}".`;
  const near = text.slice(Math.max(0, at - nearbyCharacters), at + nearbyCharacters);
  return new RegExp(`\\b${code}\\b`).test(near) ? null : `${code}: "${test}" in ${file} does not name it.`;
}

function row([code, origin]: [string, Origin]): string {
  if ('opensWith' in origin) return `| ${code} | **open**: comes with ${origin.opensWith} | |`;
  const by = Array.isArray(origin.raisedBy) ? origin.raisedBy.join(', ') : origin.raisedBy;
  const title = origin.test === code ? '' : `: ${origin.test.replace(/^[ ,]+/, '… ')}`;
  return `| ${code} | ${by} | \`${origin.file}\`${title} |`;
}

const origins = Object.entries(errorOrigins);
const faults = (await Promise.all(origins.map(([code, origin]) => faultOf(code, origin)))).filter(
  (fault) => fault !== null,
);
if (faults.length > 0) {
  console.log(faults.join('\n'));
  process.exitCode = 1;
}

const open = origins.filter(([, origin]) => 'opensWith' in origin).length;
const text = [
  '# Where each error comes from',
  '<!-- Generated from server/test/error-origins.ts by "npm run generate". -->',
  `${origins.length - open} of ${origins.length} codes can be raised today; ${open} come with features that are not there yet. \`/docs/errors\` says what each means and what to do.`,
  ['| Code | Raised by | Provoked by |', '| --- | --- | --- |', ...origins.map(row)].join('\n'),
].join('\n\n');

await generated('docs/generated/error-codes.md', `${text}\n`);
