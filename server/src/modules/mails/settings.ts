// How mail leaves the service.
import { url, type Variable } from '../../platform/config.ts';

export const mailVariables = {
  smtpUrl: {
    name: 'SMTP_URL',
    fallback: '',
    means:
      'Mail server, such as smtps://user:password@mail.example.com; without it, mail is laid into DATA_DIR/outbox ("godwit outbox" shows it)',
    read: url(['smtps', 'smtp']),
  },
  mailFrom: {
    name: 'MAIL_FROM',
    fallback: 'Godwit <godwit@localhost>',
    means: 'Sender of mail: an address, or a name and an address in angle brackets',
    read: (text) => {
      if (!/^(?:[^"<>@\r\n]*<[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/.test(text)) {
        throw new Error('must be an address such as Godwit <no-reply@example.com>');
      }
      return text;
    },
  },
} satisfies Record<string, Variable<unknown>>;
