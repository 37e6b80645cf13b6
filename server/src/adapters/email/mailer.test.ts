import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { composeMail } from '../../modules/identity/mails/texts.ts';
import { parseSender } from './headers.ts';
import { createMailer } from './mailer.ts';
import { outboxFolder, readOutbox } from './outbox.ts';

const mail = {
  to: { name: 'Zoë "Z" <b@example.com>', address: 'zoe@example.com' },
  ...composeMail('invitation', 'fr', {
    name: 'Zoë',
    organization: 'Café <b>&Co</b>',
    link: 'https://godwit.example/invitation#token=abc',
  }),
};
const from = 'Godwit <no-reply@godwit.example>';

async function folder(context: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'godwit-mail-'));
  context.after(() => rm(dataDir, { recursive: true }));
  return dataDir;
}

type Received = { from: string; to: string[]; data: string };

/** A mail server that keeps what it is given. */
async function mailServer(context: TestContext, refuses = false) {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const sender = mailFrom ? mailFrom.address : '';
        const data = Buffer.concat(chunks).toString();
        if (!refuses) received.push({ from: sender, to: rcptTo.map(({ address }) => address), data });
        done(refuses ? new Error('mailbox full') : null);
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, received };
}

suite('with a mail server', () => {
  test('mail reaches exactly the one addressee, whatever their name says', async (context) => {
    const server = await mailServer(context);
    const mailer = createMailer({ smtpUrl: server.url, mailFrom: from, dataDir: '/nowhere' });
    context.after(() => mailer.close());
    await mailer.send(mail);
    assert.equal(server.received.length, 1);
    const [got] = server.received;
    assert.deepEqual([got!.from, got!.to], ['no-reply@godwit.example', ['zoe@example.com']]);
    assert.match(got!.data, /^Subject: =\?UTF-8\?/m);
    assert.match(got!.data, /^Content-Type: text\/plain/m);
    assert.match(got!.data, /^Content-Type: text\/html/m);
  });

  test('a refusal is an error, so that the job tries again', async (context) => {
    const server = await mailServer(context, true);
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

  test('an outbox that does not exist is an empty one', async (context) => {
    assert.deepEqual(await readOutbox(outboxFolder(await folder(context))), []);
  });
});

suite('header injection', () => {
  const hostile = ['a\r\nBcc: b@example.com', 'a\nX: y', 'a\0b', 'a\u2028b', 'a\rb'];
  for (const kind of ['SMTP', 'outbox']) {
    test(`is refused before anything leaves by ${kind}`, async (context) => {
      const server = await mailServer(context);
      const dataDir = await folder(context);
      const mailer = createMailer({ smtpUrl: kind === 'SMTP' ? server.url : null, mailFrom: from, dataDir });
      context.after(() => mailer.close());
      for (const text of hostile) {
        await assert.rejects(mailer.send({ ...mail, subject: text }));
        await assert.rejects(mailer.send({ ...mail, to: { name: text, address: 'a@example.com' } }));
        await assert.rejects(mailer.send({ ...mail, to: { name: '', address: `${text}@example.com` } }));
      }
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
