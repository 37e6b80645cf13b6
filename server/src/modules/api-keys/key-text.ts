// The text of a key: gw_live_<lookup>_<secret> or gw_test_…. The prefix tells people and secret scanners what it is,
// the lookup part finds the row, and the secret part proves possession.

import { sha256 } from '../../platform/hashing.ts';
import { randomBase32 } from '../../platform/ids.ts';

export type KeyParts = { livemode: boolean; lookup: string; secret: string };

const form = /^gw_(live|test)_([0-9a-z]{16})_([0-9a-z]{52})$/;

export function newKeyParts(livemode: boolean): KeyParts {
  return { livemode, lookup: randomBase32(10), secret: randomBase32(32) };
}

export function keyText({ livemode, lookup, secret }: KeyParts): string {
  return `${publicPart(livemode, lookup)}_${secret}`;
}

/** The part that may be shown and that signed requests name in X-Service-Key. */
export function publicPart(livemode: boolean, lookup: string): string {
  return `gw_${livemode ? 'live' : 'test'}_${lookup}`;
}

export function parseKeyText(text: string): KeyParts | null {
  const parts = form.exec(text);
  return parts && { livemode: parts[1] === 'live', lookup: parts[2]!, secret: parts[3]! };
}

export function parsePublicPart(text: string): { livemode: boolean; lookup: string } | null {
  const parts = /^gw_(live|test)_([0-9a-z]{16})$/.exec(text);
  return parts && { livemode: parts[1] === 'live', lookup: parts[2]! };
}

export const hashSecret = (secret: string): Buffer => sha256(secret);
