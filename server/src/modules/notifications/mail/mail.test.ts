import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { deskOf } from '../../../../test/harness/inboxes.ts';
import { write } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import type { ReadMail } from '../../../../test/harness/mail-server.ts';
import { type NotifyingApp, startNotifyingApp } from '../../../../test/harness/notification-mail.ts';
import type { Person } from '../../../../test/harness/people.ts';
import { newSid } from '../../../platform/ids.ts';
import type { Audience, NotificationType } from '../../../platform/notifications.ts';
import { newPhone } from '../../contacts/fixtures.ts';
import { notificationTypes } from '../catalogue.ts';
import { tell } from '../fixtures.ts';
import { notify } from '../notify.ts';
import { composeLetter } from './words.ts';

const minute = 60_000;
const hour = 60 * minute;
const urgent = 'api_key.created';
const gathered = 'sender.stopped';

let app: NotifyingApp;
/** What the mail server says to each mail; null takes it. */
let refusal: Error | null = null;
/** Whom it does not know. */
let unknown = '';
const lifetime = sharedLifetime();
before(async () => {
  app = await startNotifyingApp(lifetime, {
    refuse: () => refusal,
    unknown: (address) => (address === unknown ? '5.1.1 No such user' : null),
  });
  await app.sendMail(); // what happened before anybody was there
});

const only = (who: Person): Audience => ({ principal: `user:${who.userSid}` });
const happens = (type: string, who: Person, more: { resource?: string; livemode?: boolean } = {}) =>
  tell(
    { app, owner: { ...app.live, livemode: more.livemode ?? true } },
    { type, to: only(who), ...(more.resource && { resource: more.resource }) },
  );
const subjects = async (who: Person) => (await app.mailsTo(who)).map(({ subject }) => subject);
const read = (who: Person, id: string) =>
  app.post(`${app.at}/notifications/${id}/read`, undefined, who.headers);

