// Compares a period of a business account with the provider's own figures, and opens a case for each difference. The provider corrects
// its figures for some days: a case that a later look no longer finds is settled by itself.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { Closed, DateTime, Sid } from '../../../platform/http/input/schema.ts';
import { defineJob, OthersNotReady, type TenantJobContext, untilDone } from '../../../platform/jobs/jobs.ts';
import type { Connection, PricingCount } from '../../provider/index.ts';
import { sendersOfWabas } from '../../senders/index.ts';
import { connectionOf, loadWabas } from '../../wabas/index.ts';
import { lockCase, settleCase } from '../cases/cases.ts';
import { type Difference, openCase, type Totals } from '../cases/open-cases.ts';
import { isSettled } from '../cases/states.ts';
import { compareCosts, type PlaceCost } from './compare-costs.ts';
import { type CountDifference, compareCounts, type Place } from './compare-counts.ts';
import { countOurs, type OurCounts } from './our-counts.ts';

const dayMs = 86_400_000;

export const compareStatement = defineJob({
  name: 'reconciliation.compare-statement',
  payload: Closed({ wabaSid: Sid('WB'), from: DateTime, to: DateTime }),
  attempts: untilDone,
  async run(context, { wabaSid, from, to }) {
    const account = await context.read((t) => accountOf(t, wabaSid));
    if (!account) return; // disconnected meanwhile: there is nobody to ask
    const period = { from: new Date(from), to: new Date(to) };
    // A day more on either side: what the provider put on a neighbouring day cancels out there too.
    const wide = { from: new Date(period.from.getTime() - dayMs), to: new Date(period.to.getTime() + dayMs) };
    const theirs = await askProvider(context, account, wide);
    if (!theirs) return;
    const ours = await countOurs(context.read, { ...wide, numbers: account.numbers });
    const costs = compareCosts(ours.passedOn, theirs).filter(({ place }) => isWithin(place.day, period));
    // Amounts are for the operator alone: what the provider asks for is none of the customer's business.
    for (const { place, passedMinor, costMinor, scale } of costs)
      context.log.warn(
        { wabaSid, place, passedMinor: `${passedMinor}`, costMinor: `${costMinor}`, scale },
        'the provider bills another cost for messages than was passed on',
      );
    const counts = compareCounts({ ...ours, theirs }).filter(({ place }) => isWithin(place.day, period));
    await store(context, { wabaSid, account, period, found: [...counts, ...costs], ours });
  },
});

type Period = { from: Date; to: Date };
const isWithin = (day: string, { from, to }: Period) =>
  Date.parse(day) >= from.getTime() && Date.parse(day) < to.getTime();

type Account = {
  connection: Connection;
  providerWabaId: string;
  /** The digits of each of its senders. */
  numbers: Map<string, string>;
};

async function accountOf(t: TenantTx, wabaSid: string): Promise<Account | null> {
  const [connection, wabas, senders] = [
    await connectionOf(t, wabaSid),
    await loadWabas(t, [wabaSid]),
    await sendersOfWabas(t, [wabaSid]),
  ];
  const waba = wabas.get(wabaSid);
  if (!connection || !waba) return null;
  const numbers = new Map(senders.map(({ sid, phoneNumber }) => [sid, phoneNumber.replaceAll(/\D/g, '')]));
  return { connection, providerWabaId: waba.providerWabaId, numbers };
}

async function askProvider(
  { ports, log }: TenantJobContext,
  { connection, providerWabaId }: Account,
  period: Period,
): Promise<PlaceCost[] | null> {
  const answered = await ports.provider.pricingAnalytics(connection, providerWabaId, period);
  if (!answered.ok) {
    if (answered.failure.retryable) throw new OthersNotReady(answered.failure.reason);
    // Asking again would be refused again; the next look, or the operator's, asks anew.
    log.warn(
      { wabaId: providerWabaId, failure: answered.failure },
      'the provider tells no figures of a business account',
    );
    return null;
  }
  return answered.value.counts.map(toPlace);
}

const toPlace = ({ phoneNumber, country, day, category, type, volume, cost }: PricingCount): PlaceCost => ({
  phoneNumber: phoneNumber ?? '',
  country: country ?? 'OTHER',
  day,
  category,
  type,
  volume,
  cost,
});

type Compared = {
  wabaSid: string;
  account: Account;
  period: Period;
  found: CountDifference[];
  ours: OurCounts;
};

