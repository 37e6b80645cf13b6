import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startTestApp } from '../../../test/harness/app.ts';
import { readCredential } from '../../modules/identity/providers/credentials.ts';
import { generateMasterKey } from '../../platform/sealing.ts';

const command = fileURLToPath(new URL('../../../bin/godwit.js', import.meta.url));

test('a secret comes by standard input, is stored sealed, replaced by another, and refused when it is none', async (context) => {
  const masterKey = generateMasterKey();
  const app = await startTestApp(context, { env: { MASTER_KEY: masterKey } });
  const env = { ...process.env, DATABASE_URL: app.databaseUrl, MASTER_KEY: masterKey };
  const set = (input: string, account = app.accountSid, ref = 'company-sso') =>
    new Promise<{ code: number | null; out: string }>((resolve) => {
      const args = [command, 'identity', 'credential', 'set', '--account', account, '--ref', ref];
      const child = spawn(process.execPath, args, { env });
      let out = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk) => {
          out += chunk;
        });
      }
      child.on('close', (code) => resolve({ code, out }));
      child.stdin.end(input);
    });
  const [account] = await app.sql<{ organization_id: string }>(
    'select organization_id from accounts where sid = $1',
    [app.accountSid],
  );
  const stored = () =>
    app.database.system((s) => readCredential(s, app.sealer, account!.organization_id, 'company-sso'));

  assert.deepEqual(await set('first secret\n'), { code: 0, out: 'company-sso is stored.\n' });
  assert.equal(await stored(), 'first secret');
  assert.equal((await set('second secret')).code, 0);
  assert.equal(await stored(), 'second secret');
  const [row] = await app.sql<{ held: string }>(
    `select encode(sealed, 'escape') as held from identity_credentials`,
  );
  assert.ok(!row!.held.includes('secret'));
  assert.equal(await app.count(`audit_entries where action = 'identity_credential.set'`), 2);

  for (const [input, ref] of [
    ['', 'company-sso'],
    ['two\nlines', 'company-sso'],
    ['x', 'env:SECRET'],
  ] as const) {
    assert.equal((await set(input, app.accountSid, ref)).code, 2, `${input} ${ref}`);
  }
  assert.equal((await set('x', 'AC01ARZ3NDEKTSV4RRFFQ69G5FAV')).code, 2);
  assert.equal(await stored(), 'second secret');
});