suite('mail about notifications', () => {
  test('goes at once where it cannot wait; everything else is gathered for 15 minutes into one mail', async () => {
    const who = await app.livePerson();
    await app.wantAllMail(who);
    await happens(gathered, who);
    await happens(urgent, who);
    await app.sendMail();
    assert.deepEqual(await subjects(who), ['An API key was created']);
    app.clock.advance(10 * minute);
    await happens('template.rejected', who);
    app.clock.advance(5 * minute - 1);
    await app.sendMail();
    assert.equal((await subjects(who)).length, 1);
    app.clock.advance(1);
    await app.sendMail();
    const [, together] = await app.mailsTo(who);
    assert.match(together!.subject!, / \(and 1 more\)$/);
    for (const title of ['A sender', 'A template was rejected'])
      assert.ok(together!.text!.includes(title), title);
    app.clock.advance(hour);
    await app.sendMail();
    assert.equal((await subjects(who)).length, 2);
  });

  test('is not sent about what was read meanwhile', async () => {
    const who = await app.livePerson();
    const [seen] = [await happens(gathered, who), await happens(gathered, who)];
    assert.equal((await read(who, seen)).status, 200);
    app.clock.advance(15 * minute);
    await app.sendMail();
    const [mail, ...others] = await app.mailsTo(who);
    assert.equal(others.length, 0);
    assert.ok(!mail!.subject!.includes('more'));
  });

  test('is not sent to who turned it off meanwhile, left, or is no longer of the audience', async () => {
    const [off, gone, moved] = [await app.livePerson(), await app.livePerson(), await app.livePerson()];
    for (const who of [off, gone]) await happens(gathered, who);
    await tell({ app, owner: app.live }, { type: gathered, to: { scope: 'wabas:write' } });
    await app.sendMail();
    await app.prefer(off, 'sender_health', false);
    await app.sql("update users set status = 'DEACTIVATED' where sid = $1", [gone.userSid]);
    await app.sql('update role_bindings set revoked_at = now() where principal_ref = $1', [moved.userSid]);
    app.clock.advance(15 * minute);
    await app.sendMail();
    for (const who of [off, gone, moved]) assert.deepEqual(await subjects(who), []);
    await happens(urgent, gone);
    await app.sendMail();
    assert.deepEqual(await subjects(gone), []);
    assert.equal(await app.count('notification_mails where mailed_at is null'), 0);
  });

  test('is sent from the sandbox only to who asked for it', async () => {
    const who = await app.livePerson();
    await happens(urgent, who, { livemode: false });
    await app.sendMail();
    assert.deepEqual(await subjects(who), []);
    const inSandbox = await who.signInAgain({ livemode: false });
    await app.prefer({ ...who, ...inSandbox }, 'security', true);
    await happens(urgent, who, { livemode: false });
    await app.sendMail();
    const [mail] = await app.mailsTo(who);
    assert.equal(mail!.subject, '[Sandbox] An API key was created');
    assert.ok(mail!.text!.includes('in the sandbox'));
  });

  test('comes again about the same only after it was read, and then says how often it happened', async () => {
    const who = await app.livePerson();
    const resource = 'KEY';
    const id = await happens(urgent, who, { resource });
    await app.sendMail();
    await happens(urgent, who, { resource });
    await app.sendMail();
    assert.equal((await subjects(who)).length, 1, 'they know already');
    await read(who, id);
    await app.sendMail();
    assert.equal((await subjects(who)).length, 1);
    await happens(urgent, who, { resource });
    await app.sendMail();
    const [, again] = await app.mailsTo(who);
    assert.ok(again!.text!.includes('This happened 3 times.'), again!.text);
  });

  test('comes at most 20 times a day, then once an hour about everything', async () => {
    const who = await app.livePerson();
    app.clock.advance(24 * hour); // a day of its own
    app.clock.advance(24 * hour - (app.clock.now().getTime() % (24 * hour)));
    for (let i = 0; i < 20; i += 1) {
      await happens(urgent, who);
      await app.sendMail();
    }
    assert.equal((await subjects(who)).length, 20);
    await happens(urgent, who);
    await happens(gathered, who);
    app.clock.advance(hour - 1);
    await app.sendMail();
    assert.equal((await subjects(who)).length, 20);
    app.clock.advance(1);
    await app.sendMail();
    const mails = await app.mailsTo(who);
    assert.deepEqual([mails.length, mails.at(-1)!.subject], [21, 'An API key was created (and 1 more)']);
    await happens(urgent, who);
    await app.sendMail();
    assert.equal((await subjects(who)).length, 21);
    app.clock.advance(24 * hour);
    await app.sendMail();
    await happens(urgent, who);
    await app.sendMail();
    assert.equal((await subjects(who)).length, 23);
  });

  test('that fails is tried again as the same mail, and given up once it is no news any more', async () => {
    const who = await app.livePerson();
    refusal = new Error('busy');
    await happens(urgent, who);
    await app.sendMail();
    const waits = await app.sql<{ due_at: Date }>(
      'select due_at from notification_mailboxes where mailbox like $1',
      [`%${who.userSid}`],
    );
    assert.equal(waits[0]!.due_at.getTime() - app.clock.now().getTime(), minute);
    refusal = null;
    app.clock.advance(minute);
    await app.sendMail();
    assert.equal((await subjects(who)).length, 1);
    refusal = new Error('busy');
    await happens(urgent, who);
    for (let days = 0; days < 5; days += 1) {
      await app.sendMail();
      app.clock.advance(24 * hour);
    }
    refusal = null;
    await app.sendMail();
    assert.equal((await subjects(who)).length, 1);
    const told = await app.mailMetrics();
    assert.match(told, /godwit_notification_mails_total\{outcome="given_up"\} 1/);
    assert.match(told, /godwit_notification_mails_total\{outcome="failed"\} [1-9]/);
  });

  test('is given up at once where there is no such mailbox, and the next one is tried all the same', async () => {
    const who = await app.livePerson();
    unknown = who.email;
    await happens(urgent, who);
    await app.sendMail();
    unknown = '';
    app.clock.advance(hour);
    await app.sendMail();
    assert.deepEqual(await subjects(who), []);
    await happens(urgent, who);
    await app.sendMail();
    assert.equal((await subjects(who)).length, 1);
  });

  test('keeps its Message-ID however often it is tried, and has one of its own', async () => {
    const who = await app.livePerson();
    const ids: string[] = [];
    const noteId = ({ raw }: { raw: Buffer }) => ids.push(/^Message-ID: (\S+)/im.exec(raw.toString())![1]!);
    app.refused.length = 0;
    refusal = new Error('lost on the way');
    await happens(urgent, who);
    for (let i = 0; i < 3; i += 1) {
      await app.sendMail();
      app.refused.splice(0).forEach(noteId);
      app.clock.advance(hour);
      await happens(urgent, who); // more of the same joins the next mail, not this one
    }
    refusal = null;
    await app.sendMail();
    const mails = await app.mailsTo(who);
    assert.equal(ids.length, 3);
    assert.equal(new Set([...ids, mails[0]!.messageId]).size, 1);
    assert.deepEqual([mails.length, mails[1]!.messageId === mails[0]!.messageId], [2, false]);
    assert.ok(mails[1]!.subject!.endsWith('(and 2 more)'));
  });
});

