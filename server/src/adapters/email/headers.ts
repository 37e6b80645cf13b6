// What stands in the headers of a mail is checked once more where it leaves: a line break there would start a header
// of somebody else's choosing.
import type { Mail } from '../../modules/mails/index.ts';

const isPlain = (text: string) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
const addressForm = /^[^\s<>"@,;:]+@[^\s<>"@,;:]+$/;

export function refuseInjection({ to, subject }: Mail): void {
  if (!isPlain(to.name) || !isPlain(subject))
    throw new Error('a mail header must not hold control characters');
  if (!isPlain(to.address) || !addressForm.test(to.address)) {
    throw new Error('a mail goes to exactly one plain address');
  }
}

export type Sender = { name: string; address: string };

/** "Godwit <no-reply@example.com>" or the address alone, as MAIL_FROM gives it. */
export function parseSender(text: string): Sender {
  const parts = /^(?:"?([^"<>]*?)"?\s*<([^<>]+)>|([^<>\s]+))$/.exec(text);
  const sender = { name: parts?.[1] ?? '', address: parts?.[2] ?? parts?.[3] ?? '' };
  refuseInjection({ to: sender, subject: '', text: '', html: '' });
  return sender;
}
