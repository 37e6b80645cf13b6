import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { type ReadMail, readMail, startMailServer } from '../../../test/harness/mail-server.ts';
import { composeMail } from '../../modules/identity/mails/texts.ts';
import { AddresseeRefused } from '../../modules/mails/index.ts';
import { parseSender } from './headers.ts';
import { createMailer } from './mailer.ts';
import { outboxFolder, readOutbox } from './outbox.ts';

const mail = {
  to: { name: 'Zoë "Z" <b@example.com>', address: 'zoe@example.com' },
  ...composeMail('invitation', 'fr', {
    name: 'Zoë',
    organization: 'Café <b>&Co</b>',
    link: 'https://godwit.example/console/invitation#token=abc',
  }),
};
const from = 'Godwit <no-reply@godwit.example>';
const listed = {
  ...mail,
  id: 'a-mail',
  list: { id: 'security.AC1.notifications', unsubscribeUrl: 'https://godwit.example/unsubscribe/abc' },
};
const expectedHeaders = {
  'Message-ID': '<a-mail@godwit.example>',
  'Auto-Submitted': 'auto-generated',
  'List-Id': '<security.AC1.notifications.godwit.example>',
  'List-Unsubscribe': '<https://godwit.example/unsubscribe/abc>',
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
};
const listHeaders = ({ header }: ReadMail) =>
  Object.fromEntries(Object.keys(expectedHeaders).map((name) => [name, header(name)]));

async function folder(context: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'godwit-mail-'));
  context.after(() => rm(dataDir, { recursive: true }));
  return dataDir;
}

suite('with a mail server', () => {
  test('mail reaches exactly the one addressee, whatever their name says', async (context) => {
    const server = await startMailServer(context);
    const mailer = createMailer({ smtpUrl: server.url, mailFrom: from, dataDir: '/nowhere' });
    context.after(() => mailer.close());
    await mailer.send(mail);
    assert.equal(server.received.length, 1);
    const [got] = server.received;
    assert.deepEqual([got!.from, got!.to], ['no-reply@godwit.example', ['zoe@example.com']]);
    const data = got!.raw.toString();
    assert.match(data, /^Subject: =\?UTF-8\?/m);
    assert.match(data, /^Content-Type: text\/plain/m);
    assert.match(data, /^Content-Type: text\/html/m);
    assert.match(data, /^Auto-Submitted: auto-generated\r$/m);
    assert.ok(!/^List-/m.test(data));
  });

  test('mail that can be turned off says how, and a repeat carries the same Message-ID', async (context) => {
    const server = await startMailServer(context);
    const mailer = createMailer({ smtpUrl: server.url, mailFrom: from, dataDir: '/nowhere' });
    context.after(() => mailer.close());
    await mailer.send(listed);
    await mailer.send(listed);
    const unsubscribeUrl = 'http://localhost:8080/v1/x';
    await mailer.send({ ...listed, list: { ...listed.list, unsubscribeUrl } });
    const [first, again, local] = await Promise.all(server.received.map(({ raw }) => readMail(raw)));
    assert.deepEqual(listHeaders(first!), expectedHeaders);
    assert.deepEqual(listHeaders(again!), expectedHeaders);
    const oneClick = 'List-Unsubscribe-Post';
    assert.deepEqual(
      [local!.header('List-Unsubscribe'), local!.header(oneClick)],
      [`<${unsubscribeUrl}>`, null],
    );
  });

  test('mail is signed by DKIM with the key of the operator, the headers that unsubscribe included', async (context) => {
    const server = await startMailServer(context);
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const dkim = {
      dkimDomain: 'godwit.example',
      dkimSelector: 'mail2026',
      dkimPrivateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    };
    const mailer = createMailer({ smtpUrl: server.url, mailFrom: from, dataDir: '/nowhere', ...dkim });
    context.after(() => mailer.close());
    await mailer.send(listed);
    const { raw } = server.received[0]!;
    const asked: string[] = [];
    const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
    const resolver = async (name: string) => {
      asked.push(name);
      return [[record]];
    };
    const verdict = async (mail: Buffer) => (await dkimVerify(mail, { resolver })).results[0]!.status.result;
    assert.equal(await verdict(raw), 'pass');
    assert.deepEqual(asked, ['mail2026._domainkey.godwit.example']);
    const changed = (from: string, to: string) => {
      assert.ok(raw.includes(from));
      return Buffer.from(raw.toString('latin1').replace(from, to), 'latin1');
    };
    for (const [said, instead] of [
      ['One-Click', 'Two-Click'],
      ['/unsubscribe/abc', '/unsubscribe/abd'],
      ['auto-generated', 'auto-replied'],
    ] as const)
      assert.notEqual(await verdict(changed(said, instead)), 'pass', said);
  });

  test('an addressee that does not exist is told apart from a server that does not want us', async (context) => {
    const server = await startMailServer(context, {
      unknown: (address) => (address.startsWith('gone') ? '5.1.1 No such user' : '5.7.1 Relaying denied'),
    });
    const mailer = createMailer({ smtpUrl: server.url, mailFrom: from, dataDir: '/nowhere' });
    context.after(() => mailer.close());
    const sendTo = (address: string) => mailer.send({ ...mail, to: { name: '', address } });
    await assert.rejects(sendTo('gone@example.com'), AddresseeRefused);
    await assert.rejects(sendTo('here@example.com'), (error) => !(error instanceof AddresseeRefused));
  });

  test('a key for DKIM without its domain or selector stops the start', () => {
    const given = { smtpUrl: null, mailFrom: from, dataDir: '/nowhere' };
    const says = /DKIM_DOMAIN, DKIM_SELECTOR and DKIM_PRIVATE_KEY must be set together/;
    assert.throws(() => createMailer({ ...given, dkimPrivateKey: 'a key' }), says);
    assert.throws(() => createMailer({ ...given, dkimDomain: 'godwit.example', dkimSelector: 'x' }), says);
  });

  test('a refusal is an error, so that the job tries again', async (context) => {
    const server = await startMailServer(context, { refuse: () => new Error('mailbox full') });
    const mailer = createMailer({ smtpUrl: server.url, mailFrom: from, dataDir: '/nowhere' });
    context.after(() => mailer.close());
    await assert.rejects(mailer.send(mail), /mailbox full/);
  });
});

