// A process that dies in the middle of an import: whoever takes over applies the rest, and nothing twice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCore } from '../../src/main/process/core.ts';
import { readConfig } from '../../src/main/settings.ts';
import { verifyConsents } from '../../src/modules/consent/index.ts';
import { contactImport, storeWhole } from '../../src/modules/contact-files/index.ts';
import { startOperation } from '../../src/modules/operations/index.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import { systemPrincipal } from '../../src/platform/principal.ts';
import { patience } from '../harness/app.ts';
import { bootstrapped, freshDatabase, ownerOf } from './fixtures.ts';
import { atEnd, call, godwit, startGodwit, until } from './godwit.ts';

// IMPORT_ROWS=100000 tries the same with more.
const rows = Number(process.env.IMPORT_ROWS ?? 20_000);

test('an import whose process is killed is finished by the next one, every row applied exactly once', async (context) => {
  const env = await freshDatabase(context);
  const account = await bootstrapped(env);
  const { database } = await openCore(readConfig(env), env.DATABASE_URL, silentLog, patience);
  atEnd(context, () => database.close());
  const owner = await ownerOf(context, env);
  const count = async (of: string) =>
    Number((await owner.query(`select count(*) as n from ${of}`)).rows[0].n);

  const lines = Array.from(
    { length: rows },
    (_, i) => `+3361${String(i).padStart(7, '0')},Person ${i},MARKETING,OPTED_IN\n`,
  );
  const bad = 'nonsense,Nobody,MARKETING,OPTED_IN\n';
  const content = `phone,displayName,consent.purpose,consent.status\n${lines.join('')}${bad}`;
  const tenant = { accountSid: account.accountSid, livemode: false };
  const as = {
    principal: systemPrincipal('test', false),
    now: new Date('2026-08-21T10:00:00Z'),
    requestId: 'test',
    log: silentLog,
  };
  const { sid } = await database.write(tenant, as, async (t) => {
    const operation = await startOperation(t, contactImport, { format: 'csv' });
    await storeWhole(t, operation.sid, 'source', 'csv', Buffer.from(content));
    return operation;
  });

  const first = await startGodwit(context, env, { args: ['start', '--role', 'worker'] });
  await until('a good part is done', async () => (await count('contacts')) > rows / 4, 120_000);
  // PostgreSQL does so by itself within a minute; when it does is not what this test is about.
  await owner.query('analyze contacts, contact_identifiers, consents, consent_states');
  assert.equal((await first.stop('SIGKILL')).signal, 'SIGKILL');
  const done = await count('contacts');
  assert.ok(done < rows, 'it was killed too late to try anything');

  const killedMs = performance.now();
  const second = await startGodwit(context, env);
  const url = `${second.url}/v1/accounts/${account.accountSid}/operations/${sid}`;
  await until('the work goes on', async () => (await count('contacts')) > done, 30_000);
  context.diagnostic(
    `${done} rows stood; taken up again after ${Math.round(performance.now() - killedMs)} ms`,
  );
  const { body } = await until(
    'the import ends',
    async () => {
      const answer = await call(url, { key: account.sandboxKey });
      return answer.body.finishedAt ? answer : null;
    },
    240_000,
  );
  assert.equal(body.state, 'SUCCEEDED');
  assert.deepEqual(body.progress, { ...body.progress, done: rows + 1, total: rows + 1, failed: 1 });
  assert.deepEqual([body.result.created, body.result.consents, body.result.unchanged], [rows, rows, 0]);
  assert.deepEqual(
    [
      await count('contacts'),
      await count('contact_identifiers'),
      await count('consents'),
      await count('consent_states'),
      await count("events where type = 'contact.created'"),
      await count("events where type = 'consent.recorded'"),
      await count('operation_children'),
    ],
    [rows, rows, rows, rows, rows, rows, 1],
  );
  assert.equal(await count("events where type = 'operation.completed'"), 1);
  for await (const report of verifyConsents(database, account.accountSid)) assert.equal(report.broken, null);

  const watched = await godwit(['operations', 'watch', sid, '--account', account.accountSid], env);
  assert.equal(watched.code, 0, watched.stderr);
  assert.match(
    watched.stdout,
    new RegExp(`\\[█{30}\\] 100 %  SUCCEEDED  ${rows + 1} of ${rows + 1}  1 failed`),
  );
  const listed = await godwit(['operations', 'list', '--account', account.accountSid], env);
  assert.match(listed.stdout, new RegExp(`^${sid} .*contacts.import .*SUCCEEDED`, 'm'));
  assert.equal((await second.stop()).code, 0);
});
