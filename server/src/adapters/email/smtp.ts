// Mail through the operator's mail server, signed by DKIM where the operator gave a key.
import type { Transporter } from 'nodemailer';
import { AddresseeRefused, type Mailer } from '../../modules/mails/index.ts';
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

/** RFC 3463: 5.1.x is about the address of the addressee. Other refusals may be the operator's to mend. */
function isUnknownAddressee({ command, response }: { command?: string; response?: string }): boolean {
  return command === 'RCPT TO' && /^5\d\d[ -]5\.1\.(1|2|3|6|10)\b/.test(response ?? '');
}

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
      const sending = transport.sendMail({
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
      await sending.catch((error) => {
        throw isUnknownAddressee(error) ? new AddresseeRefused('no such mailbox', { cause: error }) : error;
      });
    },
    async close() {
      (await opened)?.close();
    },
  };
}
