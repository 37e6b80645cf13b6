// What the provider tells about numbers: whom it knows by other digits than those that were dialled. Both are from then on
// identifiers of one contact. Where they are two people's, nothing is taken from anybody and a conflict is opened.
import type { TenantTx } from '../../platform/db/database.ts';
import type { ContactHooks } from './hooks.ts';
import { identifierKey, readWaId } from './identifiers/identifiers.ts';
import { ownerOf, ownersOf } from './identifiers/owners.ts';
import { withoutSettled } from './merges/conflicts.ts';
import { resolveContacts } from './resolve-contacts.ts';
import type { Identifier } from './schema.ts';

/** A number as it was dialled (E.164) and the digits under which the provider knows its owner. */
export type KnownAs = { dialled: string; waId: string };

export async function learnNumbers(
  t: TenantTx,
  hooks: Pick<ContactHooks, 'consentsOf'>,
  told: readonly KnownAs[],
): Promise<void> {
  const pairs = rewritten(told);
  if (pairs.length === 0) return;
  const owners = await ownersOf(t, pairs.flat());
  const owner = (identifier: Identifier) => owners.get(identifierKey(identifier));
  // A pair of which nobody owns either number is of a contact that is gone, and is no reason to make a new one.
  const news = pairs.filter(
    ([dialled, known]) =>
      owner(dialled) !== owner(known) && (ownerOf(owners, dialled) ?? ownerOf(owners, known)) !== undefined,
  );
  const open = await withoutSettled(t, news, ([dialled, known]) => [owner(dialled), owner(known)]);
  if (open.length === 0) return;
  await resolveContacts(
    t,
    hooks,
    open.map((identifiers) => ({ identifiers, profile: {} })),
  );
}

type Pair = [dialled: Identifier, known: Identifier];

function rewritten(told: readonly KnownAs[]): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const { dialled, waId } of told) {
    // The usual case costs nothing more than this.
    if (dialled === `+${waId}`) continue;
    const known = readWaId(waId);
    if (!known || known.value === dialled) continue;
    const given: Identifier = { identifierType: 'phone_e164', value: dialled, scopeRef: null };
    pairs.set(`${dialled} ${known.value}`, [given, known]);
  }
  return [...pairs.values()];
}
