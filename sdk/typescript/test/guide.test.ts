// The examples of docs/sdk.md are copied by people; so they are copied here, and run as one program.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startTestApp } from '../../../server/test/harness/app.ts';
import { freePort } from '../../../server/test/harness/ports.ts';
import { until } from '../../../server/test/harness/until.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

async function copied(folder: string): Promise<string> {
  const page = await readFile(join(root, 'docs/sdk.md'), 'utf8');
  const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1]!);
  assert.ok(blocks.length >= 8);
  await mkdir(join(folder, 'node_modules/@godwit'), { recursive: true });
  await symlink(join(root, 'sdk/typescript'), join(folder, 'node_modules/@godwit/sdk'));
  await symlink(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  await symlink(join(root, 'node_modules/undici-types'), join(folder, 'node_modules/undici-types'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(root, 'tsconfig.json'), include: [join(folder, 'example.ts')] }),
  );
  const file = join(folder, 'example.ts');
  await writeFile(file, blocks.join('\n'));
  return file;
}

test('every example of the guide compiles and runs as it stands', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'godwit-sdk-'));
  context.after(() => rm(folder, { recursive: true }));
  const file = await copied(folder);
  const compile = promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', folder]);
  await compile.catch(({ stdout }) => assert.fail(stdout));

  const app = await startTestApp(context, { role: 'all', simulator: true });
  const secret = 'whsec_guide';
  const port = String(await freePort());
  const env = { ...process.env, URL: app.url, KEY: app.sandboxKey, WEBHOOK_SECRET: secret, HOOK_PORT: port };
  const program = spawn(process.execPath, ['--no-warnings', file], { env });
  context.after(() => void program.kill());
  let out = '';
  const hear = (text: Buffer) => {
    out += text;
  };
  for (const stream of [program.stdout, program.stderr]) stream.on('data', hear);
  // It goes on listening: it is done when the last of the examples that print has printed.
  const isDone = () => program.exitCode !== null || /SUCCEEDED .contactSid/.test(out);
  await until('the guide has run', isDone, 240_000).catch((error) => assert.fail(`${error}\n${out}`));
  assert.equal(program.exitCode, null, out);
  assert.match(out, /They have not written yet/);
  assert.match(out, /^true$/m);
  assert.match(out, /message\.\w+ (delivered|read)$/m);

  const body = JSON.stringify({ id: 'EV1', type: 'message.delivered', data: { sid: 'SM1' } });
  const t = Math.floor(Date.now() / 1000);
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  const bring = (text: string) =>
    fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'x-service-signature': `t=${t},v1=${v1}` },
      body: text,
    });
  assert.equal((await bring(body)).status, 200);
  assert.equal((await bring(`${body} `)).status, 400);
  await until('the receiver has worked on it', () => /SM1 was delivered/.test(out));
});
