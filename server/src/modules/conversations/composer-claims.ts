// Who is writing an answer. One holds the claim at a time, so that a customer does not get two; it runs out by itself when
// its holder goes away. The token is told to its maker alone and kept as a hash.
import { randomUUID } from 'node:crypto';
import { needsOwnTransaction, type TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError, type ErrorCode, type ErrorDetail } from '../../platform/errors/errors.ts';
import { equalHashes, sha256 } from '../../platform/hashing.ts';
import { type Principal, principalName } from '../../platform/principal.ts';
import { audit } from '../audit/index.ts';
import { holdsOnAccount } from '../inboxes/index.ts';
import { answering } from './change-conversation.ts';
import { requireConversation } from './conversations.ts';
import type { ComposerClaim } from './schema.ts';

/** Long enough for a renewal to be missed, short enough for a colleague to wait. */
const claimMs = 60_000;

const columns = (
  token: string | null,
) => sql`'composer_claim' as object, account_sid as "accountSid", livemode,
  conversation_sid as "conversationSid", ${token}::text as "composerClaimToken", holder as "heldBy",
  expires_at as "expiresAt", created_at as "createdAt"`;

const endOf = (t: TenantTx) => new Date(t.now.getTime() + claimMs);

export type StandingClaim = { holder: string; tokenHash: Buffer; expiresAt: string };

/** The claims in force. Held, they neither end nor change hands before whoever relies on them is done. */
export async function claimsOn(
  t: TenantTx,
  conversationSids: readonly string[],
  { lock }: { lock: boolean },
): Promise<ReadonlyMap<string, StandingClaim>> {
  if (conversationSids.length === 0) return new Map();
  if (lock) needsOwnTransaction(t);
  const rows = await t.many<StandingClaim & { conversationSid: string }>(sql`
    select conversation_sid as "conversationSid", holder, token_hash as "tokenHash", expires_at as "expiresAt"
      from composer_claims
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and expires_at > ${t.now}
       and conversation_sid = any (${[...conversationSids]}::text[])
     order by conversation_sid ${lock ? sql`for share` : sql``}`);
  return new Map(rows.map((row) => [row.conversationSid, row]));
}

/** A person is known by their session. Many may stand behind one key, so a key is known by its token only. */
export const isOwnClaim = (principal: Principal, { holder }: Pick<StandingClaim, 'holder'>) =>
  principal.kind === 'user' && principalName(principal) === holder;

export const opensClaim = (token: string, { tokenHash }: Pick<StandingClaim, 'tokenHash'>) =>
  equalHashes(sha256(token), tokenHash);

type Refusal = { code: ErrorCode; details: ErrorDetail[] };

export const claimConflict = ({ holder, expiresAt }: StandingClaim): Refusal => ({
  code: 'COMPOSER_CLAIM_CONFLICT',
  details: [{ path: 'conversationSid', issue: `is claimed by ${holder} until ${expiresAt}` }],
});

/** Whoever asks again for their own gets a new token: the page that knew the old one may be gone. */
export async function acquireClaim(
  t: TenantTx,
  conversationSid: string,
  overrideReason: string | undefined,
): Promise<ComposerClaim> {
  await requireConversation(t, conversationSid, answering);
  if (overrideReason !== undefined) refuseOverride(t);
  const standing = await lockClaim(t, conversationSid);
  if (standing && !isOwnClaim(t.principal, standing)) {
    if (overrideReason === undefined) throw refusal(claimConflict(standing));
    const facts = { heldBy: standing.holder, reason: overrideReason };
    audit(t, { action: 'composer_claim.overridden', resource: conversationSid, facts, words: ['reason'] });
  }
  const token = randomUUID();
  const made = await t.maybe<ComposerClaim>(sql`
    insert into composer_claims as k (account_sid, livemode, conversation_sid, token_hash, holder, expires_at, created_at)
    values (${t.accountSid}, ${t.livemode}, ${conversationSid}, ${sha256(token)}, ${principalName(t.principal)},
      ${endOf(t)}, ${t.now})
    on conflict (account_sid, conversation_sid) do update set token_hash = excluded.token_hash,
      holder = excluded.holder, expires_at = excluded.expires_at, created_at = excluded.created_at
      where k.expires_at <= ${t.now} or k.token_hash = ${standing?.tokenHash ?? null}
    returning ${columns(token)}`);
  if (made) return made;
  // Somebody claimed it between looking and claiming, which only happens where there was no row to hold.
  throw refusal(claimConflict((await lockClaim(t, conversationSid))!));
}

/** Locks the claim in force, if there is one. A row is not locked together with its conversation, whose locks come last. */
async function lockClaim(t: TenantTx, conversationSid: string): Promise<StandingClaim | undefined> {
  return t.maybe<StandingClaim>(sql`
    select holder, token_hash as "tokenHash", expires_at as "expiresAt" from composer_claims
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and conversation_sid = ${conversationSid}
       and expires_at > ${t.now}
       for update`);
}

const refusal = ({ code, ...facts }: Refusal) => new ApiError(code, facts);

function refuseOverride(t: TenantTx): void {
  if (holdsOnAccount(t, answering)) return;
  throw new ApiError('AUTHORIZATION_ERROR', { details: [overrideDetail] });
}

export const overrideDetail = {
  path: 'composerOverrideReason',
  issue: `overriding needs ${answering} on the account`,
};

/** A claim that has run out is not renewed: somebody else may have answered meanwhile. */
export async function renewClaim(
  t: TenantTx,
  conversationSid: string,
  token: string,
): Promise<ComposerClaim> {
  await requireConversation(t, conversationSid, answering);
  const renewed = await t.maybe<ComposerClaim>(sql`
    update composer_claims set expires_at = ${endOf(t)}
     where ${theirs(t, conversationSid, token)} and expires_at > ${t.now}
    returning ${columns(null)}`);
  if (renewed) return renewed;
  const standing = await lockClaim(t, conversationSid);
  throw standing ? refusal(claimConflict(standing)) : new ApiError('COMPOSER_CLAIM_REQUIRED');
}

/** A claim that is no longer theirs is left alone. */
export async function releaseClaim(t: TenantTx, conversationSid: string, token: string): Promise<void> {
  await requireConversation(t, conversationSid, answering);
  await t.run(sql`delete from composer_claims where ${theirs(t, conversationSid, token)}`);
}

const theirs = (t: TenantTx, conversationSid: string, token: string) => sql`account_sid = ${t.accountSid}
  and livemode = ${t.livemode} and conversation_sid = ${conversationSid} and token_hash = ${sha256(token)}
  and holder = ${principalName(t.principal)}`;