async function store({ write }: TenantJobContext, compared: Compared): Promise<void> {
  const { wabaSid, period, found } = compared;
  const differences = found.map((one) => differenceOf(compared, one));
  // One by one: a case is short work, and holds nobody else up.
  for (const difference of differences) await write((t) => openCase(t, difference));
  const standing = new Set(differences.map(({ fingerprint }) => fingerprint));
  const gone = await write((t) => unsettledIn(t, wabaSid, period));
  for (const { sid, fingerprint } of gone)
    if (!standing.has(fingerprint)) await write((t) => settleGone(t, sid));
}

function differenceOf({ wabaSid, account, ours }: Compared, found: CountDifference): Difference {
  const { outcome, place, messages, countedHereAs } = found;
  const { phoneNumber, day, country, category, type } = place;
  const [senderSid] = [...account.numbers].find(([, digits]) => digits === phoneNumber) ?? [null];
  const path = (at: Place) => [at.phoneNumber, at.day, at.country, at.category, at.type].join('/');
  return {
    fingerprint: [
      'bucket',
      wabaSid,
      outcome,
      path(place),
      // One without another place is about the cost alone.
      ...(countedHereAs ? [path(countedHereAs)] : outcome === 'amount_mismatch' ? ['cost'] : []),
    ].join('/'),
    outcome,
    source: 'analytics',
    wabaSid,
    bucket: {
      senderSid,
      phoneNumber: phoneNumber === '' ? null : `+${phoneNumber}`,
      day,
      country,
      category,
      pricingType: type.toUpperCase(),
    },
    currency: null,
    scale: null,
    messages: outcome === 'missing_platform_event' ? candidates(ours, place) : [],
    totals: totalsOf(outcome, messages),
    findings: [textOf(found)],
  };
}

/** Messages of the place that were handed over and never charged: those the provider may have delivered. */
const candidates = (
  { uncharged }: OurCounts,
  { phoneNumber, day, country, category }: Place,
): Difference['messages'] =>
  uncharged
    .filter(
      (at) =>
        at.phoneNumber === phoneNumber &&
        at.day === day &&
        at.country === country &&
        at.category === category,
    )
    .flatMap(({ sids }) => sids)
    .map((sid) => ({
      reference: sid,
      messageSid: sid,
      proven: false,
      expected: { messages: 0, minor: null },
      reported: { messages: 0, minor: null },
    }));

function totalsOf(outcome: CountDifference['outcome'], messages: number): Totals {
  const figures = (count: number) => ({ messages: count, minor: null });
  const [expected, reported] =
    outcome === 'amount_mismatch'
      ? [messages, messages]
      : outcome === 'missing_provider_status'
        ? [messages, 0]
        : [0, messages];
  return { count: messages, expected: figures(expected), reported: figures(reported) };
}

function textOf({ outcome, messages, place, countedHereAs }: CountDifference): string {
  const here = `${place.category}, ${place.type}`;
  switch (outcome) {
    case 'amount_mismatch':
      return countedHereAs
        ? `The provider counts ${messages} as ${here} that were charged as ${countedHereAs.category}, ${countedHereAs.type}.`
        : `The provider bills another cost for ${messages} as ${here} than was passed on.`;
    case 'missing_provider_status':
      return `${messages} were charged as ${here} that the provider does not count.`;
    case 'missing_platform_event':
      return `The provider counts ${messages} more as ${here}; so many were handed over and never said to be delivered.`;
    case 'unexpected_provider_charge':
      return `The provider counts ${messages} more as ${here} than were handed over.`;
  }
}

const unsettledIn = (t: TenantTx, wabaSid: string, { from, to }: Period) =>
  t.many<{ sid: string; fingerprint: string }>(sql`
    select sid, fingerprint from reconciliation_cases
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and waba_sid = ${wabaSid} and source = 'analytics'
       and state in ('open', 'investigating') and bucket ->> 'day' >= ${from.toISOString().slice(0, 10)}
       and bucket ->> 'day' < ${to.toISOString().slice(0, 10)}
     order by sid`);

async function settleGone(t: TenantTx, sid: string): Promise<void> {
  const locked = await lockCase(t, sid);
  if (isSettled(locked.state)) return;
  await settleCase(t, locked, {
    decision: 'resolved',
    reason: "The provider's later figures agree with ours.",
    evidence: {},
  });
}
