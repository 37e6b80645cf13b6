// What clients in the wild send, and what they read in the answer, row by row: data of ours in `client-calls.json`.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, suite, test } from 'node:test';
import type { Wire } from '../src/http/shape.ts';
import { simulatorAppId } from '../src/index.ts';
import { appSecret, customer, type Kit, numberId, startKit, token, wabaId } from './harness.ts';
import { tinyPng } from './tiny-files.ts';

type Row = {
  /** Which kind of call by which kind of client. */
  call: string;
  method: string;
  path: string;
  /** JSON; or the fields of a form, with a file of this type. */
  body?: Wire;
  form?: Record<string, string>;
  file?: string;
  /** Without a token in the header. */
  anonymous?: boolean;
  status: number;
  /** What the answer has at least: words in angle brackets stand for any value of that kind. */
  answer: Wire;
  /** The id in the answer is known under this name to the rows that follow. */
  keep?: string;
};

const rows: Row[] = JSON.parse(await readFile(new URL('client-calls.json', import.meta.url), 'utf8'));

const kinds: Record<string, (value: unknown) => boolean> = {
  '<absent>': (value) => value === undefined,
  '<text>': (value) => typeof value === 'string' && value !== '',
  '<number>': (value) => typeof value === 'number',
  '<boolean>': (value) => typeof value === 'boolean',
  '<digits>': (value) => /^\d+$/.test(String(value)),
  '<wamid>': (value) => /^wamid\./.test(String(value)),
  '<url>': (value) => URL.canParse(String(value)),
  '<time>': (value) => !Number.isNaN(Date.parse(String(value))),
};

/** Where the answer differs from what is expected; lists have exactly the entries expected, objects at least. */
function differences(expected: Wire, actual: Wire, at: string): string[] {
  const kind = typeof expected === 'string' ? kinds[expected] : undefined;
  if (kind) return kind(actual) ? [] : [`${at} is ${JSON.stringify(actual)}, not ${expected}`];
  if (typeof expected !== 'object' || expected === null)
    return expected === actual ? [] : [`${at} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`];
  if (typeof actual !== 'object' || actual === null) return [`${at} is ${JSON.stringify(actual)}`];
  if (Array.isArray(expected) && expected.length !== actual.length)
    return [`${at} has ${actual.length} entries, not ${expected.length}`];
  return Object.keys(expected).flatMap((name) => differences(expected[name], actual[name], `${at}.${name}`));
}

suite('a call as public clients make it is answered as they expect', () => {
  let kit: Kit;
  const endings: (() => Promise<void>)[] = [];
  const known: Record<string, string> = {
    number: numberId,
    waba: wabaId,
    app: simulatorAppId,
    secret: appSecret,
    token,
    customer,
  };
  before(async () => {
    kit = await startKit({ after: (end) => endings.push(end) });
    await kit.openWindow();
  });
  after(async () => {
    for (const end of endings.reverse()) await end();
  });

  /** Puts what is known into the names in braces. */
  const filled = <T>(value: T): T =>
    JSON.parse(
      JSON.stringify(value).replace(/\{(\w+)\}/g, (whole, name: string) => known[name] ?? whole),
    ) as T;

  const ask = ({ method, path, body, form, file, anonymous }: Row) => {
    const headers = anonymous ? { authorization: '' } : {};
    if (!form) return kit.call(method, path, body, headers);
    if (!file) {
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      return kit.call(method, path, new URLSearchParams(form).toString(), { ...headers, ...type });
    }
    const data = new FormData();
    for (const [name, value] of Object.entries(form)) data.set(name, value);
    const bytes = file === 'image/png' ? tinyPng : Buffer.from('{}');
    data.set('file', new Blob([new Uint8Array(bytes)], { type: file }), 'file');
    return kit.call(method, path, data, headers);
  };

  for (const row of rows) {
    test(row.call, async () => {
      const { status, body } = await ask(filled(row));
      assert.equal(status, row.status, JSON.stringify(body));
      assert.deepEqual(differences(filled(row.answer), body, 'answer'), []);
      if (row.keep) known[row.keep] = body.id ?? body.messages[0].id;
      await kit.control.settle();
    });
  }
});
