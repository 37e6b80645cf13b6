// What stands in the headers of a mail is checked once more where it leaves: a line break there would start a header
// of somebody else's choosing.
import type { Mail } from '../../modules/mails/index.ts';

const isPlain = (text: string) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
const addressForm = /^[^\s<>"@,;:]+@[^\s<>"@,;:]+$/;
const idForm = /^[A-Za-z0-9_-]{1,64}$/;
const listIdForm = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
// Nothing that could end the angle brackets it stands in, or begin a second address.
const urlForm = /^https?:\/\/[A-Za-z0-9._~:/?#[\]@!$&'()*+;=%-]+$/;

export function refuseInjection({ to, subject, id, list }: Mail): void {
  if (!isPlain(to.name) || !isPlain(subject))
    throw new Error('a mail header must not hold control characters');
  if (!isPlain(to.address) || !addressForm.test(to.address)) {
    throw new Error('a mail goes to exactly one plain address');
  }
  if (id !== undefined && !idForm.test(id)) throw new Error('a mail is named by letters, digits, _ and -');
  if (list && !listIdForm.test(list.id)) throw new Error('a list is named by words joined by dots');
  if (list && !urlForm.test(list.unsubscribeUrl)) throw new Error('unsubscribing takes exactly one URL');
}

/**
 * The headers beside sender, addressee and subject. Every mail of ours is written by a machine, which keeps out-of-office
 * replies away (RFC 3834).
 */
export function extraHeaders({ id, list }: Mail, from: Sender): Record<string, string> {
  const domain = domainOf(from);
  return {
    ...(id !== undefined && { 'Message-ID': `<${id}@${domain}>` }),
    'Auto-Submitted': 'auto-generated',
    ...(list && {
      'List-Id': `<${list.id}.${domain}>`,
      'List-Unsubscribe': `<${list.unsubscribeUrl}>`,
      // One click is promised for https only (RFC 8058); a service on somebody's desk has none.
      ...(list.unsubscribeUrl.startsWith('https:') && {
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    }),
  };
}

export type Sender = { name: string; address: string };

const domainOf = ({ address }: Sender) => address.slice(address.lastIndexOf('@') + 1);

/** "Godwit <no-reply@example.com>" or the address alone, as MAIL_FROM gives it. */
export function parseSender(text: string): Sender {
  const parts = /^(?:"?([^"<>]*?)"?\s*<([^<>]+)>|([^<>\s]+))$/.exec(text);
  const sender = { name: parts?.[1] ?? '', address: parts?.[2] ?? parts?.[3] ?? '' };
  refuseInjection({ to: sender, subject: '', text: '', html: '' });
  return sender;
}
