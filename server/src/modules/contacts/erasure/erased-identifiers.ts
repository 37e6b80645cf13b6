// What people were known by who were erased a short time ago. Work that began before, such as an import that goes on, must not make them
// anew; whoever comes back by themselves may.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { identifierKey } from '../identifiers/identifiers.ts';
import { withOtherForms } from '../identifiers/number-forms.ts';
import { currentHasher, makeHasher } from '../opt-outs/opt-out-key.ts';
import type { Identifier } from '../schema.ts';

export async function noteErased(
  t: TenantTx,
  contactSid: string,
  identifiers: readonly Identifier[],
): Promise<void> {
  if (identifiers.length === 0) return;
  const hash = await makeHasher(t);
  const hashes = withOtherForms(identifiers).map((identifier) => hash(identifier).toString('hex'));
  await t.run(sql`
    insert into erased_identifiers (account_sid, livemode, hash, contact_sid, erased_at)
    select ${t.accountSid}, ${t.livemode}, decode(item.hash, 'hex'), ${contactSid}, ${t.now}
      from unnest(${hashes}::text[]) as item (hash)
    on conflict do nothing`);
}

/** Whatever began before their erasure has ended by now. */
export async function forgetErased(t: TenantTx, contactSid: string): Promise<void> {
  await t.run(sql`
    delete from erased_identifiers
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid}`);
}

/** The contact that had it and whose erasure is under way; of several the last. What is erased by now is known by nothing. */
export async function beingErased(t: TenantTx, identifier: Identifier): Promise<string | null> {
  const hash = await currentHasher(t);
  if (!hash) return null;
  const row = await t.maybe<{ sid: string }>(sql`
    select contact_sid as sid from erased_identifiers
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and hash = ${hash(identifier)}
     order by erased_at desc, contact_sid desc limit 1`);
  return row?.sid ?? null;
}

/** Which of these belonged to somebody who was erased after a moment; asked by what began then. */
export async function erasedSince(
  t: TenantTx,
  identifiers: readonly Identifier[],
  since: Date,
): Promise<(identifier: Identifier) => boolean> {
  const hash = identifiers.length > 0 ? await currentHasher(t) : null;
  if (!hash) return () => false;
  const keys = new Map(
    identifiers.map((identifier) => [hash(identifier).toString('hex'), identifierKey(identifier)]),
  );
  const rows = await t.many<{ hash: string }>(sql`
    select encode(e.hash, 'hex') as hash
      from unnest(${[...keys.keys()]}::text[]) as item (hash)
      join erased_identifiers e on e.account_sid = ${t.accountSid} and e.livemode = ${t.livemode} and e.hash = decode(item.hash, 'hex')
     where e.erased_at >= ${since}`);
  const erased = new Set(rows.map((row) => keys.get(row.hash)));
  return (identifier) => erased.has(identifierKey(identifier));
}
