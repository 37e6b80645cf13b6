import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { generateMasterKey } from '../../src/platform/sealing.ts';
import { bearer, startTestApp } from '../harness/app.ts';
import { billingOf } from '../harness/billing.ts';
import { pasteTwice, withoutTools } from '../harness/guide.ts';
import { charged, owing } from '../harness/invoices.ts';
import { person } from '../harness/people.ts';

test('every example of the guide runs as it stands, in order and twice, and ends with a paid invoice', {
  skip: withoutTools,
}, async (context) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'godwit-guide-'));
  context.after(() => rm(dataDir, { recursive: true }));
  const masterKey = generateMasterKey();
  // Nothing is sent: the provider is not needed.
  const env = { SIMULATOR_URL: 'http://127.0.0.1:1', MASTER_KEY: masterKey, DATA_DIR: dataDir };
  const app = await startTestApp(context, { role: 'all', payments: {}, env });
  app.clock.set(new Date()); // the guide says what the time is
  const moving = setInterval(() => app.clock.set(new Date()), 200);
  context.after(() => clearInterval(moving));
  // As young as a reader's: no month of it is over.
  const { accountSid, sandboxKey } = await app.newAccount();
  // The messages a reader has sent by then.
  const billing = billingOf(app, { accountSid, livemode: false });
  await owing(billing, { mode: 'postpaid', limit: 100_000_000n });
  await charged(billing, 3_000_000n);
  const owner = await person(app, { accountSid });
  const { code, out, errors } = await pasteTwice('docs/invoices.md', {
    env: {
      URL: app.url,
      KEY: sandboxKey,
      AC: accountSid,
      STEP_UP_TOP_UP: await owner.stepUp('TOP_UP_CREATE'),
      STEP_UP_AUTOMATION: await owner.stepUp('BILLING_AUTOMATION_CHANGE'),
      DATABASE_URL: app.databaseUrl,
      MASTER_KEY: masterKey,
      DATA_DIR: dataDir,
    },
    cwd: dataDir,
  });
  assert.deepEqual([code, errors], [0, ''], out);
  assert.doesNotMatch(out, /^\{"error":/m);
  assert.match(out, /"object":"invoice_preview".*"notInvoiced":null/);
  assert.match(out, /%PDF-1\./);
  const [invoice] = (await app.get(`/v1/accounts/${accountSid}/billing/invoices`, bearer(sandboxKey))).body
    .data;
  assert.deepEqual([invoice.state, invoice.total.amountMinor], ['paid', '250']);
  const { receivable } = await billing.balances();
  assert.equal(receivable, 0n);
});
