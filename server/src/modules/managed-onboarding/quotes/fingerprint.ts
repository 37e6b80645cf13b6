// The fingerprint of a quote: SHA-256, in hex, of its canonical JSON (RFC 8785). It has no time in it: the same offer has the same
// fingerprint, and whoever was given the parts can work it out. The recipe stands in docs/managed-onboarding.md.
import { canonicalJson, sha256Hex } from '../../../platform/hashing.ts';

export const lineKinds = ['SETUP', 'NUMBER', 'PORTING', 'NUMBER_RENT'] as const;
export type QuoteLine = {
  kind: (typeof lineKinds)[number];
  recurrence: 'ONCE' | 'MONTHLY';
  amountMinor: string;
  scale: number;
};

/** Exactly what is hashed. */
export type QuoteContent = {
  accountSid: string;
  environment: 'live' | 'sandbox';
  applicationSid: string | null;
  numberSource: 'PORT' | 'PURCHASE';
  lines: QuoteLine[];
  currency: string;
  termsVersion: string;
  termsHash: string;
};

export const textOf = (content: QuoteContent): string => canonicalJson(content);
export const fingerprintOf = (content: QuoteContent): string => sha256Hex(textOf(content));

/** What is due when the application is approved: everything once, and the first month. */
export const dueMinor = ({ lines }: QuoteContent): bigint =>
  lines.reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n);

/** What each further month costs. */
export const rentMinor = ({ lines }: QuoteContent): bigint =>
  lines
    .filter(({ recurrence }) => recurrence === 'MONTHLY')
    .reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n);
