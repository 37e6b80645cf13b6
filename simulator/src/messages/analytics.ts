// What was delivered and how it was priced, counted as `pricing_analytics` of an account tells it: by half hour, number, country,
// category and type. The counts outlive the records of the messages, and are forgotten with the process.
import type { CountedAs } from '../behaviour.ts';
import { GraphError } from '../errors.ts';
import { countryOf, dayMs } from '../numbers/people.ts';
import type { AcceptedMessage } from '../record.ts';
import type { Timeline } from '../timeline.ts';
import type { Waba, World } from '../world.ts';
import { costOf, roundCost } from './costs.ts';
import type { Pricing } from './pricing.ts';

type Count = {
  wabaId: string;
  startMs: number;
  phone_number: string;
  country: string;
  pricing_category: string;
  pricing_type: string;
  /** What the account is billed in, and whether the partner's credit line pays. */
  currency: string;
  byPartner: boolean;
  volume: number;
  cost: number;
};

const halfHourMs = 30 * 60_000;
// The oldest give way: far more than a test or a day of load makes.
const mostCounts = 200_000;

export type Analytics = ReturnType<typeof createAnalytics>;
type Counting = { analytics: Analytics; timeline: Timeline; world: World };

export function createAnalytics() {
  const counts = new Map<string, Count>();
  return {
    add(count: Count): void {
      const { volume, cost, ...place } = count;
      const key = Object.values(place).join(' ');
      const known = counts.get(key);
      if (known) {
        known.volume += volume;
        known.cost = roundCost(known.cost + cost);
      } else counts.set(key, { ...count });
      if (counts.size > mostCounts) counts.delete(counts.keys().next().value!);
    },
    of: (wabaId: string) => [...counts.values()].filter((count) => count.wabaId === wabaId),
    /** What the partner's credit line pays for, of whichever account. */
    ofPartner: () => [...counts.values()].filter(({ byPartner }) => byPartner),
    forget: () => counts.clear(),
  };
}

/** Counts a message on the first sign that it arrived. */
export function countDelivered(
  { analytics, timeline, world }: Counting,
  message: AcceptedMessage,
  pricing: Pricing,
  { volume = 1, category = pricing.category, type = pricing.type, cost }: CountedAs = {},
): void {
  const number = world.numbers.get(message.phoneNumberId);
  const waba = world.wabas.get(message.wabaId);
  if (!number || !waba || volume === 0) return;
  const nowMs = timeline.nowMs();
  const country = countryOf(message.waId);
  const { currency } = waba;
  analytics.add({
    wabaId: message.wabaId,
    startMs: nowMs - (nowMs % halfHourMs),
    phone_number: number.number,
    country,
    pricing_category: category.toUpperCase(),
    pricing_type: type.toUpperCase(),
    currency,
    byPartner: waba.primaryFundingId !== null,
    volume,
    cost: roundCost(volume * (cost ?? costOf({ country, category, type, currency }))),
  });
}

const dimensionNames = {
  PRICING_CATEGORY: 'pricing_category',
  PRICING_TYPE: 'pricing_type',
  COUNTRY: 'country',
  PHONE: 'phone_number',
  TIER: 'tier',
} as const;
type Dimension = keyof typeof dimensionNames;
const granularities = ['HALF_HOUR', 'DAILY', 'MONTHLY'];

type Asked = { startMs: number; endMs: number; granularity: string; dimensions: Dimension[] };

/** `pricing_analytics.start(1).end(2).granularity(DAILY).dimensions(COUNTRY,PHONE)` among the fields; null when it is not there. */
export function readAnalytics({ analytics, timeline }: Counting, waba: Waba, fields: unknown) {
  const wanted = typeof fields === 'string' ? /pricing_analytics((?:\.\w+\([^)]*\))*)/.exec(fields) : null;
  if (!wanted) return null;
  const asked = askedIn(wanted[1]!, timeline.nowMs());
  return { data: [{ data_points: pointsOf(analytics.of(waba.id), asked) }] };
}

function askedIn(text: string, nowMs: number): Asked {
  const given = new Map([...text.matchAll(/\.(\w+)\(([^)]*)\)/g)].map(([, name, value]) => [name!, value!]));
  const seconds = (name: string) => {
    const value = given.get(name) ?? '';
    if (!/^\d{9,11}$/.test(value)) throw new GraphError(100, `Param ${name} must be a UNIX timestamp.`);
    return Number(value) * 1000;
  };
  const words = (name: string) => (given.get(name) ?? '').replaceAll(/["'[\]\s]/g, '').toUpperCase();
  const [startMs, endMs, granularity] = [seconds('start'), seconds('end'), words('granularity')];
  if (endMs <= startMs) throw new GraphError(100, 'Param end must be after start.');
  if (startMs < nowMs - 366 * dayMs) throw new GraphError(100, 'Param start must be within the last year.');
  if (!granularities.includes(granularity))
    throw new GraphError(100, `Param granularity must be one of {${granularities.join(', ')}}.`);
  const dimensions = words('dimensions').split(',').filter(Boolean);
  const stray = dimensions.find((name) => !(name in dimensionNames));
  if (stray)
    throw new GraphError(100, `Param dimensions must be one of {${Object.keys(dimensionNames).join(', ')}}.`);
  return { startMs, endMs, granularity, dimensions: dimensions as Dimension[] };
}

function pointsOf(counts: Count[], { startMs, endMs, granularity, dimensions }: Asked) {
  const points = new Map<string, Record<string, string | number>>();
  for (const count of counts) {
    if (count.startMs < startMs || count.startMs >= endMs) continue;
    const [start, end] = spanOf(count.startMs, granularity);
    // There is one tier only, and the whole volume stands in it.
    const shown = { ...count, tier: '0:250000' };
    const place = dimensions.map((name) => [dimensionNames[name], shown[dimensionNames[name]]] as const);
    const key = [start, ...place.map(([, value]) => value)].join(' ');
    const point = points.get(key) ?? { start, end, ...Object.fromEntries(place), volume: 0, cost: 0 };
    point.volume = Number(point.volume) + count.volume;
    point.cost = roundCost(Number(point.cost) + count.cost);
    points.set(key, point);
  }
  return [...points.values()];
}

/** The part of time a half hour belongs to, in seconds. */
function spanOf(atMs: number, granularity: string): [number, number] {
  const at = new Date(atMs);
  if (granularity === 'MONTHLY') {
    const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
    return [Date.UTC(year, month) / 1000, Date.UTC(year, month + 1) / 1000];
  }
  const length = granularity === 'DAILY' ? dayMs : halfHourMs;
  const start = atMs - (atMs % length);
  return [start / 1000, (start + length) / 1000];
}
