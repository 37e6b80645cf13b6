// A no outlives the person who said it: what is left of them is a keyed hash of each identifier, and what they had forbidden. Whoever
// writes to such an identifier is judged by it, and a contact that comes to have it gets the no back.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { newUuid } from '../../../platform/ids.ts';
import { type IdentifierFilter, identifierKey } from '../identifiers/identifiers.ts';
import { withOtherForms } from '../identifiers/number-forms.ts';
import type { ConsentPurpose, Identifier } from '../schema.ts';
import { adoptKey, currentHasher, type Hasher, keptHasher, makeHasher, sealedKeyNow } from './opt-out-key.ts';

export type KeptSuppression = {
  reason: string;
  scope: 'MARKETING' | 'ALL';
  senderSid: string | null;
  expiresAt: string | null;
  mirrorToProvider: boolean;
};
export type KeptConsent = { purpose: ConsentPurpose; status: 'OPTED_OUT' | 'REVOKED' };
export type OptOut = {
  suppressions: KeptSuppression[];
  consents: KeptConsent[];
  /** The senders at whose provider's list the person is blocked: whoever turns out to be them can be unblocked there. */
  blockedSenderSids: string[];
};

type Row = OptOut & { hash: string; person: string; returnedTo: string | null };

/** Keeps what one person forbade, under everything they were known by. */
export async function keepOptOut(
  t: TenantTx,
  identifiers: readonly Identifier[],
  optOut: OptOut,
): Promise<void> {
  if (identifiers.length === 0 || isNothing(optOut)) return;
  await insertHashes(t, hashesOf(await makeHasher(t), withOtherForms(identifiers)), optOut);
}

const insertHashes = (
  t: TenantTx,
  hashes: string[],
  { suppressions, consents, blockedSenderSids }: OptOut,
): Promise<number> =>
  t.run(sql`
    insert into erased_opt_outs (account_sid, livemode, hash, person, suppressions, consents, blocked_sender_sids, created_at)
    select ${t.accountSid}, ${t.livemode}, decode(item.hash, 'hex'), ${newUuid(t.now)}::uuid,
      ${JSON.stringify(suppressions)}::json, ${JSON.stringify(consents)}::json, ${blockedSenderSids}::text[], ${t.now}
      from unnest(${hashes}::text[]) as item (hash)`);

/** What one person forbade as it can be kept elsewhere: hashes in hex, and the sealed key they were made under. */
export type HashedOptOut = OptOut & { key: string; hashes: string[] };

/** The same as `keepOptOut` would keep, for a place outside the database; null where there is nothing. */
export async function hashOptOut(
  t: TenantTx,
  identifiers: readonly Identifier[],
  optOut: OptOut,
): Promise<HashedOptOut | null> {
  if (identifiers.length === 0 || isNothing(optOut)) return null;
  const hashes = hashesOf(await makeHasher(t), withOtherForms(identifiers));
  return { ...optOut, key: await sealedKeyNow(t), hashes };
}

/** Takes back what was kept elsewhere, as far as it is not here; false where the account has another key by now. */
export async function takeHashed(t: TenantTx, { key, hashes, ...optOut }: HashedOptOut): Promise<boolean> {
  if (!(await adoptKey(t, key))) return false;
  const known = new Set((await findRows(t, hashes)).map(({ hash }) => hash));
  await insertHashes(
    t,
    hashes.filter((hash) => !known.has(hash)),
    optOut,
  );
  return true;
}

const isNothing = ({ suppressions, consents, blockedSenderSids }: OptOut) =>
  suppressions.length + consents.length + blockedSenderSids.length === 0;

const hashesOf = (hash: Hasher, identifiers: readonly Identifier[]) => [
  ...new Set(identifiers.map((identifier) => hash(identifier).toString('hex'))),
];

/** What people without a contact forbade before they were erased, by identifier. Costs nothing where nobody did. */
export async function erasedOptOuts(
  t: TenantTx,
  identifiers: readonly Identifier[],
): Promise<Map<string, OptOut>> {
  const hash = identifiers.length > 0 ? await keptHasher(t) : null;
  return hash ? optOutsBy(t, hash, identifiers) : new Map();
}

async function optOutsBy(t: TenantTx, hash: Hasher, identifiers: readonly Identifier[]) {
  // Once each: to hash costs more than to look up.
  const hashes = identifiers.map((identifier) => hash(identifier).toString('hex'));
  const rows = Map.groupBy(await findRows(t, [...new Set(hashes)]), (row) => row.hash);
  const found = new Map<string, OptOut>();
  for (const [at, identifier] of identifiers.entries()) {
    const own = rows.get(hashes[at]!);
    if (own) found.set(identifierKey(identifier), together(t, own));
  }
  return found;
}

