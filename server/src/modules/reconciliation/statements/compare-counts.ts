// The provider's count of a period against ours: which differences are left, and what each of them is. Nothing else decides that.
//
// A place is a number, a day in UTC, a country, a category and a type. The provider's figures are approximate, so what cancels out is
// no difference: a message it put on the day before or after, in the same category and type, costs the same. One it put into another
// category or type, on the same day or next to it, was priced otherwise: that is a mismatch of the amount. Of what then is left,
// more on the provider's side are deliveries we were not told of, as far as messages of that place were handed over and never
// charged, and charges nobody expected beyond that; more on ours are messages the provider does not know. What is free on the one side
// and missing on the other is no money, and no case.
import type { Outcome } from '../cases/schema.ts';

export type Place = {
  /** Digits. */
  phoneNumber: string;
  day: string;
  country: string;
  category: string;
  type: string;
};
export type PlaceCount = Place & { volume: number };

export type CountDifference = {
  outcome: Outcome;
  place: Place;
  messages: number;
  /** Where we had put messages that the provider counts in another category or type. */
  countedHereAs: Place | null;
};

/** All a provider calls by this type costs nothing, and it writes a category of its own for it. */
const freeEntry = 'free_entry_point';
const isCharged = ({ type }: Place) => type === 'regular';

type Cell = { place: Place; left: number };

const keyOf = ({ phoneNumber, day, country, category, type }: Place) =>
  [phoneNumber, country, day, category, type].join(' ');

/** The same words on both sides. */
export function usualPlace(place: Place): Place {
  const { phoneNumber, day, country } = place;
  const type = place.type === 'free_group_customer_service' ? 'free_customer_service' : place.type;
  const word = place.category.replaceAll('-', '_');
  const category = type === freeEntry ? freeEntry : word === 'marketing_lite' ? 'marketing' : word;
  return { phoneNumber, day, country, category, type };
}

export type Counts = {
  ours: readonly PlaceCount[];
  theirs: readonly PlaceCount[];
  /** Messages that were handed over and never charged; of a type nobody knows. */
  uncharged: readonly Omit<PlaceCount, 'type'>[];
};

export function compareCounts({ ours, theirs, uncharged }: Counts): CountDifference[] {
  const cells = cellsOf(ours, theirs);
  const found: CountDifference[] = [];
  for (const group of Map.groupBy(cells, ({ place }) => `${place.phoneNumber} ${place.country}`).values()) {
    net(
      group,
      (more, less) => isAlike(more, less) && isNextDay(more, less),
      () => {},
    );
    net(
      group,
      (more, less) => !isAlike(more, less) && (more.day === less.day || isNextDay(more, less)),
      (more, less, messages) =>
        found.push({ outcome: 'amount_mismatch', place: more, messages, countedHereAs: less }),
    );
  }
  const handedOver = sums(uncharged.map((count) => ({ ...count, type: '' })));
  for (const { place, left } of cells) found.push(...remaining(place, left, handedOver));
  return found;
}

/** What is on the provider's side beyond ours, above zero, or on ours beyond theirs, below; in one order, whatever order they came in. */
function cellsOf(ours: readonly PlaceCount[], theirs: readonly PlaceCount[]): Cell[] {
  const cells = new Map<string, Cell>();
  const add = (count: PlaceCount, sign: 1 | -1) => {
    const place = usualPlace(count);
    const key = keyOf(place);
    const cell = cells.get(key) ?? { place, left: 0 };
    cell.left += sign * count.volume;
    cells.set(key, cell);
  };
  for (const count of theirs) add(count, 1);
  for (const count of ours) add(count, -1);
  return [...cells].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, cell]) => cell);
}

/** Takes away what stands on one side in one place and on the other side in another. The same day goes before its neighbours. */
function net(
  cells: Cell[],
  fits: (more: Place, less: Place) => boolean,
  tell: (more: Place, less: Place, messages: number) => void,
): void {
  for (const more of cells.filter(({ left }) => left > 0)) {
    const others = cells.filter((less) => less.left < 0 && fits(more.place, less.place));
    const near = (less: Cell) => (less.place.day === more.place.day ? 0 : 1);
    for (const less of others.sort((a, b) => near(a) - near(b))) {
      const messages = Math.min(more.left, -less.left);
      if (messages === 0) continue;
      more.left -= messages;
      less.left += messages;
      tell(more.place, less.place, messages);
    }
  }
}

const isAlike = (a: Place, b: Place) => a.category === b.category && a.type === b.type;
const dayMs = 86_400_000;
const isNextDay = (a: Place, b: Place) => Math.abs(Date.parse(a.day) - Date.parse(b.day)) === dayMs;

function sums(counts: readonly PlaceCount[]): Map<string, number> {
  const total = new Map<string, number>();
  for (const count of counts) {
    const key = keyOf(usualPlace(count));
    total.set(key, (total.get(key) ?? 0) + count.volume);
  }
  return total;
}

function remaining(place: Place, left: number, handedOver: Map<string, number>): CountDifference[] {
  const difference = (outcome: Outcome, messages: number): CountDifference[] =>
    messages > 0 ? [{ outcome, place, messages, countedHereAs: null }] : [];
  if (left <= 0) return isCharged(place) ? difference('missing_provider_status', -left) : [];
  const key = keyOf({ ...place, type: '' });
  const known = handedOver.get(key) ?? 0;
  const untold = Math.min(left, known);
  handedOver.set(key, known - untold);
  return [
    ...difference('missing_platform_event', untold),
    ...(isCharged(place) ? difference('unexpected_provider_charge', left - untold) : []),
  ];
}
