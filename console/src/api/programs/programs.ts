// A request as a program that asks the same: by our SDK where there is one, else by what the language brings itself. Loaded
// with the inspector, since it knows every operation.
import { calls } from '@godwit/sdk/calls';
import { asCurl, type Request } from './curl.ts';

export const programs = {
  curl: { name: 'curl', write: asCurl },
  typescript: { name: 'TypeScript', write: asTypeScript },
  python: { name: 'Python', write: asPython },
  go: { name: 'Go', write: asGo },
};
export type Program = keyof typeof programs;
export const programNames = Object.keys(programs) as Program[];

const ofAccount = /^\/v1\/accounts\/([^/]+)/;

/** Which method of the SDK asks this, and with which parts of the path. The one with the most words of its own is meant. */
function callOf(method: string, path: string): { name: string; parts: string[] } | null {
  const asked = path.replace(ofAccount, '~').split('/');
  const fitting = Object.keys(calls)
    .map((key) => ({ key, form: key.slice(key.indexOf(' ') + 1).split('/') }))
    .filter(
      ({ key, form }) =>
        key.startsWith(`${method} `) &&
        form.length === asked.length &&
        form.every((part, at) => part === '{}' || part === asked[at]),
    )
    .sort((one, other) => blanks(one.form) - blanks(other.form));
  const [found] = fitting;
  if (!found) return null;
  const parts = asked.filter((_part, at) => found.form[at] === '{}').map(decodeURIComponent);
  return { name: calls[found.key as keyof typeof calls], parts };
}

const blanks = (form: string[]) => form.filter((part) => part === '{}').length;

/** As the SDK takes them: numbers and truths as such, a name that comes twice as a list. */
function queryOf(query: URLSearchParams): Record<string, unknown> | null {
  if (query.size === 0) return null;
  const asGiven = (name: string, value: string) =>
    name === 'limit' ? Number(value) : value === 'true' ? true : value === 'false' ? false : value;
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name).map((value) => asGiven(name, value));
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

function asTypeScript(request: Request, origin: string): string {
  const { pathname, searchParams } = new URL(request.path, origin);
  const call = callOf(request.method, pathname);
  if (!call) return asCurl(request, origin);
  const account = ofAccount.exec(pathname)?.[1];
  const given = [
    ...call.parts,
    ...(request.body === null ? [] : [JSON.parse(request.body) as unknown]),
    ...[queryOf(searchParams)].filter((query) => query !== null),
  ];
  const options = [
    `key: process.env.KEY`,
    `baseUrl: ${JSON.stringify(origin)}`,
    ...(account ? [`accountSid: ${JSON.stringify(account)}`] : []),
  ];
  const written = given.map((one) => JSON.stringify(one, null, 2)).join(', ');
  return [
    `import { Godwit } from '@godwit/sdk';`,
    ``,
    `const godwit = new Godwit({ ${options.join(', ')} });`,
    `console.log(await godwit.${call.name}(${written}));`,
  ].join('\n');
}

/** A text between quotes, as Python and Go read it too; one mark would be taken for the beginning of a file. */
const quoted = (text: string) => JSON.stringify(text).replaceAll('\ufeff', `\\ufeff`);

const ownHeaders = ({ method, id, body }: Request): [string, string][] => [
  ...(method === 'GET' ? [] : [['Idempotency-Key', id] as [string, string]]),
  ...(body === null ? [] : [['Content-Type', 'application/json'] as [string, string]]),
];

function asPython(request: Request, origin: string): string {
  const { method, path, body } = request;
  const headers = ownHeaders(request).map(([name, value]) => `        ${quoted(name)}: ${quoted(value)},`);
  return [
    `import os`,
    `import urllib.request`,
    ``,
    `request = urllib.request.Request(`,
    `    ${quoted(origin + path)},`,
    `    method=${quoted(method)},`,
    `    headers={`,
    `        "Authorization": "Bearer " + os.environ["KEY"],`,
    ...headers,
    `    },`,
    ...(body === null ? [] : [`    data=${quoted(body)}.encode(),`]),
    `)`,
    `with urllib.request.urlopen(request) as response:`,
    `    print(response.read().decode())`,
  ].join('\n');
}

function asGo(request: Request, origin: string): string {
  const { method, path, body } = request;
  const packages = ['fmt', 'io', 'net/http', 'os', ...(body === null ? [] : ['strings'])];
  const content = body === null ? `nil` : `strings.NewReader(${quoted(body)})`;
  const failing = [`\tif err != nil {`, `\t\tpanic(err)`, `\t}`];
  const headers = ownHeaders(request).map(
    ([name, value]) => `\trequest.Header.Set(${quoted(name)}, ${quoted(value)})`,
  );
  return [
    `package main`,
    ``,
    `import (`,
    ...packages.map((name) => `\t${quoted(name)}`),
    `)`,
    ``,
    `func main() {`,
    `\trequest, err := http.NewRequest(${quoted(method)}, ${quoted(origin + path)}, ${content})`,
    ...failing,
    `\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))`,
    ...headers,
    `\tresponse, err := http.DefaultClient.Do(request)`,
    ...failing,
    `\tdefer response.Body.Close()`,
    `\tanswer, err := io.ReadAll(response.Body)`,
    ...failing,
    `\tfmt.Println(response.Status, string(answer))`,
    `}`,
  ].join('\n');
}