suite('without a mail server', () => {
  test('mail lies in the folder, readable by its owner alone and by people', async (context) => {
    const dataDir = await folder(context);
    const mailer = createMailer({ smtpUrl: null, mailFrom: from, dataDir });
    await mailer.send(mail);
    await mailer.send({ ...mail, to: { name: '', address: 'second@example.com' } });
    const mails = await readOutbox(outboxFolder(dataDir));
    assert.deepEqual(
      mails.map(({ to, subject }) => [to, subject]),
      [
        ['"Zoë Z <b@example.com>" <zoe@example.com>', 'Vous êtes invité à rejoindre Café <b>&Co</b>'],
        ['second@example.com', 'Vous êtes invité à rejoindre Café <b>&Co</b>'],
      ],
    );
    assert.equal(mails[0]!.text.trim(), mail.text.trim());
    const [name] = await readdir(outboxFolder(dataDir));
    assert.equal((await stat(join(outboxFolder(dataDir), name!))).mode & 0o077, 0);
  });

  test('mail in the folder has the headers it would be sent with', async (context) => {
    const dataDir = await folder(context);
    await createMailer({ smtpUrl: null, mailFrom: from, dataDir }).send(listed);
    const [name] = await readdir(outboxFolder(dataDir));
    const read = await readMail(await readFile(join(outboxFolder(dataDir), name!)));
    assert.deepEqual(listHeaders(read), expectedHeaders);
  });

  test('an outbox that does not exist is an empty one', async (context) => {
    assert.deepEqual(await readOutbox(outboxFolder(await folder(context))), []);
  });
});

suite('header injection', () => {
  const hostile = ['a\r\nBcc: b@example.com', 'a\nX: y', 'a\0b', 'a\u2028b', 'a\rb'];
  for (const kind of ['SMTP', 'outbox']) {
    test(`is refused before anything leaves by ${kind}`, async (context) => {
      const server = await startMailServer(context);
      const dataDir = await folder(context);
      const mailer = createMailer({ smtpUrl: kind === 'SMTP' ? server.url : null, mailFrom: from, dataDir });
      context.after(() => mailer.close());
      for (const text of hostile) {
        await assert.rejects(mailer.send({ ...mail, subject: text }));
        await assert.rejects(mailer.send({ ...mail, to: { name: text, address: 'a@example.com' } }));
        await assert.rejects(mailer.send({ ...mail, to: { name: '', address: `${text}@example.com` } }));
        await assert.rejects(mailer.send({ ...mail, id: text }));
        await assert.rejects(mailer.send({ ...listed, list: { ...listed.list, id: text } }));
        const unsubscribeUrl = `https://godwit.example/${text}`;
        await assert.rejects(mailer.send({ ...listed, list: { ...listed.list, unsubscribeUrl } }));
      }
      for (const unsubscribeUrl of [
        'mailto:a@b.c',
        'https://a.example/>, <https://b.example/',
        'https://a/ b',
        '',
      ])
        await assert.rejects(mailer.send({ ...listed, list: { ...listed.list, unsubscribeUrl } }));
      for (const id of ['', 'a@b', '<a>', 'a b', 'x'.repeat(65)])
        await assert.rejects(mailer.send({ ...mail, id }));
      for (const address of ['a@b.c, d@e.f', '<a@b.c>', 'a b@c.d', 'a@b@c', '']) {
        await assert.rejects(mailer.send({ ...mail, to: { name: '', address } }), address);
      }
      assert.equal(server.received.length + (await readOutbox(outboxFolder(dataDir))).length, 0);
    });
  }

  test('what an organization calls itself stays one line in a subject, and text in HTML', () => {
    const facts = {
      name: '<script>',
      organization: 'A\r\nBcc: x@example.com <img>',
      link: 'https://x.example/"',
    };
    for (const kind of ['invitation', 'password-reset', 'password-changed', 'mfa-removed'] as const) {
      for (const locale of ['en', 'fr'] as const) {
        const { subject, html } = composeMail(kind, locale, facts);
        assert.ok(!/[\r\n]/.test(subject));
        assert.ok(!/<script|<img|href="[^"]*""/.test(html), html);
      }
    }
  });

  test('the sender is one address, with or without a name', () => {
    assert.deepEqual(parseSender(from), { name: 'Godwit', address: 'no-reply@godwit.example' });
    assert.deepEqual(parseSender('a@b.example'), { name: '', address: 'a@b.example' });
    assert.throws(() => parseSender('a@b.example, c@d.example'));
  });
});
