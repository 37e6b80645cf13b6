// The moves a message can make, each with the rank of its new status. A report of the provider moves it by `advance`; whatever
// we do to it ourselves moves it here.

import { type KeptError, messageError } from '../message-error.ts';
import { ranks, type Status, turnAt } from '../statuses.ts';
import type { LiveMessage } from './live-messages.ts';

const movedTo = (message: LiveMessage, status: Status, error: KeptError | null): LiveMessage => ({
  ...message,
  status,
  rank: ranks[status],
  waiting: false,
  error,
});

/** Taken out of the queue. One that was `sent` before the provider called it failed stays so: a status never moves backwards. */
export const sendingFrom = (message: LiveMessage): LiveMessage => ({
  ...movedTo(message, message.rank < ranks.sending ? 'sending' : message.status, null),
  attempts: message.attempts + 1,
});

/** Back in line until an instant. Its status stays: it says what happened, not what is planned. */
export const waitingUntil = (message: LiveMessage, at: Date): LiveMessage => ({
  ...message,
  waiting: true,
  dueAt: at.toISOString(),
  turnAt: turnAt(at, message.priority).toISOString(),
});

/** Its validity passed while it waited. */
export const expiredFrom = (message: LiveMessage): LiveMessage =>
  movedTo(message, 'expired', messageError('MESSAGE_EXPIRED'));

export const failedFrom = (message: LiveMessage, error: KeptError, at: Date): LiveMessage => ({
  ...movedTo(message, 'failed', error),
  failedAt: at.toISOString(),
});

/** Handed over, and nobody knows what became of it. What was `sent` once stays so: that is known. */
export const unknownFrom = (message: LiveMessage): LiveMessage =>
  message.rank > ranks.unknown
    ? message
    : movedTo(message, 'unknown', messageError('PROVIDER_RESULT_UNKNOWN'));
