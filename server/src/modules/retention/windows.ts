// How long, and until when: no database is asked here.
import { sha256 } from '../../platform/hashing.ts';
import type { Windows } from './schema.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** A shorter window counts a day later, so that it can be taken back. */
export const graceMs = dayMs;

const names = ['messageContentDays', 'messageMetadataMonths', 'analyticsMonths'] as const;

export const keptForEver: Windows = {
  messageContentDays: null,
  messageMetadataMonths: null,
  analyticsMonths: null,
};

const each = (of: (name: keyof Windows) => number | null): Windows =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Windows;

const isShorter = (one: number | null, than: number | null) => one !== null && (than === null || one < than);

/** Whether something is removed earlier than it would have been. */
export const shortens = (next: Windows, inForce: Windows) =>
  names.some((name) => isShorter(next[name], inForce[name]));

/** What counts while a change waits: of each window the longer one. A longer one counts at once. */
export const longerOf = (next: Windows, inForce: Windows) =>
  each((name) => (isShorter(next[name], inForce[name]) ? inForce[name] : next[name]));

export const isSame = (one: Windows, other: Windows) => names.every((name) => one[name] === other[name]);
export const removesNothing = (windows: Windows) => isSame(windows, keptForEver);

/** What came to be before these goes; null where nothing does. Content is not kept longer than the message it stands in. */
export type Cutoffs = { messageContent: Date | null; messageMetadata: Date | null; analytics: Date | null };

/** Whole days in UTC, and months of the calendar: a day that a month does not have is its last. */
export function cutoffsAt(now: Date, windows: Windows): Cutoffs {
  const { messageContentDays, messageMetadataMonths, analyticsMonths } = windows;
  const messageMetadata = messageMetadataMonths === null ? null : monthsBefore(now, messageMetadataMonths);
  const content = messageContentDays === null ? null : midnight(now.getTime() - messageContentDays * dayMs);
  return {
    messageContent: latest(content, messageMetadata),
    messageMetadata,
    analytics: analyticsMonths === null ? null : monthsBefore(now, analyticsMonths),
  };
}

const latest = (one: Date | null, other: Date | null) =>
  one === null ? other : other === null || one > other ? one : other;

const midnight = (ms: number) => new Date(Math.floor(ms / dayMs) * dayMs);

function monthsBefore(now: Date, months: number): Date {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth() - months, now.getUTCDate()];
  const lastOfMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month, Math.min(day, lastOfMonth)));
}

/** The next time at the hour that is the account's: not all of them run at once. */
export function nextSlot(
  { accountSid, livemode }: { accountSid: string; livemode: boolean },
  from: Date,
): Date {
  const hour = sha256(`retention\n${accountSid}\n${livemode}`).readUInt32BE(0) % 24;
  const today = midnight(from.getTime()).getTime() + hour * 60 * 60 * 1000;
  return new Date(today >= from.getTime() ? today : today + dayMs);
}
