// Mail through the operator's mail server.
import type { Transporter } from 'nodemailer';
import type { Mailer } from '../../modules/mails/index.ts';
import { refuseInjection, type Sender } from './headers.ts';

// The job that sends is tried again, so a server that does not answer is given up soon.
const patienceMs = 15_000;

export function smtpMailer(url: string, from: Sender): Mailer {
  const timeouts = { connectionTimeout: patienceMs, greetingTimeout: patienceMs, socketTimeout: patienceMs };
  // Loaded with the first mail: the start of the service should not wait for it.
  let opened: Promise<Transporter> | null = null;
  const open = async () => (await import('nodemailer')).createTransport({ url, ...timeouts });
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
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    },
    async close() {
      (await opened)?.close();
    },
  };
}
