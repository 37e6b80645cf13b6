// What the operator does with the numbers of an account from the command line.
import { rebuildDays, verifyDays } from '../../../modules/analytics/index.ts';
import type { Tenant } from '../../../platform/db/database.ts';
import { asOperator, type CommandContext } from '../../process/keys.ts';

const days = (count: number) => (count === 1 ? '1 day' : `${count} days`);

/** Names every difference. */
export async function proveNumbers(
  context: CommandContext,
  tenant: Tenant,
  day: string | undefined,
  print: (text: string) => void,
): Promise<boolean> {
  let looked = 0;
  let wrong = 0;
  const asking = () => asOperator(context, tenant.livemode);
  for await (const { differences } of verifyDays(context.database, tenant, asking, day)) {
    looked += 1;
    wrong += differences.length;
    for (const { what, stored, recomputed } of differences)
      print(`${what} is ${stored}, and should be ${recomputed}`);
  }
  if (wrong === 0) print(`Every number is that of the messages (${days(looked)}).`);
  else print(wrong === 1 ? '1 number is wrong.' : `${wrong} numbers are wrong.`);
  return wrong === 0;
}

export async function countAnew(
  context: CommandContext,
  tenant: Tenant,
  day: string | undefined,
): Promise<string> {
  let counted = 0;
  const asking = () => asOperator(context, tenant.livemode);
  for await (const _day of rebuildDays(context.database, tenant, asking, day)) counted += 1;
  return `Counted ${days(counted)} anew.`;
}
