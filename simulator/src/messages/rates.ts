// How fast a number may send, altogether and to one person.

import { dayMs, pairOf } from '../numbers/people.ts';

const hourMs = 3_600_000;
const pairEveryMs = 6_000;
const pairBurst = 45;
const perSecond = { STANDARD: 80, HIGH: 1_000 };
const coexistencePerSecond = 20;
const mostPairs = 200_000;
const mostReached: Record<string, number> = {
  TIER_50: 50,
  TIER_250: 250,
  TIER_2K: 2_000,
  TIER_10K: 10_000,
  TIER_100K: 100_000,
};

export type Rates = ReturnType<typeof createRates>;

export function createRates() {
  const seconds = new Map<string, { second: number; count: number }>();
  // For each pair the moment up to which its sends have been borrowed from the future.
  const pairs = new Map<string, number>();
  const serviceCounts = new Map<string, number>();
  // By portfolio: whom it wrote to first, and when; kept only where there is a limit.
  const reached = new Map<string, Map<string, number>>();
  const management = new Map<string, { startMs: number; count: number; most: number }>();
  const marketing = new Map<string, number[]>();
  const monthOf = (nowMs: number) => new Date(nowMs).toISOString().slice(0, 7);

  const currentHour = (key: string, nowMs: number) => {
    const known = management.get(key);
    return known && nowMs < known.startMs + hourMs ? known : { startMs: nowMs, count: 0, most: 1 };
  };

  return {
    /** False when the number has sent what it may in this second. */
    takeThroughput(
      number: { id: string; throughputLevel: 'STANDARD' | 'HIGH'; isOnBizApp: boolean },
      nowMs: number,
    ): boolean {
      const second = Math.floor(nowMs / 1000);
      const most = number.isOnBizApp ? coexistencePerSecond : perSecond[number.throughputLevel];
      const used = seconds.get(number.id);
      if (used?.second !== second) {
        seconds.set(number.id, { second, count: 1 });
        return true;
      }
      if (used.count >= most) return false;
      used.count += 1;
      return true;
    },
    takePair(numberId: string, waId: string, nowMs: number): boolean {
      const key = `${numberId}/${waId}`;
      const borrowedMs = Math.max(pairs.get(key) ?? 0, nowMs) + pairEveryMs;
      if (borrowedMs > nowMs + pairBurst * pairEveryMs) return false;
      pairs.delete(key);
      pairs.set(key, borrowedMs);
      if (pairs.size > mostPairs) pairs.delete(pairs.keys().next().value!);
      return true;
    },
    /** False when a portfolio has written to as many people outside a window as it may in 24 hours. */
    takeReach(businessId: string, tier: string, waId: string, nowMs: number): boolean {
      const most = mostReached[tier];
      if (most === undefined) return true;
      const people = reached.get(businessId) ?? new Map<string, number>();
      reached.set(businessId, people);
      for (const [person, atMs] of people) {
        if (atMs > nowMs - dayMs) break; // the oldest come first
        people.delete(person);
      }
      if (people.has(waId)) return true;
      if (people.size >= most) return false;
      people.set(waId, nowMs);
      return true;
    },
    /** False when an account, or the app, has made all the management calls of its hour. */
    takeManagement(key: string, most: number, nowMs: number): boolean {
      const hour = { ...currentHour(key, nowMs), most };
      management.set(key, hour);
      if (hour.count >= most) return false;
      hour.count += 1;
      return true;
    },
    /** For the headers that tell how much of the hour is used up, and when it ends. */
    managementUse(key: string, nowMs: number): { percent: number; minutesLeft: number } {
      const { startMs, count, most } = currentHour(key, nowMs);
      return {
        percent: Math.min(100, Math.ceil((100 * count) / most)),
        minutesLeft: Math.ceil((startMs + hourMs - nowMs) / 60_000),
      };
    },
    /** False when a person has received as much marketing in 24 hours as anybody may, from all businesses together. */
    takeMarketing(waId: string, most: number, nowMs: number): boolean {
      const received = (marketing.get(waId) ?? []).filter((atMs) => atMs > nowMs - dayMs);
      if (received.length >= most) return false;
      marketing.delete(waId);
      marketing.set(waId, [...received, nowMs]);
      if (marketing.size > mostPairs) marketing.delete(marketing.keys().next().value!);
      return true;
    },
    serviceMessages: (numberId: string, nowMs: number) =>
      serviceCounts.get(`${numberId}/${monthOf(nowMs)}`) ?? 0,
    countService(numberId: string, nowMs: number): void {
      const key = `${numberId}/${monthOf(nowMs)}`;
      serviceCounts.set(key, (serviceCounts.get(key) ?? 0) + 1);
    },
    /** By these numbers and portfolios, null for all; what all of them count together goes once nobody knows the person. */
    forgetPerson(waId: string, owners: ReadonlySet<string> | null, isUnknown: boolean): void {
      for (const key of [...pairs.keys()]) if (pairOf(key, waId, owners)) pairs.delete(key);
      for (const [businessId, people] of reached)
        if (owners === null || owners.has(businessId)) people.delete(waId);
      if (isUnknown) marketing.delete(waId);
    },
    forget(): void {
      for (const memory of [seconds, pairs, serviceCounts, reached, management, marketing]) memory.clear();
    },
  };
}
