import type { Module } from '../../platform/module.ts';
import { crons } from './crons.ts';
import { dispatchLoop } from './dispatch/dispatcher.ts';
import { observeLanes } from './dispatch/lane-states.ts';
import { messageBelongings } from './erasure/belongings.ts';
import { messageEvents } from './events.ts';
import { releaseUnknown, settleUnpriced } from './jobs.ts';
import { tellMessageMetrics } from './metrics.ts';
import { lookAtSilent } from './reports/silence.ts';
import { operations } from './routes.ts';
import { whyNotOperations } from './why-not/routes.ts';

export { admitEach, judgeMessage } from './admission/admit-messages.ts';
export { Allowance } from './admission/allowance.ts';
export { AudienceJudge, type AudiencePart, type Prospect } from './admission/judge-audience.ts';
export { preflightMessages } from './admission/preflight-message.ts';
export { judgeUnaddressed, UnaddressedMessage } from './admission/unaddressed-messages.ts';
export { type BilledMessage, billedMessages, stretchOfMessages } from './billed-messages.ts';
export { outcomesOf } from './campaign-outcomes.ts';
export { cancelMessagesOf } from './cancel-message.ts';
export { wakeLanes } from './dispatch/lanes.ts';
export { createOutwait, isHandingOff, lockClaims } from './dispatch/outwait-hand-offs.ts';
export { countWaiting, wakeSender } from './dispatch/sender-queue.ts';
export {
  type DoubtedPrice,
  doubtedPrices,
  silentMessages,
  type UnknownMessage,
  unknownMessages,
} from './doubts.ts';
export { mediaIn } from './drafts/media-in-content.ts';
export { messageEvents } from './events.ts';
export { messagesFollow } from './followers.ts';
export { Refusal } from './gates/judge.ts';
export { foldWords, wishOf } from './inbound/keywords.ts';
export { updateUserIds } from './inbound/people.ts';
export { asksToStop, receiveMessages } from './inbound/receive-messages.ts';
export { isCampaign } from './list-messages.ts';
export { getMessage, messagesWithinReach, readMessages } from './messages.ts';
export { applyStatuses } from './reports/apply-statuses.ts';
export { settleByHistory } from './reports/ask-history.ts';
export { countFiles, countRemovable } from './retention/count.ts';
export { exceptionsIn } from './retention/removable.ts';
export {
  endOfBatch,
  type Files,
  firstWithContent,
  removeContents,
  removeCopies,
  removeMessages,
  removeRest,
} from './retention/remove.ts';
export { writtenToIn } from './said-in.ts';
export {
  Category as MessageCategory,
  Direction as MessageDirection,
  Message,
  Status as MessageStatus,
} from './schema.ts';
export {
  type CountableMessage,
  countableIn,
  countableMessages,
  firstMessageFrom,
  type Stretch,
} from './states/countable-messages.ts';
export { providerIdsOf, sidsOfProviderIds } from './states/provider-names.ts';

export const messagesModule: Module = {
  name: 'messages',
  tables: [
    'messages',
    'message_states',
    'message_attempts',
    'provider_messages',
    'dispatch_lanes',
    'pair_rates',
    'marketing_caps',
    'parked_statuses',
    'silence_looks',
  ],
  tags: {
    Messages: 'Sending, checking and following messages.',
  },
  operations: [...operations, ...whyNotOperations],
  events: Object.values(messageEvents),
  jobs: [settleUnpriced, releaseUnknown, lookAtSilent],
  crons,
  loops: [dispatchLoop],
  belongings: messageBelongings,
  observe(observing) {
    tellMessageMetrics(observing.registry);
    observeLanes(observing);
  },
};
