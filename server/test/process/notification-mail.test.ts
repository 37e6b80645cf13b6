// Mail about notifications, sent by real workers to a real mail server.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { notificationType, notify } from '../../src/modules/notifications/index.ts';
import { newSid } from '../../src/platform/ids.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import { systemPrincipal } from '../../src/platform/principal.ts';
import { generateMasterKey } from '../../src/platform/sealing.ts';
import { startTestApp } from '../harness/app.ts';
import { readMail, startMailServer } from '../harness/mail-server.ts';
import { person } from '../harness/people.ts';
import { programIn } from '../harness/program.ts';
import { dataFolder, godwit, startGodwit, until } from './godwit.ts';

// MAIL_CRASHES=100 tries it more often.
const crashes = Number(process.env.MAIL_CRASHES ?? 2);
const crashingMailer = programIn(new URL('../harness/crashing-mailer.ts', import.meta.url));

test('workers killed between the yes of the mail server and the commit repeat that very mail: nothing is lost or told twice', async (context) => {
  const server = await startMailServer(context);
  const MASTER_KEY = generateMasterKey();
  const app = await startTestApp(context, { env: { MASTER_KEY } });
  const who = await person(app, { livemode: true });
  // The workers live by the clock on the wall, and so does what they are told of.
  const happens = async () => {
    const now = new Date();
    const resource = newSid('TM', now);
    const as = { principal: systemPrincipal('test', true), now, requestId: 'test', log: silentLog };
    await app.database.write({ accountSid: app.accountSid, livemode: true }, as, async (t) =>
      notify(t, notificationType('api_key.created')!, { to: { principal: `user:${who.userSid}` }, resource }),
    );
    return resource;
  };
  const env = {
    DATABASE_URL: app.databaseUrl,
    DATA_DIR: await dataFolder(context),
    MASTER_KEY,
    SMTP_URL: server.url,
    PUBLIC_URL: 'https://godwit.example',
    MAIL_FROM: 'Godwit <no-reply@godwit.example>',
    SIMULATOR_URL: 'http://127.0.0.1:1',
  };
  const mine = () => server.received.filter(({ to }) => to.includes(who.email));

  const happened: string[] = [];
  for (let i = 0; i < crashes; i += 1) {
    happened.push(await happens());
    const child = spawn(process.execPath, [...crashingMailer, app.databaseUrl], {
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const signal = await new Promise((done) => child.once('exit', (_code, by) => done(by)));
    assert.equal(signal, 'SIGKILL');
    assert.equal(mine().length, i + 1);
    // That the others notice its death takes some seconds, which is not what this test is about.
    await app.sql('delete from processes where url is null');
  }
  happened.push(await happens());

  const worker = await startGodwit(context, env, { args: ['start', '--role', 'worker'] });
  const read = () => Promise.all(mine().map(({ raw }) => readMail(raw)));
  const told = () =>
    app.sql<{ resource: string; letter: string; mailed: boolean }>(
      `select n.resource, m.letter, m.mailed_at is not null as mailed
         from notification_mails m join notifications n on n.id = m.notification_id where m.user_sid = $1`,
      [who.userSid],
    );
  await until('everything is told', async () => {
    const rows = (await told()).filter(({ mailed }) => mailed);
    return happened.every((resource) => rows.some((row) => row.resource === resource));
  });
  const rows = await told();
  // A notification stands in the one mail it was written down for, and that mail arrived.
  for (const resource of happened)
    assert.equal(rows.filter((row) => row.resource === resource).length, 1, resource);
  const letters = [...new Set(rows.map(({ letter }) => `<${letter}@godwit.example>`))];
  const mails = await read();
  const copies = letters.map((id) => mails.filter(({ messageId }) => messageId === id));
  assert.deepEqual(
    copies.map(({ length }) => length).sort((one, other) => other - one),
    [crashes + 1, ...letters.slice(1).map(() => 1)],
    'the repeated one came as often as it was tried, and every other once',
  );
  assert.equal(copies.flat().length, mails.length);
  for (const same of copies) assert.equal(new Set(same.map(({ text }) => text)).size, 1);

  const announced = await godwit(
    [
      ...['announce', 'incident', '--title-en', 'Sending is slow', '--body-en', 'We look into it.'],
      ...['--title-fr', 'Envois lents', '--body-fr', 'Nous examinons le problème.'],
    ],
    env,
  );
  assert.deepEqual([announced.code, announced.stderr], [0, '']);
  assert.match(
    announced.stdout,
    /^Announced to everybody as incident, [0-9a-f-]{36}:\n {2}en {2}Sending is slow\n/,
  );
  assert.match(announced.stdout, /\n {2}fr {2}Envois lents\n {6}Nous examinons le problème\.\n/);
  await until('it is mailed', async () =>
    (await read()).some(({ subject }) => subject === 'Sending is slow'),
  );
  assert.equal(await app.count('announcements'), 1);
  assert.equal((await worker.stop()).code, 0);
});
