// A ticket goes out with every form and comes back with it: signed, for one link, good from 2 seconds after it was made, since
// nobody reads and fills in a form faster, until 24 hours after. What was accepted with it is accepted once.
import { createHmac, createSecretKey } from 'node:crypto';
import { equalHashes, sha256 } from '../../../platform/hashing.ts';
import type { PageLanguage } from '../../../platform/http/operations/html-answer.ts';
import { randomHex } from '../../../platform/ids.ts';
import { oncePer } from '../../../platform/once-per.ts';
import type { Sealer } from '../../../platform/sealing.ts';

const languages: PageLanguage[] = ['en', 'fr'];

const earliestMs = 2_000;
const latestMs = 24 * 3_600_000;

// In order: when it was made (6 bytes), the language of the form (1), chance (9), signature (16).
const languageAt = 6;
const chanceAt = 7;
const signatureAt = 16;
const length = 32;

type Means = { sealer: Sealer; now: Date };

/** `good` tickets have a hash, by which their use is remembered, and the language of the form they went out with. */
export type Ticket = { state: 'good'; hash: Buffer; language: PageLanguage } | { state: 'early' | 'stale' };

export function newTicket({ sealer, now }: Means, linkSid: string, language: PageLanguage): string {
  const ticket = Buffer.alloc(length);
  ticket.writeUIntBE(now.getTime(), 0, languageAt);
  ticket[languageAt] = languages.indexOf(language);
  ticket.write(randomHex(16), chanceAt, signatureAt - chanceAt, 'hex');
  sign(sealer, linkSid, ticket).copy(ticket, signatureAt);
  return ticket.toString('base64url');
}

export function readTicket({ sealer, now }: Means, linkSid: string, text: string): Ticket {
  const ticket = Buffer.from(text.slice(0, 64), 'base64url');
  if (ticket.length !== length || !equalHashes(sign(sealer, linkSid, ticket), ticket.subarray(signatureAt)))
    return { state: 'stale' };
  const ageMs = now.getTime() - ticket.readUIntBE(0, languageAt);
  if (ageMs > latestMs || ageMs < 0) return { state: 'stale' };
  if (ageMs < earliestMs) return { state: 'early' };
  return { state: 'good', hash: sha256(ticket), language: languages[ticket[languageAt]!] ?? 'en' };
}

// Deriving the key takes longer than signing, and every page that is shown has a ticket.
const keyOf = oncePer((sealer: Sealer) => createSecretKey(sealer.derive('opt-in-ticket')));

function sign(sealer: Sealer, linkSid: string, ticket: Buffer): Buffer {
  const key = keyOf(sealer);
  const signed = createHmac('sha256', key).update(linkSid).update(ticket.subarray(0, signatureAt)).digest();
  return signed.subarray(0, length - signatureAt);
}
