import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { write } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type NotifyingApp, startNotifyingApp } from '../../../../test/harness/notification-mail.ts';
import type { Person } from '../../../../test/harness/people.ts';
import type { NotificationCategory } from '../../../platform/notification-categories.ts';
import { createSealer, generateMasterKey, parseMasterKeys } from '../../../platform/sealing.ts';
import { tell } from '../fixtures.ts';
import { unsubscribeUrl } from './tokens.ts';

let app: NotifyingApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startNotifyingApp(lifetime);
  await app.sendMail();
});

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const nobody = { authorization: undefined, 'idempotency-key': undefined };
const oneClick = 'List-Unsubscribe=One-Click';
const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };

/** The path of the link in the mail about something that happened. */
async function linkTo(who: Person, type = 'api_key.created'): Promise<string> {
  const before = (await app.mailsTo(who)).length;
  await tell({ app, owner: app.live }, { type, to: { principal: `user:${who.userSid}` } });
  app.clock.advance(15 * 60_000);
  await app.sendMail();
  const [mail] = (await app.mailsTo(who)).slice(before);
  return new URL(/^<(.*)>$/.exec(mail!.header('List-Unsubscribe')!)![1]!).pathname;
}

const post = (path: string, body?: string, headers: object = {}) =>
  app.send('POST', path, { body, headers: { ...nobody, ...headers } });
const isMailed = async (who: Person, category: NotificationCategory) => {
  const { body } = await app.get(`${app.at}/notification-preferences`, who.headers);
  return body.categories.find((one: { category: string }) => one.category === category).email as boolean;
};