const findRows = (t: TenantTx, hashes: string[]) =>
  t.many<Row>(sql`
    select encode(kept.hash, 'hex') as hash, kept.person, kept.suppressions, kept.consents,
      kept.blocked_sender_sids as "blockedSenderSids", kept.returned_to as "returnedTo"
      from unnest(${hashes}::text[]) as item (hash)
     cross join lateral (
       select * from erased_opt_outs e
        where e.account_sid = ${t.accountSid} and e.livemode = ${t.livemode} and e.hash = decode(item.hash, 'hex')
       offset 0) as kept`);

/** Of several people who had the identifier one after another, what any of them forbade; what has run out is left out. */
function together(t: TenantTx, optOuts: readonly OptOut[]): OptOut {
  const lasts = ({ expiresAt }: KeptSuppression) => expiresAt === null || new Date(expiresAt) > t.now;
  return {
    suppressions: optOuts.flatMap(({ suppressions }) => suppressions.filter(lasts)),
    consents: optOuts.flatMap(({ consents }) => consents),
    blockedSenderSids: [...new Set(optOuts.flatMap(({ blockedSenderSids }) => blockedSenderSids))],
  };
}

export type Gained = { contactSid: string; identifier: Identifier };
export type Returning = OptOut & { contactSid: string };

/**
 * Takes out what is kept for identifiers that contacts have now, to be given to those. What else the person was known by stays, and
 * forbids nothing to the same contact a second time.
 */
export async function takeReturning(t: TenantTx, gained: readonly Gained[]): Promise<Returning[]> {
  const hash = await currentHasher(t);
  if (!hash) return [];
  const holders = new Map(
    gained.map(({ contactSid, identifier }) => [hash(identifier).toString('hex'), contactSid]),
  );
  const rows = await findRows(t, [...holders.keys()]);
  if (rows.length === 0) return [];
  const taken = rows.map((row) => ({ ...row, contactSid: holders.get(row.hash)! }));
  await t.run(sql`
    delete from erased_opt_outs
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       and hash = any (select decode(hex, 'hex') from unnest(${taken.map((row) => row.hash)}::text[]) as hex)`);
  await t.run(sql`
    update erased_opt_outs e set returned_to = item.contact_sid
      from unnest(${taken.map(({ person }) => person)}::uuid[], ${taken.map(({ contactSid }) => contactSid)}::text[])
        as item (person, contact_sid)
     where e.account_sid = ${t.accountSid} and e.livemode = ${t.livemode} and e.person = item.person`);
  const news = taken.filter(({ returnedTo, contactSid }) => returnedTo !== contactSid);
  return [...Map.groupBy(news, ({ contactSid }) => contactSid)].map(([contactSid, optOuts]) => ({
    contactSid,
    ...together(t, optOuts),
  }));
}

/** Lifts what is kept for an identifier that no contact has, of one scope or of both; tells how many suppressions that were. */
export async function liftErased(
  t: TenantTx,
  { values, identifierType, scopeRef }: IdentifierFilter,
  scope?: string,
): Promise<number> {
  const hash = await currentHasher(t);
  const types = identifierType === null ? (['phone_e164', 'bsuid', 'username'] as const) : [identifierType];
  const meant = types.flatMap((type) => values.map((value) => ({ identifierType: type, value, scopeRef })));
  const rows = hash ? await findRows(t, hashesOf(hash, withOtherForms(meant))) : [];
  let lifted = 0;
  for (const { person, suppressions, consents, blockedSenderSids } of new Map(
    rows.map((row) => [row.person, row]),
  ).values()) {
    const left = suppressions.filter((one) => scope !== undefined && one.scope !== scope);
    lifted += suppressions.length - left.length;
    const own = sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and person = ${person}`;
    await t.run(
      isNothing({ suppressions: left, consents, blockedSenderSids })
        ? sql`delete from erased_opt_outs where ${own}`
        : sql`update erased_opt_outs set suppressions = ${JSON.stringify(left)}::json where ${own}`,
    );
  }
  return lifted;
}

/** Takes everything these contacts were known by from them, and tells what that was. */
export const detachIdentifiers = (t: TenantTx, contactSids: readonly string[]): Promise<Identifier[]> =>
  t.many<Identifier>(sql`
    delete from contact_identifiers
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${[...contactSids]}::text[])
    returning identifier_type as "identifierType", value, nullif(scope_ref, '') as "scopeRef"`);
