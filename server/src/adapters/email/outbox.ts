// Without a mail server, mail is laid into a folder the operator can read: one file a mail, in words a person can read
// and a mail program can open.
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mail, Mailer } from '../../modules/mails/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { randomBase32 } from '../../platform/ids.ts';
import { extraHeaders, refuseInjection, type Sender } from './headers.ts';

export const outboxFolder = (dataDir: string): string => join(dataDir, 'outbox');

export function outboxMailer(folder: string, from: Sender, clock: Clock): Mailer {
  return {
    async send(mail) {
      refuseInjection(mail);
      const now = clock.now();
      const name = `${now.toISOString().replaceAll(/[:.]/g, '-')}-${randomBase32(5)}`;
      // The mails hold links that sign people in, so only the owner of the folder reads them.
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(join(folder, `.${name}`), asFile(mail, from, now), { mode: 0o600 });
      await rename(join(folder, `.${name}`), join(folder, `${name}.eml`));
    },
    async close() {},
  };
}

const written = ({ name, address }: Sender) =>
  name ? `"${name.replaceAll(/["\\]/g, '')}" <${address}>` : address;

function asFile(mail: Mail, from: Sender, now: Date): string {
  const { to, subject, text, html } = mail;
  const boundary = `=_${randomBase32(15)}`;
  const part = (type: string, content: string) =>
    `--${boundary}\nContent-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n${content}\n`;
  return [
    `From: ${written(from)}`,
    `To: ${written(to)}`,
    `Subject: ${subject}`,
    `Date: ${now.toUTCString().replace('GMT', '+0000')}`,
    ...Object.entries(extraHeaders(mail, from)).map(([name, value]) => `${name}: ${value}`),
    'MIME-Version: 1.0',
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    '',
    `${part('text/plain', text)}${part('text/html', html)}--${boundary}--\n`,
  ].join('\n');
}

export type OutboxMail = { name: string; to: string; subject: string; date: string; text: string };

/** The mails in the folder, oldest first. */
export async function readOutbox(folder: string): Promise<OutboxMail[]> {
  const names = await readdir(folder).catch(() => []);
  const mails = names.filter((name) => name.endsWith('.eml') && !name.startsWith('.')).sort();
  return Promise.all(mails.map(async (name) => readMail(name, await readFile(join(folder, name), 'utf8'))));
}

function readMail(name: string, file: string): OutboxMail {
  const header = (field: string) => new RegExp(`^${field}: (.*)$`, 'm').exec(file)?.[1] ?? '';
  const boundary = /boundary="([^"]+)"/.exec(file)?.[1] ?? '';
  const text = file.split(`--${boundary}\n`)[1]?.split('\n\n').slice(1).join('\n\n') ?? '';
  return { name, to: header('To'), subject: header('Subject'), date: header('Date'), text };
}
