// How mail leaves the service.
import { createPrivateKey } from 'node:crypto';
import { url, type Variable } from '../../platform/config.ts';

function hostName(text: string): string | null {
  if (text === '') return null;
  if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(text) || text.length > 253)
    throw new Error('must be a name such as example.com');
  return text;
}

/** RFC 8301: shorter keys are not believed. */
const leastKeyBits = 1_024;

function rsaKey(text: string): string | null {
  if (text === '') return null;
  const pem = text.replaceAll('\\n', '\n');
  const bits = rsaBits(pem);
  if (bits < leastKeyBits) throw new Error(`must be an RSA key in PEM, of ${leastKeyBits} bits or more`);
  return pem;
}

function rsaBits(pem: string): number {
  try {
    return createPrivateKey(pem).asymmetricKeyDetails?.modulusLength ?? 0;
  } catch {
    return 0; // no key at all; the reason could repeat parts of it
  }
}

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
  dkimDomain: {
    name: 'DKIM_DOMAIN',
    fallback: '',
    means:
      'Signs mail for this domain (DKIM), which should be that of MAIL_FROM; takes DKIM_SELECTOR and DKIM_PRIVATE_KEY as well',
    read: hostName,
  },
  dkimSelector: {
    name: 'DKIM_SELECTOR',
    fallback: '',
    means: 'Where the public key is found: the TXT record of SELECTOR._domainkey.DOMAIN',
    read: hostName,
  },
  dkimPrivateKey: {
    name: 'DKIM_PRIVATE_KEY',
    fallback: '',
    means: 'The RSA key that signs, in PEM; \\n may stand for its line breaks',
    read: rsaKey,
  },
} satisfies Record<string, Variable<unknown>>;
