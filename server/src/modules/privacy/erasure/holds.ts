// Whether a legal hold keeps anything of a person: then all of them stays, for nobody is erased in part.
import type { Person, Time } from '../../../platform/belongings.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { type StandingMark, standingMarks } from '../../legal-holds/index.ts';
import { writtenToIn } from '../../messages/index.ts';
import { allStores } from '../stores.ts';

export type Verdict = {
  /** Holds that cover the person. */
  covering: { holdId: string; visible: boolean }[];
  /** Those that do not: nothing of the person that they are on can come to be any more. */
  cleared: string[];
};

/** To be asked while `removing`, in every transaction that removes. Holds that were cleared before are not looked at again. */
export async function holdsOver(t: TenantTx, person: Person, cleared: readonly string[]): Promise<Verdict> {
  const covering = new Map<string, boolean>();
  const others = new Set(cleared);
  for (const mark of await standingMarks(t, cleared)) {
    if (await covers(t, person, mark)) covering.set(mark.holdId, mark.visible);
    else others.add(mark.holdId);
  }
  return {
    covering: [...covering].map(([holdId, visible]) => ({ holdId, visible })),
    cleared: [...others].filter((holdId) => !covering.has(holdId)),
  };
}

async function covers(t: TenantTx, person: Person, { ref, from, to }: StandingMark): Promise<boolean> {
  const { family } = person;
  if (ref === null) return isOfTime(t, person, { from: new Date(from), to: new Date(to) });
  if (ref === t.accountSid || family.includes(ref)) return true;
  // What is left is on another contact, or on a campaign.
  return !ref.startsWith('CT') && (await writtenToIn(t, family, ref));
}

async function isOfTime(t: TenantTx, person: Person, time: Time): Promise<boolean> {
  for (const { within } of allStores()) if (await within?.(t, person, time)) return true;
  return false;
}
