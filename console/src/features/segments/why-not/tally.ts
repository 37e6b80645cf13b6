// What stands against a message over all pages that were judged, with what it would have cost those it keeps out.
import type { Money, SegmentWhyNot, WhyNotReason } from '@godwit/sdk';

export type Sample = { contactSid: string; message: string; evidence: WhyNotReason['evidence'] };
export type ReasonTally = {
  gate: string | null;
  code: string;
  contacts: number;
  cost: readonly Money[];
  samples: readonly Sample[];
};
export type Tally = {
  judged: number;
  reached: number;
  /** Everybody who was judged, with the names of what stands against them; null once they are too many to be named in a request. */
  members: readonly { contactSid: string; against: readonly string[] }[] | null;
  /** What those who are reached cost, one sum a currency. */
  cost: readonly Money[];
  /** What stands against most of them first. */
  reasons: readonly ReasonTally[];
};

export const nothingJudged: Tally = { judged: 0, reached: 0, members: [], cost: [], reasons: [] };

const mostSamples = 10;
/** A request takes a megabyte. */
export const mostNamed = 20_000;

/** With the members of one more page. */
export function withPage(tally: Tally, { judged, reached, members }: SegmentWhyNot): Tally {
  const reasons = new Map(tally.reasons.map((one) => [nameOf(one), one]));
  let { cost } = tally;
  for (const member of members) {
    if (member.reached) cost = plus(cost, member.cost);
    for (const reason of member.reasons) {
      const { gate, code, message, evidence } = reason;
      const before = reasons.get(nameOf(reason)) ?? { gate, code, contacts: 0, cost: [], samples: [] };
      reasons.set(nameOf(reason), {
        ...before,
        contacts: before.contacts + 1,
        cost: plus(before.cost, member.cost),
        samples:
          before.samples.length < mostSamples
            ? [...before.samples, { contactSid: member.contactSid, message, evidence }]
            : before.samples,
      });
    }
  }
  return {
    judged: tally.judged + judged,
    reached: tally.reached + reached,
    members:
      tally.members && tally.judged + judged <= mostNamed ? [...tally.members, ...named(members)] : null,
    cost,
    reasons: [...reasons.values()].sort((a, b) => b.contacts - a.contacts),
  };
}

const named = (members: SegmentWhyNot['members']) =>
  members.map(({ contactSid, reasons }) => ({ contactSid, against: reasons.map(nameOf) }));

export const nameOf = ({ gate, code }: { gate: string | null; code: string }) => `${gate ?? ''} ${code}`;

/** Exact: amounts never become numbers, and only those of one currency are added up. */
function plus(sums: readonly Money[], one: Money | null): readonly Money[] {
  if (!one) return sums;
  const isLike = ({ currency, scale }: Money) => currency === one.currency && scale === one.scale;
  if (!sums.some(isLike)) return [...sums, one];
  return sums.map((sum) =>
    isLike(sum) ? { ...sum, amountMinor: String(BigInt(sum.amountMinor) + BigInt(one.amountMinor)) } : sum,
  );
}
