// The certificate of an erasure: a signed statement of what was removed, what was kept and why, and what ends later by itself. It
// names nobody: only SIDs are left of whom it is about.
import { type ChainHead, chainHeads } from '../../../platform/chain.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { sha256Hex } from '../../../platform/hashing.ts';
import { signStatement } from '../../../platform/signing/signatures.ts';
import { audit } from '../../audit/index.ts';
import { endpointOrigins } from '../../webhooks/index.ts';
import { here } from '../requests.ts';
import type { PrivacyRequest } from '../schema.ts';
import { allStores } from '../stores.ts';
import { certificateKey } from './keys.ts';
import type { CertificateClaims } from './schema.ts';

export const certificateType = 'erasure-certificate+jwt';

const dayMs = 24 * 60 * 60 * 1000;
const inDays = ({ now }: TenantTx, days: number) => new Date(now.getTime() + days * dayMs).toISOString();

type Done = { counts: Record<string, number>; simulatorForgot: boolean };

/** Signs what was done for an erasure that is about to be complete, and keeps it with the request. */
export async function sign(
  t: TenantTx,
  request: Pick<PrivacyRequest, 'sid' | 'subject' | 'createdAt'>,
  done: Done,
): Promise<string> {
  const certificate = signStatement(
    await certificateKey(t),
    certificateType,
    await claimsOf(t, request, done),
  );
  await t.run(sql`
    update privacy_requests set certificate = ${certificate}, updated_at = ${t.now} where ${here(t, request.sid)}`);
  audit(t, {
    action: 'privacy_request.certified',
    resource: request.sid,
    facts: { sha256: sha256Hex(certificate) },
  });
  return certificate;
}

async function claimsOf(
  t: TenantTx,
  { sid, subject, createdAt }: Pick<PrivacyRequest, 'sid' | 'subject' | 'createdAt'>,
  { counts, simulatorForgot }: Done,
): Promise<CertificateClaims> {
  const heads = await t.many<ChainHead>(chainHeads(t, ['audit', 'consent']));
  return {
    iss: t.site.publicUrl,
    iat: Math.floor(t.now.getTime() / 1_000),
    jti: sid,
    accountSid: t.accountSid,
    livemode: t.livemode,
    contactSid: subject.contactSid,
    requestedAt: createdAt,
    completedAt: t.now.toISOString(),
    counts,
    kept: allStores().flatMap(({ name, kept }) => (kept === undefined ? [] : [{ store: name, why: kept }])),
    tails: tailsAt(t),
    provider: t.livemode ? atProvider : atSimulator(simulatorForgot),
    told: await endpointOrigins(t),
    backupsUntil: inDays(t, t.site.privacy.backupDays),
    chains: heads,
  };
}

const atProvider =
  'Files were deleted at WhatsApp. Messages that were handed to it are kept there and on phones by its own terms.';
const atSimulator = (forgot: boolean) =>
  forgot
    ? 'The provider of a sandbox is simulated, and has forgotten the person.'
    : 'The provider of a sandbox is simulated. It did not answer for a day, and may still know the person.';

/** What ends by its own clock, and when the last of it does. */
const tailsAt = (t: TenantTx) => [
  {
    store: 'provider_changes',
    what: 'keyed hashes by which a repeated report is known again',
    until: inDays(t, 8),
  },
  {
    store: 'operations',
    what: 'rows of operations, without what they said of the person',
    until: inDays(t, 30),
  },
  { store: 'backups', what: 'backups of the database', until: inDays(t, t.site.privacy.backupDays) },
];
