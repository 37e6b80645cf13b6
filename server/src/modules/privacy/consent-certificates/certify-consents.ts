// The certificate of a person's consents: their links of the chain with the words that were hashed, and where the chain stood,
// signed. It holds nobody else's records: whoever has the ledger finds these links in it at the places they name.
import { type ChainHead, chainHeads, faultOfLink, type Link } from '../../../platform/chain.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { sha256Hex } from '../../../platform/hashing.ts';
import { newUuid } from '../../../platform/ids.ts';
import { StatementBroken, signStatement, verifyStatement } from '../../../platform/signing/signatures.ts';
import { audit } from '../../audit/index.ts';
import { consentLinks } from '../../consent/index.ts';
import { certificateKey } from '../certificates/keys.ts';
import type { ConsentCertificate, ConsentCertificateClaims } from './schema.ts';

export const consentCertificateType = 'consent-certificate+jwt';
const mostConsents = 200;

/** Refused where there is nothing to certify. */
export async function certifyConsents(t: TenantTx, contactSid: string): Promise<ConsentCertificate> {
  const claims = await claimsOf(t, contactSid);
  const certificate = signStatement(await certificateKey(t), consentCertificateType, claims);
  const sha256 = sha256Hex(certificate);
  audit(t, { action: 'consent.certified', resource: contactSid, facts: { sha256 } });
  const { accountSid, livemode } = t;
  return { object: 'consent_certificate', contactSid, accountSid, livemode, certificate, sha256, claims };
}

async function claimsOf(t: TenantTx, contactSid: string): Promise<ConsentCertificateClaims> {
  const { identities, links, total } = await consentLinks(t, contactSid, mostConsents);
  if (links.length === 0)
    throw new ApiError('CONFLICT', { message: 'Nothing was recorded of what this contact agreed to.' });
  // Read after the links: it stands at the last of them or beyond.
  const { sequence, hash } = await t.one<ChainHead>(chainHeads(t, ['consent']));
  return {
    iss: t.site.publicUrl,
    iat: Math.floor(t.now.getTime() / 1_000),
    jti: newUuid(t.now),
    accountSid: t.accountSid,
    livemode: t.livemode,
    contactSid,
    identities,
    consents: links.map((link) => ({
      sequence: link.sequence,
      payload: link.payload,
      previousHash: link.previousHash.toString('hex'),
      hash: link.hash.toString('hex'),
      detail: link.detail ?? null,
    })),
    omitted: total - links.length,
    head: { sequence, hash },
  };
}

/** What a certificate says, if one of these keys signed it and its links hold; throws `StatementBroken` otherwise. */
export function verifyConsentCertificate(
  certificate: string,
  keys: readonly unknown[],
): ConsentCertificateClaims {
  const claims = verifyStatement(certificate, keys, consentCertificateType) as ConsentCertificateClaims;
  let before: Link | null = null;
  for (const link of claims.consents.map(linkOf)) {
    const fault = faultOf(claims, link, before);
    if (fault !== null) throw new StatementBroken(`of link ${link.sequence}: ${fault}`);
    before = link;
  }
  return claims;
}

const linkOf = ({ previousHash, hash, ...link }: ConsentCertificateClaims['consents'][number]): Link => ({
  ...link,
  previousHash: Buffer.from(previousHash, 'hex'),
  hash: Buffer.from(hash, 'hex'),
});

function faultOf(
  { accountSid, livemode, identities, head }: ConsentCertificateClaims,
  link: Link,
  before: Link | null,
): string | null {
  const [sequence, last] = [BigInt(link.sequence), BigInt(head.sequence)];
  if (sequence > last) return 'it stands beyond the head of its chain';
  if (sequence === last && link.hash.toString('hex') !== head.hash)
    return 'it is not the link its head tells of';
  const distance = before === null ? null : sequence - BigInt(before.sequence);
  if (distance !== null && distance <= 0n) return 'it is out of order';
  if (distance === 1n && !link.previousHash.equals(before!.hash))
    return 'it does not follow from the link before it';
  // A detail that was forgotten is missing here as it is in the ledger.
  const fault = faultOfLink(link, () => true);
  if (fault !== null) return fault;
  const record = JSON.parse(link.payload) as Record<string, unknown>;
  const isTheirs = record.accountSid === accountSid && record.livemode === livemode;
  return isTheirs && identities.includes(String(record.contactSid)) ? null : 'it is about somebody else';
}
