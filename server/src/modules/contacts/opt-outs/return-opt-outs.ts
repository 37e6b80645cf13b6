// Gives contacts back what they had forbidden before they were erased. How a no is written down is known further down.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Gained, type Returning, takeReturning } from './erased-opt-outs.ts';

type GiveBack = (t: TenantTx, returning: readonly Returning[]) => Promise<void>;

let giveBack: GiveBack = () => Promise.reject(new Error('nobody was told how opt-outs are given back'));

/** Told once, at the start. */
export function returnOptOutsBy(give: GiveBack): void {
  giveBack = give;
}

/** Tells which contacts got something back. */
export async function returnOptOuts(t: TenantTx, gained: readonly Gained[]): Promise<Set<string>> {
  const returning = await takeReturning(t, gained);
  if (returning.length > 0) await giveBack(t, returning);
  return new Set(returning.map(({ contactSid }) => contactSid));
}
