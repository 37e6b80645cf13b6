// What holds do when contacts are merged: whoever is one person with somebody held is held too, and stays so.
import type { TenantTx } from '../../platform/db/database.ts';
import { identitiesOf } from '../contacts/index.ts';
import { holdTogether, placing } from './marks.ts';

/** Before anything of the two moves: the lock comes before those of the rows. Nobody is told, for the account may not see the hold. */
export async function holdMerged(t: TenantTx, survivorSid: string): Promise<void> {
  await placing(t);
  await holdTogether(t, await identitiesOf(t, survivorSid));
}
