// Where a message stands, told by events that may come twice and out of order.
import type { MessageStatus } from './generated/models.ts';
import { messageRanks } from './words/message-ranks.ts';

const ranks: Partial<Record<string, number>> = messageRanks;

/**
 * The status to keep when `told` is heard while `known` is stored: the one further along. A late `sent` never replaces `delivered`,
 * and a `delivered` replaces `failed`, since a delivery is proof. A word this version does not know changes nothing that is known.
 */
export function applyStatus(known: MessageStatus | null | undefined, told: MessageStatus): MessageStatus {
  const from = ranks[known ?? ''];
  const to = ranks[told];
  if (known === null || known === undefined) return told;
  if (to === undefined) return known;
  if (from === undefined) return told;
  // Before it is handed over, a message moves between being queued, scheduled and deferred.
  return to > from || (to === from && to === ranks.queued) ? told : known;
}
