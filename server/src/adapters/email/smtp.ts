// Mail through the operator's mail server, signed by DKIM where the operator gave a key.
import type { Transporter } from 'nodemailer';
import type { Mailer } from '../../modules/mails/index.ts';
import { extraHeaders, refuseInjection, type Sender } from './headers.ts';

// The job that sends is tried again, so a server that does not answer is given up soon.
const patienceMs = 15_000;

export type Dkim = { domainName: string; keySelector: string; privateKey: string };

// One-click unsubscribing counts only where its headers are signed (RFC 8058), and by default one of them is not.
const signedHeaders = [
  'From',
  'To',
  'Subject',
  'Date',
  'Message-ID',
  'MIME-Version',
  'Content-Type',
  'Auto-Submitted',
  'List-Id',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
].join(':');

export function smtpMailer(url: string, from: Sender, dkim: Dkim | null): Mailer {
  const timeouts = { connectionTimeout: patienceMs, greetingTimeout: patienceMs, socketTimeout: patienceMs };
  const signing = dkim ? { dkim: { ...dkim, headerFieldNames: signedHeaders } } : {};
  // Loaded with the first mail: the start of the service should not wait for it.
  let opened: Promise<Transporter> | null = null;
  const open = async () => (await import('nodemailer')).createTransport({ url, ...timeouts, ...signing });
  return {
    async send(mail) {
      refuseInjection(mail);
      // Given as objects, so that nothing in a name can be read as a second address; and no field may name a file or URL.
      const { to, subject, text, html } = mail;
      opened ??= open();
      const transport = await opened;
      await transport.sendMail({
        from,
        to,
        subject,
        text,
        html,
        // As they are: folded or encoded, a mail program would not find the address in them.
        headers: Object.entries(extraHeaders(mail, from)).map(([key, value]) => ({
          key,
          value: { prepared: true, value },
        })),
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    },
    async close() {
      (await opened)?.close();
    },
  };
}
