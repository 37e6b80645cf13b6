import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type NotifyingApp, startNotifyingApp } from '../../../../test/harness/notification-mail.ts';
import type { Person } from '../../../../test/harness/people.ts';
import type { AnnouncedCategory } from '../../../platform/notification-categories.ts';
import { announce } from '../announcements.ts';

let app: NotifyingApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startNotifyingApp(lifetime);
  await app.sendMail();
});
beforeEach(() => app.clock.advance(24 * 60 * 60_000)); // a day without mail

const words = {
  en: { title: 'Sending is slow', body: 'We are looking into it.' },
  fr: { title: 'Les envois sont lents', body: 'Nous examinons le problème.' },
};
const tellAll = (category: AnnouncedCategory) =>
  app.database.system((s) => announce(s, app.clock.now(), { category, words }));
const mailsAfter = async (who: Person, work: () => Promise<unknown>) => {
  const before = (await app.mailsTo(who)).length;
  await work();
  return (await app.mailsTo(who)).slice(before);
};

test('an incident is mailed at once and once to everybody who is active, in their language, from one row', async () => {
  const english = await app.livePerson();
  const { accountSid } = await app.newAccount();
  await app.sendMail(); // of its keys
  const french = await app.livePerson({ accountSid });
  const gone = await app.livePerson();
  await app.sql("update users set locale = 'fr' where sid = $1", [french.userSid]);
  await app.sql("update users set status = 'DEACTIVATED' where sid = $1", [gone.userSid]);
  await tellAll('incident');
  await app.sendMail();
  await app.sendMail();
  const [mail, ...more] = await app.mailsTo(english);
  assert.deepEqual([mail!.subject, more.length], ['Sending is slow', 0]);
  assert.ok(mail!.text!.includes('We are looking into it.'));
  assert.match(mail!.header('List-Unsubscribe')!, /^<https:\/\/godwit\.example\//);
  assert.deepEqual(
    (await app.mailsTo(french)).map(({ subject }) => subject),
    ['Les envois sont lents'],
  );
  assert.deepEqual(await app.mailsTo(gone), []);
  assert.equal(await app.count('announcements'), 1);
  const { body } = await app.get(`${app.at}/notifications`, english.headers);
  assert.equal(body.data[0].title, 'Sending is slow');
});

test('what somebody said last about it in any of their accounts counts, also by the link in the mail', async () => {
  const who = await app.livePerson();
  const [{ organization_id: organizationId }] = (await app.sql<{ organization_id: string }>(
    'select organization_id from accounts where sid = $1',
    [app.accountSid],
  )) as [{ organization_id: string }];
  const other = (await app.newAccount()).accountSid;
  await app.sendMail();
  await app.sql('update accounts set organization_id = $1, parent_account_sid = $2 where sid = $3', [
    organizationId,
    app.accountSid,
    other,
  ]);
  const there = { ...who, accountSid: other };
  const incident = async () => {
    await tellAll('incident');
    await app.sendMail();
  };
  app.clock.advance(1);
  assert.equal((await app.prefer(there, 'incident', false)).status, 200);
  assert.equal((await mailsAfter(who, incident)).length, 0);
  app.clock.advance(1);
  await app.prefer(who, 'incident', true);
  const [mail] = await mailsAfter(who, incident);
  app.clock.advance(1);
  const link = new URL(/^<(.*)>$/.exec(mail!.header('List-Unsubscribe')!)![1]!).pathname;
  assert.equal((await app.send('POST', link, { headers: { authorization: undefined } })).status, 200);
  assert.equal((await mailsAfter(who, incident)).length, 0);
  app.clock.advance(1);
  await app.prefer(there, 'incident', true);
  assert.equal((await mailsAfter(who, incident)).length, 1);
});

test('a product update is gathered, and mailed only to those who asked for it, however many others there are', async () => {
  const asked = await app.livePerson();
  const others = await app.livePerson();
  await app.sql(
    `insert into users (sid, organization_id, email, status, created_at, updated_at)
     select 'US' || lpad(n::text, 26, '0'), $1, 'person' || n || '@example.com', 'ACTIVE', now(), now()
       from generate_series(1, 1200) as n`,
    [asked.organizationId],
  );
  await app.prefer(asked, 'product_update', true);
  await tellAll('product_update');
  assert.deepEqual(await mailsAfter(asked, app.sendMail), []);
  app.clock.advance(15 * 60_000);
  assert.equal((await mailsAfter(asked, app.sendMail)).length, 1);
  assert.deepEqual(
    (await app.mailsTo(others)).filter(({ subject }) => subject !== words.en.title),
    [],
  );
  assert.equal(await app.count("notification_mails where category = 'product_update'"), 1);
  assert.equal(await app.count('announcements where mailed_at is null'), 0);
});
