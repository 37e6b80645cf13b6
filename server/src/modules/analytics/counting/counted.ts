// What is counted of a message, and where: pure, so that counting anew and counting changes cannot differ.
import { dayMs, dayOf } from '../../../platform/clock.ts';
import { sidTime } from '../../../platform/ids.ts';
import { marketOf } from '../../billing/index.ts';
import type { CountableMessage } from '../../messages/index.ts';

/** As it stands in the table: what does not apply is an empty text. */
export type Counted = {
  sid: string;
  direction: string;
  senderSid: string;
  template: string;
  category: string;
  country: string;
  campaignSid: string;
  currency: string;
  scale: number;
  status: string;
  code: string;
  chargedMinor: string;
  expectedMinor: string;
};

/** What is said of a message for good when it is first counted; its address, from which the country follows, may be erased later. */
export function countedOf(message: CountableMessage, before: Counted | null): Counted {
  const { sid, status, code, chargedMinor, expectedMinor } = message;
  const standing = { status, code: code ?? '', chargedMinor, expectedMinor };
  if (before) return { ...before, ...standing };
  return {
    ...standing,
    sid,
    direction: message.direction,
    senderSid: message.senderSid,
    template: message.template ?? '',
    category: message.category ?? '',
    country: marketOf({ identifierType: message.identifierType, value: message.address }),
    campaignSid: message.campaignSid ?? '',
    currency: message.currency ?? '',
    scale: message.scale ?? 0,
  };
}

/** A message that stands elsewhere than where it was counted; null for one that was not. */
export type Change = { before: Counted | null; after: Counted };

export const isChange = ({ before, after }: Change): boolean =>
  !before ||
  before.status !== after.status ||
  before.code !== after.code ||
  before.chargedMinor !== after.chargedMinor ||
  before.expectedMinor !== after.expectedMinor;

const commonCell = ({ direction, senderSid, category, country, campaignSid, ...rest }: Counted) => ({
  direction,
  senderSid,
  category,
  country,
  campaignSid,
  status: rest.status,
  currency: rest.currency,
  scale: rest.scale,
});

/** Where it is counted among the days: that of its acceptance, which is when it got its name. */
export const dayCell = (counted: Counted) => ({
  day: dayOf(sidTime(counted.sid)),
  ...commonCell(counted),
});

const hourMs = 3_600_000;

/** The same among the hours. */
export const hourCell = (counted: Counted) => ({
  hour: new Date(Math.floor(sidTime(counted.sid).getTime() / hourMs) * hourMs).toISOString(),
  ...commonCell(counted),
  template: counted.template,
  code: counted.code,
});

/** How many days before today can be asked for in detail. */
export const detailDays = 7;

/** Detail is kept a little longer than it can be asked for, so that nobody sees it go. */
export const detailSince = (now: Date): Date => new Date(Date.parse(dayOf(now)) - (detailDays + 1) * dayMs);

type Sums = { messages: number; chargedMinor: bigint; expectedMinor: bigint };

/** What the changes add to each place, and take from it. Places where that comes to nothing are missing. */
export function sumChanges<Cell extends object>(
  changes: readonly Change[],
  cellOf: (counted: Counted) => Cell,
) {
  const sums = new Map<string, Cell & Sums>();
  const add = (counted: Counted, sign: 1 | -1) => {
    const cell = cellOf(counted);
    const key = JSON.stringify(cell);
    const sum = sums.get(key) ?? { ...cell, messages: 0, chargedMinor: 0n, expectedMinor: 0n };
    sum.messages += sign;
    sum.chargedMinor += BigInt(sign) * BigInt(counted.chargedMinor);
    sum.expectedMinor += BigInt(sign) * BigInt(counted.expectedMinor);
    sums.set(key, sum);
  };
  for (const { before, after } of changes) {
    if (before) add(before, -1);
    add(after, 1);
  }
  return [...sums.values()]
    .filter((sum) => sum.messages !== 0 || sum.chargedMinor !== 0n || sum.expectedMinor !== 0n)
    .map((sum) => ({ ...sum, chargedMinor: `${sum.chargedMinor}`, expectedMinor: `${sum.expectedMinor}` }));
}
