// Whom something told earlier is about now: contacts are merged, and merges are taken back, between the telling and the looking.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { survivorsOf } from '../contacts.ts';
import { withOtherForms } from '../identifiers/number-forms.ts';
import type { Identifier } from '../schema.ts';

type Address = Pick<Identifier, 'identifierType' | 'value'>;

/** A contact as something told earlier names it, with the address it was written from or to, where it says so. */
export type NamedContact = { contactSid: string; address: Address | null };

/**
 * The contact each stands for now; null where there is none. That is whoever it was merged into. What names a survivor may be about
 * somebody whose merge into it was taken back since: then whoever has the address is meant.
 */
export async function contactsNow(
  t: TenantTx,
  named: readonly NamedContact[],
): Promise<(named: NamedContact) => string | null> {
  const sids = [...new Set(named.map(({ contactSid }) => contactSid))];
  const [survivors, parted] = await Promise.all([survivorsOf(t, sids), partedAgain(t, sids)]);
  const doubtful = named.filter(({ contactSid }) => parted.has(contactSid));
  const ownerOf = await ownersByAddress(
    t,
    doubtful.flatMap(({ address }) => address ?? []),
  );
  return ({ contactSid, address }) =>
    (address && parted.has(contactSid) ? ownerOf(address) : null) ?? survivors.get(contactSid) ?? null;
}

/** Those of them that stood for others too, and no longer do. */
async function partedAgain(t: TenantTx, sids: string[]): Promise<Set<string>> {
  const rows = await t.many<{ sid: string }>(sql`
    select distinct survivor_sid as sid from contact_merges
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and survivor_sid = any (${sids}::text[])
       and reverted_at is not null`);
  return new Set(rows.map(({ sid }) => sid));
}

const formsOf = (address: Address) => withOtherForms([{ ...address, scopeRef: null }]);
const keyOf = ({ identifierType, value }: Address) => `${identifierType} ${value}`;

async function ownersByAddress(
  t: TenantTx,
  addresses: Address[],
): Promise<(address: Address) => string | null> {
  if (addresses.length === 0) return () => null;
  const values = [...new Set(addresses.flatMap(formsOf).map(({ value }) => value))];
  const rows = await t.many<Address & { contactSid: string }>(sql`
    select identifier_type as "identifierType", value, contact_sid as "contactSid" from contact_identifiers
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and value = any (${values}::text[])`);
  const owners = new Map(rows.map((row) => [keyOf(row), row.contactSid]));
  return (address) => formsOf(address).flatMap((form) => owners.get(keyOf(form)) ?? [])[0] ?? null;
}
