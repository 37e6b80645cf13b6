// Who may write in a conversation. Whoever holds messages:send on the account may, and waits for nobody but a colleague who
// is writing. A person who holds it in single inboxes answers there and does nothing else: in a conversation of such an
// inbox, as a member of it, with a claim of their own, by the conversation's sender.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError, type ErrorDetail } from '../../../platform/errors/errors.ts';
import { principalName } from '../../../platform/principal.ts';
import {
  answering,
  type ConversationFacts,
  claimConflict,
  claimsOn,
  findConversations,
  isOwnClaim,
  opensClaim,
  overrideDetail,
  type StandingClaim,
  wentOn,
} from '../../conversations/index.ts';
import { type Membership, membersAmong } from '../../inboxes/index.ts';
import { hasInboxScope } from '../../roles/index.ts';
import type { Draft } from '../drafts/read-message.ts';
import { type Case, missing } from '../gates/case.ts';

/**
 * What the composer gate says of each, or why the caller may not be here at all. Sending holds the claims it relies on:
 * nobody else gets one of them before the message is stored.
 */
export async function judgeReplies(
  t: TenantTx,
  drafts: readonly Draft[],
  { toSend }: { toSend: boolean },
): Promise<(Case['composer'] | ApiError)[]> {
  const sids = [...new Set(drafts.flatMap((draft) => conversationSidOf(draft) ?? []))];
  // Nearly every message names a person and comes from the account: nothing is asked for those.
  const conversations = await findConversations(t, sids);
  const [isMember, claims] = await Promise.all([
    membersAmong(
      t,
      drafts.flatMap((draft) => membershipOf(t, draft, conversations) ?? []),
    ),
    claimsOn(t, sids, { lock: toSend }),
  ]);
  return drafts.map((draft) => {
    const sid = conversationSidOf(draft);
    const conversation = conversations.get(sid ?? '');
    const claim = claims.get(sid ?? '') ?? null;
    if (!actsForAccount(t, draft)) {
      const membership = membershipOf(t, draft, conversations);
      const reached = membership !== null && isMember(membership);
      const refusal = refuseAuthor(draft, reached);
      if (refusal) return refusal;
    }
    // One that is not there is told by the gates of the sender and the recipient.
    return conversation ? judgeComposer(t, draft, conversation, claim) : null;
  });
}

const conversationSidOf = ({ to }: Draft) => ('conversationSid' in to ? to.conversationSid : null);

const actsForAccount = ({ accountSid }: TenantTx, { author }: Draft) =>
  author.kind === 'system' || (author.scopesOn(accountSid)?.has(answering) ?? false);

/** The membership that lets a person answer here, if a role bound to the conversation's inbox does; null otherwise. */
function membershipOf(
  t: TenantTx,
  draft: Draft,
  conversations: ReadonlyMap<string, ConversationFacts>,
): Membership | null {
  const { author } = draft;
  const inboxSid = conversations.get(conversationSidOf(draft) ?? '')?.inboxSid ?? null;
  if (actsForAccount(t, draft) || author.kind !== 'user' || inboxSid === null) return null;
  return hasInboxScope(author, inboxSid, answering) ? { inboxSid, userSid: author.ref } : null;
}

/** Why somebody who holds the scope in single inboxes only may not do this, whatever state things are in. */
function refuseAuthor(draft: Draft, reached: boolean): ApiError | null {
  const lacking: ErrorDetail[] = [];
  const needsAccount = (path: string, what: string) =>
    lacking.push({ path, issue: `${what} needs ${answering} on the account` });
  if (draft.author.kind !== 'user') needsAccount('scope', 'sending with a key');
  if (conversationSidOf(draft) === null) needsAccount('conversationSid', 'writing outside of a conversation');
  if (draft.sender !== 'any' && 'poolSid' in draft.sender) needsAccount('senderPoolSid', 'a sender pool');
  if (draft.composer.overrideReason !== null) lacking.push(overrideDetail);
  if (lacking.length > 0) return new ApiError('AUTHORIZATION_ERROR', { details: lacking });
  if (reached) return null;
  const { code, details } = missing('conversationSid', 'conversation');
  return new ApiError(code, { ...(details && { details }) });
}

function judgeComposer(
  t: TenantTx,
  draft: Draft,
  { sid, mergedInto }: ConversationFacts,
  claim: StandingClaim | null,
): Case['composer'] {
  const { author, composer } = draft;
  const { claimToken, overrideReason } = composer;
  if (mergedInto !== null) return { code: 'CONFLICT', details: wentOn(sid, mergedInto).details };
  const forAccount = actsForAccount(t, draft);
  if (claim === null) {
    // A token says that its holder counts on a claim; one that has run out guards nothing any more.
    if (forAccount && claimToken === null) return { heldBy: null, overrides: false };
    return { code: 'COMPOSER_CLAIM_REQUIRED' };
  }
  const { holder: heldBy } = claim;
  const isTheirs = principalName(author) === heldBy;
  if (isTheirs && claimToken !== null && opensClaim(claimToken, claim)) return { heldBy, overrides: false };
  if (forAccount && overrideReason !== null) return { heldBy, overrides: !isOwnClaim(author, claim) };
  if (!isOwnClaim(author, claim)) return claimConflict(claim);
  // Their own, by another token or none: from the account a session is proof enough.
  return forAccount && claimToken === null
    ? { heldBy, overrides: false }
    : { code: 'COMPOSER_CLAIM_REQUIRED' };
}
