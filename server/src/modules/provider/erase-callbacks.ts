// Callbacks that could not be applied, and lie there until somebody sees to them.
import type { PersonIdentifier } from '../../platform/belongings.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';

/** Removes those that came for one of these numbers and name the person; they are of no account before they are applied. */
export async function eraseParkedCallbacks(
  t: TenantTx,
  phoneNumberIds: readonly string[],
  identifiers: readonly PersonIdentifier[],
  atMost: number,
): Promise<number> {
  const names = identifiers.map(({ value }) => value.replace(/^\+/, ''));
  if (phoneNumberIds.length === 0 || names.length === 0) return 0;
  const { erased } = await t.one<{ erased: number }>(sql`
    select erase_parked_callbacks(${t.livemode}, ${[...phoneNumberIds]}::text[], ${names}::text[], ${atMost}::integer) as erased`);
  return erased;
}
