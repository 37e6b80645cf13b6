// What the inspector writes for people: programs that ask what the page asked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClientOptions, Godwit } from '@godwit/sdk';
import { calls } from '@godwit/sdk/calls';
import type { Request } from '../src/api/programs/curl.ts';
import { programs } from '../src/api/programs/programs.ts';

const origin = 'http://localhost:8080';
const accountSid = 'AC0123456789';

const request = (method: string, path: string, body: object | null = null): Request => ({
  id: 'a-key-of-its-own',
  page: '/console/',
  method,
  path,
  body: body && JSON.stringify(body),
  status: 200,
  requestId: null,
});

type Sent = { method: string; path: string; body: string | null };

/** Runs a program of ours with the SDK itself, and tells what it asked for. */
async function run(program: string): Promise<Sent[]> {
  const sent: Sent[] = [];
  class Recorded extends Godwit {
    constructor(options: ClientOptions) {
      super({
        ...options,
        key: 'gw_test_some',
        async fetch(url, { method, body }) {
          sent.push({ method: method!, path: url.slice(origin.length), body: body ? String(body) : null });
          return new Response('{}', { status: 200 });
        },
      });
    }
  }
  const lines = program.split('\n').filter((line) => !line.startsWith('import '));
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  await AsyncFunction('Godwit', 'console', lines.join('\n'))(Recorded, { log() {} });
  return sent;
}

test('a TypeScript program asks exactly what was asked, for every method of the SDK', async () => {
  const keys = Object.keys(calls);
  assert.ok(keys.length > 300);
  for (const key of keys) {
    const [method, form] = key.split(' ') as [string, string];
    const path = form.replace('~', `/v1/accounts/${accountSid}`).replaceAll('{}', 'a%2Fb%20c');
    const program = programs.typescript.write(request(method, path), origin);
    assert.ok(program.includes(`godwit.${calls[key as keyof typeof calls]}(`), program);
    const [sent, ...others] = await run(program);
    assert.deepEqual([sent?.method, sent?.path, others], [method, path, []], key);
  }
});

const hostile = `"'\`\${process.exit(1)}\\ \ufeff é 👋 </script>`;

test('bodies and filters reach the service as they were, whatever stands in them', async () => {
  const at = `/v1/accounts/${accountSid}/contacts`;
  const body = { phone: '+33612345678', displayName: hostile };
  const [sent] = await run(programs.typescript.write(request('POST', at, body), origin));
  assert.deepEqual(JSON.parse(sent!.body!), body);
  const query = `${at}?${new URLSearchParams({ q: '0612', limit: '50' })}`;
  const [listed] = await run(programs.typescript.write(request('GET', query), origin));
  assert.equal(listed!.path, query);
  const program = programs.typescript.write(request('GET', query), origin);
  assert.match(program, /"q": "0612",\s+"limit": 50/);
});

test('Python and Go get the same by what they bring themselves', () => {
  const asked = request('POST', `/v1/accounts/${accountSid}/contacts`, { phone: '+33612345678' });
  assert.equal(
    programs.python.write(asked, origin),
    `import os
import urllib.request

request = urllib.request.Request(
    "http://localhost:8080/v1/accounts/AC0123456789/contacts",
    method="POST",
    headers={
        "Authorization": "Bearer " + os.environ["KEY"],
        "Idempotency-Key": "a-key-of-its-own",
        "Content-Type": "application/json",
    },
    data="{\\"phone\\":\\"+33612345678\\"}".encode(),
)
with urllib.request.urlopen(request) as response:
    print(response.read().decode())`,
  );
  assert.equal(
    programs.go.write(asked, origin),
    `package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	request, err := http.NewRequest("POST", "http://localhost:8080/v1/accounts/AC0123456789/contacts", strings.NewReader("{\\"phone\\":\\"+33612345678\\"}"))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))
	request.Header.Set("Idempotency-Key", "a-key-of-its-own")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(response.Status, string(answer))
}`,
  );
  const reads = request('GET', '/v1/me');
  assert.doesNotMatch(programs.go.write(reads, origin), /strings|Idempotency/);
  assert.doesNotMatch(programs.python.write(reads, origin), /data=|Idempotency/);
});