suite('a mail about notifications', () => {
  /** The words of a mail without what dresses them; a link stands there by its label. */
  const plainWords = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
  const textOfHtml = (html: string) =>
    plainWords(
      html
        .replace(/<title>.*?<\/title>/s, '')
        .replaceAll(/<a href="([^"]*)">(.*?)<\/a>/g, '$2: $1')
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll('&#39;', "'")
        .replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&'),
    );
  const assertSameWords = (text: string, html: string) => assert.equal(textOfHtml(html), plainWords(text));

  const linksIn = ({ text, html }: ReadMail) => [
    ...(text!.match(/https?:\/\/\S+/g) ?? []),
    ...[...(html as string).matchAll(/href="([^"]+)"/g)].map(([, url]) => url!),
  ];

  test('carries the headers by which mail programs unsubscribe, with exactly one https address', async () => {
    const who = await app.livePerson();
    await happens(urgent, who);
    await app.sendMail();
    const [mail] = await app.mailsTo(who);
    const url = /^<(https:\/\/godwit\.example\/v1\/notification-unsubscribe\/[A-Za-z0-9_-]{43})>$/.exec(
      mail!.header('List-Unsubscribe')!,
    )?.[1];
    assert.ok(url, mail!.header('List-Unsubscribe')!);
    assert.equal(mail!.header('List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click');
    assert.equal(mail!.header('List-Id'), `<security.${app.accountSid}.notifications.godwit.example>`);
    assert.equal(mail!.header('Auto-Submitted'), 'auto-generated');
    assert.match(mail!.messageId!, /^<[0-9a-f-]{36}@godwit\.example>$/);
    assert.deepEqual(new Set(linksIn(mail!)), new Set([url]));
    assert.equal(mail!.attachments.length, 0);
    assertSameWords(mail!.text!, mail!.html as string);
  });

  test('goes to one addressee, whatever they call themselves', async () => {
    const who = await app.livePerson();
    const name = 'Zoë "Z" <b@example.com>,\r\nBcc: c@example.com\u2028X: y';
    await app.sql('update users set display_name = $2 where sid = $1', [who.userSid, name]);
    await happens(urgent, who);
    await app.sendMail();
    const [mail, ...others] = await app.mailsTo(who);
    assert.equal(others.length, 0);
    assert.deepEqual([mail!.header('Bcc'), mail!.header('X')], [null, null]);
    assert.ok(mail!.to!.text.endsWith(`<${who.email}>`), mail!.to!.text);
    assert.deepEqual(await app.mailsTo({ email: 'c@example.com' }), []);
  });

  test('speaks the language of the person, or the one they chose for notifications', async () => {
    const [french, chose] = [await app.livePerson(), await app.livePerson()];
    await app.sql("update users set locale = 'fr' where sid = $1", [french.userSid]);
    await app.put(`${app.at}/notification-preferences/language`, { locale: 'fr' }, chose.headers);
    for (const who of [french, chose]) await happens(urgent, who);
    await app.sendMail();
    for (const who of [french, chose]) {
      const [mail] = await app.mailsTo(who);
      assert.match(mail!.html as string, /<html lang="fr">/);
      assert.ok(mail!.text!.startsWith('Bonjour Test person,'), mail!.text);
      assert.ok(mail!.text!.includes("Ne plus recevoir d'e-mails sur la sécurité"));
      assertSameWords(mail!.text!, mail!.html as string);
    }
  });

  test('says the same in text and HTML for every type, in both languages, and names are text', () => {
    const types = notificationTypes();
    assert.ok(types.length > 20);
    for (const type of types) {
      for (const locale of ['en', 'fr'] as const) {
        const params = new Proxy({}, { get: (_params, name) => `<${String(name)}>` });
        const notice = { words: type.texts[locale](params), count: 2 };
        const { subject, text, html } = composeLetter({
          locale,
          name: '<b>Zoë</b>\r\nBcc: x@example.com',
          organization: 'Café <script>&Co',
          accountSid: app.accountSid,
          livemode: true,
          notices: [notice, notice],
          categories: [type.category],
          unsubscribeUrl: 'https://godwit.example/v1/notification-unsubscribe/abc',
        });
        assert.ok(subject.length > 5 && !/[\r\n]/.test(subject), type.name);
        assertSameWords(text, html);
        assert.ok(!/<script|<b>/.test(html), type.name);
      }
    }
  });

  test('about very much tells a part and how much more there is', async () => {
    const who = await app.livePerson();
    for (let i = 0; i < 23; i += 1) await happens(gathered, who);
    app.clock.advance(15 * minute);
    await app.sendMail();
    const [mail, ...others] = await app.mailsTo(who);
    assert.equal(others.length, 0);
    assert.ok(mail!.subject!.endsWith('(and 22 more)'));
    assert.ok(mail!.text!.includes('And 3 more, which you find among your notifications.'));
  });

  test('holds nothing of a contact: no name, number or text', async () => {
    const desk = deskOf(app);
    const [inbox, sender] = [await desk.inbox(), await desk.sender()];
    await desk.route(inbox, sender);
    const agent = await desk.agent([inbox]);
    assert.equal((await app.prefer(agent, 'conversation', true)).status, 200);
    const number = newPhone().slice(1);
    const { sid } = await desk.hears(sender, number, 'MARKER-TEXT');
    await app.sendMail();
    app.clock.advance(15 * minute);
    await app.sendMail();
    const [mail, ...others] = await app.mailsTo(agent);
    assert.equal(others.length, 0);
    assert.ok(mail!.text!.includes(sid), mail!.text);
    for (const marker of [number, 'MARKER', 'Ines']) assert.ok(!allOf(mail!).includes(marker), marker);
  });

  test('copies nothing of what it tells of but SIDs and ids, whatever stands in there', async () => {
    const who = await app.livePerson();
    await app.wantAllMail(who);
    const inLive = { app, accountSid: app.accountSid, livemode: true };
    const told = await write(inLive, async (t) => {
      const names: string[] = [];
      for (const type of notificationTypes()) {
        const notice = type.notice(marked(type), t);
        if (!notice) continue;
        notify(t, type, { ...notice, to: only(who) });
        names.push(type.name);
      }
      return names;
    });
    assert.ok(told.length > 20, `only ${told}`);
    await app.sendMail();
    app.clock.advance(15 * minute);
    await app.sendMail();
    const mails = await app.mailsTo(who);
    assert.ok(mails.length >= 3);
    for (const mail of mails) assert.ok(!/MARKER|\+?3361234/.test(allOf(mail)), mail.text);
  });

  const allOf = (mail: ReadMail) =>
    [...mail.headerLines.map(({ line }) => line), mail.subject, mail.text, mail.html].join('\n');

  /** What a type is told with, every free text in it replaced, and more such texts than it has. */
  function marked({ from }: NotificationType): unknown {
    const texts = {
      name: 'MARKER',
      displayName: 'MARKER',
      phone: '+33612345678',
      text: 'MARKER',
      reason: 'MARKER',
    };
    if (from === null) return { to: { scope: 'wabas:write' }, resource: newSid('WA', app.clock.now()) };
    const resource = newSid('CT', app.clock.now());
    if ('action' in from) return { action: from.action, resource, facts: texts };
    const isId = /^([A-Z]{2}[0-9A-Z]{26}|[0-9a-f-]{36}|[a-zA-Z_.]+)$/;
    const replaced = JSON.parse(JSON.stringify(from.event.sample), (_key, value) =>
      typeof value === 'string' && !isId.test(value) ? 'MARKER' : value,
    );
    return { ...texts, ...replaced, requestedBy: 'user:US01M7EFRXGBFCR29V3G3NK609QQ' };
  }
});