/** Everything there is in the database, but for what beats and counts by itself. */
async function everything(): Promise<Record<string, string>> {
  const tables = await app.sql<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('processes', 'rate_buckets')`,
  );
  const digests = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await app.sql<{ digest: string }>(
        `select coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest from "${name}" as t`,
      );
      return [name, row!.digest] as const;
    }),
  );
  return Object.fromEntries(digests);
}

suite('one click', () => {
  const multipart = (boundary: string) => ({
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `--${boundary}\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--${boundary}--\r\n`,
  });
  const ways: [string, { body?: string; headers?: object }][] = [
    ['urlencoded, as Gmail does', { body: oneClick, headers: urlencoded }],
    [
      'urlencoded with a charset and cookies',
      {
        body: oneClick,
        headers: {
          'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
          cookie: 'godwit_session=somebody-elses; a=b',
        },
      },
    ],
    ['multipart, as RFC 8058 allows', multipart('----boundary')],
    ['with an empty body', {}],
    ['with an Idempotency-Key', { body: oneClick, headers: { ...urlencoded, 'idempotency-key': 'one' } }],
  ];
  for (const [way, { body, headers }] of ways) {
    test(`posted ${way} ends that mail and no other, and is 200 again and again`, async () => {
      const who = await app.livePerson();
      const path = await linkTo(who);
      for (let i = 0; i < 2; i += 1) {
        const reply = await post(path, body, headers);
        assert.equal(reply.status, 200, reply.text);
        assert.equal(reply.headers.get('location'), null);
        assert.equal(reply.headers.get('set-cookie'), null);
        assert.deepEqual(reply.body.categories, [{ category: 'security', email: false }]);
      }
      assert.deepEqual([await isMailed(who, 'security'), await isMailed(who, 'incident')], [false, true]);
      await tell(
        { app, owner: app.live },
        { type: 'api_key.created', to: { principal: `user:${who.userSid}` } },
      );
      await app.sendMail();
      assert.equal((await app.mailsTo(who)).length, 1);
      const { body: shown } = await app.get(`${app.at}/notifications`, who.headers);
      const ofThisTest = shown.data.filter(({ resource }: { resource: string }) => resource.startsWith('TM'));
      assert.equal(ofThisTest.length, 2);
    });
  }

  test('on a mail of several kinds ends all of them', async () => {
    const who = await app.livePerson();
    await app.wantAllMail(who);
    const to = { principal: `user:${who.userSid}` };
    await tell({ app, owner: app.live }, { type: 'template.rejected', to });
    const path = await linkTo(who, 'sender.stopped');
    const { body } = await post(path, oneClick, urlencoded);
    assert.deepEqual(body.categories, [
      { category: 'sender_health', email: false },
      { category: 'template_status', email: false },
    ]);
    assert.deepEqual([await isMailed(who, 'template_status'), await isMailed(who, 'billing')], [false, true]);
  });

  test('works for who left, and what they turned off stays off', async () => {
    const who = await app.livePerson();
    const path = await linkTo(who);
    await app.sql("update users set status = 'DEACTIVATED' where sid = $1", [who.userSid]);
    assert.equal((await post(path, oneClick, urlencoded)).status, 200);
    await app.sql("update users set status = 'ACTIVE' where sid = $1", [who.userSid]);
    assert.equal(await isMailed(who, 'security'), false);
  });
});

suite('the link in a mail', () => {
  test('changes nothing when every link of every mail is opened by programs, as browsers and as scanners do', async () => {
    const people = [await app.livePerson(), await app.livePerson()];
    for (const who of people) await linkTo(who);
    const mails = (await Promise.all(people.map((who) => app.mailsTo(who)))).flat();
    const links = mails.flatMap((mail) => [
      ...(mail.text!.match(/https?:\/\/\S+/g) ?? []),
      ...[...(mail.html as string).matchAll(/href="([^"]+)"/g)].map(([, url]) => url!),
      ...[
        ...mail.headerLines
          .map(({ line }) => line)
          .join('\n')
          .matchAll(/<(https?:[^>]+)>/g),
      ].map(([, url]) => url!),
    ]);
    assert.ok(links.length >= 6);
    const before = await everything();
    for (const { pathname } of links.map((link) => new URL(link))) {
      for (const headers of [
        nobody,
        { ...nobody, ...browser },
        { ...nobody, cookie: 'a=b', purpose: 'prefetch' },
      ])
        for (const method of ['GET', 'HEAD']) {
          const reply = await app.send(method, pathname, { headers });
          assert.equal(reply.status, 200, `${method} ${pathname}`);
        }
    }
    assert.deepEqual(await everything(), before);
  });

  test('is the same in every mail to the same effect, and works after the key it was made with is gone', async () => {
    const who = await app.livePerson();
    const old = await linkTo(who);
    assert.equal(await linkTo(who), old);
    const tenant = { app, accountSid: app.accountSid, livemode: true };
    const rotated = createSealer(parseMasterKeys(generateMasterKey()));
    const fresh = await write(tenant, (t) =>
      unsubscribeUrl({ ...t, sealer: rotated }, who.userSid, ['security']),
    );
    const path = new URL(fresh).pathname;
    assert.notEqual(path, old);
    app.clock.advance(10 * 365 * 86_400_000);
    for (const link of [path, old]) assert.equal((await post(link, oneClick, urlencoded)).status, 200);
    assert.equal(
      await app.count(`notification_preferences where principal = 'user:${who.userSid}' and not email`),
      1,
    );
  });

  test('that is none of ours is a 404, for browsers as a page', async () => {
    const path = `/v1/notification-unsubscribe/${'x'.repeat(43)}`;
    for (const method of ['GET', 'POST']) {
      const reply = await app.send(method, path, { headers: nobody });
      assert.deepEqual([reply.status, reply.body.error.code], [404, 'NOT_FOUND']);
      const page = await app.send(method, path, {
        headers: { ...nobody, ...browser, 'accept-language': 'fr' },
      });
      assert.deepEqual([page.status, page.headers.get('content-language')], [404, 'fr']);
      assert.ok(page.text.includes('<h1>Lien inconnu</h1>'));
    }
    const short = await app.get('/v1/notification-unsubscribe/abc', nobody);
    assert.deepEqual([short.status, short.body.error.details[0].path], [400, 'token']);
  });

  test('is stored only as a hash', async () => {
    const path = await linkTo(await app.livePerson());
    const token = path.split('/').at(-1)!;
    const stored = await app.sql<{ row: string }>(
      'select t::text as row from notification_unsubscribe_tokens as t',
    );
    assert.ok(stored.length > 0 && !stored.some(({ row }) => row.includes(token)));
  });
});

suite('the page', () => {
  const show = (path: string, headers: object = {}) => app.get(path, { ...nobody, ...browser, ...headers });

  test('asks first, in the language of the person, and its button does it without a script', async () => {
    const who = await app.livePerson();
    await app.sql("update users set locale = 'fr' where sid = $1", [who.userSid]);
    const path = await linkTo(who);
    const asked = await show(path, { 'accept-language': 'en' });
    assert.match(asked.text, /^<!doctype html>\n<html lang="fr">/);
    assert.ok(asked.text.includes('<button>Ne plus recevoir ces e-mails</button>'));
    assert.ok(asked.text.includes('<form method="post">') && !/<script|<img|https?:/.test(asked.text));
    assert.match(asked.headers.get('content-security-policy')!, /default-src 'none'.*form-action 'self'/);
    assert.equal(asked.headers.get('cache-control'), 'no-store');
    const pressed = await post(path, oneClick, { ...urlencoded, ...browser });
    assert.deepEqual(
      [pressed.status, pressed.headers.get('content-type')],
      [200, 'text/html; charset=utf-8'],
    );
    assert.ok(pressed.text.includes('<h1>Vous ne recevrez plus ces e-mails</h1>'));
    assert.ok((await show(path)).text.includes('<h1>Vous ne recevrez plus ces e-mails</h1>'));
  });

  test('tells programs in JSON what is on', async () => {
    const path = await linkTo(await app.livePerson());
    const { status, body } = await app.get(path, nobody);
    assert.deepEqual(
      [status, body],
      [200, { object: 'notification_unsubscribe', categories: [{ category: 'security', email: true }] }],
    );
  });
});
