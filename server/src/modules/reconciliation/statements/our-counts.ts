// Our count of a period, in the places of the provider's. Messages are read a stretch at a time and forgotten, so that a million of
// them take no more room than a thousand; what is kept is a number for each place.
import type { TenantTx } from '../../../platform/db/database.ts';
import { firstSid } from '../../../platform/ids.ts';
import { marketOf } from '../../billing/index.ts';
import { type BilledMessage, stretchOfMessages } from '../../messages/index.ts';
import type { PlacePassedOn } from './compare-costs.ts';
import type { Place, PlaceCount } from './compare-counts.ts';
import { type Delivered, passedOnFor } from './passed-on.ts';

const dayMs = 86_400_000;
/** A message is delivered at most this long after it was accepted: the provider gives up before. */
const longestWayMs = 31 * dayMs;
const stretchLength = 5_000;
/** So many messages of a place are named that may be meant. */
const mostNamed = 100;

export type OurCounts = {
  ours: PlaceCount[];
  /** What accounts paid for the provider's bill, where the operator pays it. */
  passedOn: PlacePassedOn[];
  uncharged: (Omit<PlaceCount, 'type'> & { sids: string[] })[];
};

type Asked = {
  from: Date;
  to: Date;
  /** The digits of each sender of the business account. */
  numbers: ReadonlyMap<string, string>;
};

export async function countOurs(
  read: <T>(work: (t: TenantTx) => Promise<T>) => Promise<T>,
  { from, to, numbers }: Asked,
): Promise<OurCounts> {
  const ours = new Map<string, PlaceCount>();
  const passedOn = new Map<string, PlacePassedOn>();
  const uncharged = new Map<string, OurCounts['uncharged'][number]>();
  const isWithin = (day: string) => Date.parse(day) >= from.getTime() && Date.parse(day) < to.getTime();
  const before = firstSid('SM', to);
  let after: string | null = firstSid('SM', new Date(from.getTime() - longestWayMs));
  while (after !== null) {
    const { messages, until }: Awaited<ReturnType<typeof stretchOfMessages>> = await read((t) =>
      stretchOfMessages(t, { after: after!, before, length: stretchLength }),
    );
    const delivered: Delivered[] = [];
    for (const message of messages) {
      const phoneNumber = numbers.get(message.senderSid);
      if (phoneNumber === undefined || message.type === 'reaction') continue;
      const place = placeOf(message, phoneNumber);
      if (!isWithin(place.day)) continue;
      if (message.delivered) delivered.push({ place, message });
      else if (message.handedOver) addUncharged(uncharged, place, message.sid);
    }
    for (const { place } of delivered) add(ours, place);
    for (const paid of await passedOnFor(read, delivered)) addPassedOn(passedOn, paid);
    after = until;
  }
  return { ours: [...ours.values()], passedOn: [...passedOn.values()], uncharged: [...uncharged.values()] };
}

function placeOf(message: BilledMessage, phoneNumber: string): Place {
  const { identifierType, address, arrivedAt, sentAt, createdAt, reported, category, pricingType } = message;
  return {
    phoneNumber,
    day: (arrivedAt ?? sentAt ?? createdAt).slice(0, 10),
    country: marketOf({ identifierType, value: address }),
    category: reported?.[1].toLowerCase() ?? category ?? '',
    type: (reported?.[0] ?? pricingType ?? 'regular').toLowerCase(),
  };
}

const keyOf = ({ phoneNumber, day, country, category, type }: Place) =>
  [phoneNumber, day, country, category, type].join(' ');

function add(counts: Map<string, PlaceCount>, place: Place): void {
  const known = counts.get(keyOf(place));
  if (known) known.volume += 1;
  else counts.set(keyOf(place), { ...place, volume: 1 });
}

function addUncharged(counts: Map<string, OurCounts['uncharged'][number]>, place: Place, sid: string): void {
  const { type: _, ...rest } = place;
  const key = Object.values(rest).join(' ');
  const known = counts.get(key) ?? { ...rest, volume: 0, sids: [] };
  known.volume += 1;
  if (known.sids.length < mostNamed) known.sids.push(sid);
  counts.set(key, known);
}

function addPassedOn(places: Map<string, PlacePassedOn>, paid: PlacePassedOn): void {
  const known = places.get(keyOf(paid));
  if (!known) places.set(keyOf(paid), { ...paid });
  else {
    known.volume += paid.volume;
    known.minor += paid.minor;
    known.comparable &&= paid.comparable && known.currency === paid.currency;
  }
}
