import type { TenantTx } from '../../../platform/db/database.ts';
import { emit } from '../../../platform/events.ts';
import { readContacts } from '../contacts.ts';
import { contactEvents } from '../events.ts';
import type { ContactHooks } from '../hooks.ts';

/** Tells that nothing is left of a contact but its SID. */
export async function tellErased(
  t: TenantTx,
  hooks: Pick<ContactHooks, 'consentsOf'>,
  sid: string,
): Promise<void> {
  const [contact] = await readContacts(t, hooks, [sid]);
  emit(t, contactEvents.erased, contact!);
}
