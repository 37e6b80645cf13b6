// Writes down what the provider answered. Accepted leaves a message `sending`: that it was sent only the provider's own report
// says, and such a report may be here already. A refusal that may pass puts the message back in line, any other ends it; an
// answer nobody heard leaves it `unknown`.
import type { TenantTx } from '../../../platform/db/database.ts';
import { enqueue } from '../../../platform/jobs/jobs.ts';
import { release } from '../../billing/index.ts';
import { consentsOf } from '../../consent/index.ts';
import { type KnownAs, learnNumbers } from '../../contacts/index.ts';
import type { Accepted, Answered, ProviderFailure } from '../../provider/index.ts';
import { releaseUnknown, silenceMs } from '../jobs.ts';
import { failureError } from '../message-error.ts';
import {
  announce,
  awaitsAnswer,
  type LiveMessage,
  lockMessages,
  storeStates,
} from '../states/live-messages.ts';
import { failedFrom, unknownFrom, waitingUntil } from '../states/moves.ts';
import { rememberNames } from '../states/provider-names.ts';
import { type AttemptEnd, endAttempts, refusedBy } from './attempts.ts';
import { wakeFor } from './lanes.ts';
import { mostAttempts, planAgain, type Refusal } from './try-again.ts';

export type Answer = {
  messageSid: string;
  attempt: number;
  /** The number it was handed over for; null where a person is addressed by id. */
  dialled: string | null;
  answered: Answered<Accepted>;
};
type Failed = Answer & { failure: ProviderFailure };

export function outcomeOf({ answered, attempt }: Answer): AttemptEnd['outcome'] {
  if (answered.ok) return 'accepted';
  if (answered.failure.code === 'PROVIDER_RESULT_UNKNOWN') return 'unknown';
  return answered.failure.retryable && attempt < mostAttempts ? 'retry' : 'refused';
}

function endOf(answer: Answer, again: ReadonlyMap<string, Date>): AttemptEnd {
  const { messageSid, attempt, answered } = answer;
  const nothing = { code: null, providerCode: null, reason: null };
  return {
    messageSid,
    number: attempt,
    outcome: again.has(messageSid) ? 'retry' : outcomeOf(answer),
    ...(answered.ok ? nothing : refusedBy(answered.failure)),
    providerMessageId: answered.ok ? answered.value.providerMessageId : null,
  };
}

export async function recordAnswers(t: TenantTx, answers: Answer[]): Promise<void> {
  // First, since it may lock contacts: whoever locks both locks contacts before messages.
  await learnNumbers(t, { consentsOf }, answers.flatMap(knownAs));
  const accepted = answers.flatMap(({ messageSid, answered }) =>
    answered.ok ? [[answered.value.providerMessageId, messageSid] as const] : [],
  );
  const failed = answers.flatMap((answer): Failed[] =>
    answer.answered.ok ? [] : [{ ...answer, failure: answer.answered.failure }],
  );
  // The messages are locked before their attempts, as everybody does who touches both.
  const messages = await lockMessages(
    t,
    failed.map(({ messageSid }) => messageSid),
  );
  const again = await planAgain(t, refusalsIn(failed, messages));
  const [, open] = await Promise.all([
    rememberNames(t, new Map(accepted)),
    endAttempts(
      t,
      answers.map((answer) => endOf(answer, again)),
    ),
  ]);
  // A report that came first has moved the message on, and knows better. An attempt that was given up for lost says no more.
  const moved = failed.flatMap((answer) => {
    const message = messages.get(answer.messageSid);
    const current = message && awaitsAnswer(message) && open.has(message.sid);
    return current ? [afterFailure(t, message, answer, again.get(message.sid))] : [];
  });
  await storeMoved(t, moved);
}

function knownAs({ dialled, answered }: Answer): KnownAs[] {
  const waId = answered.ok ? answered.value.waId : null;
  return dialled !== null && waId !== null ? [{ dialled, waId }] : [];
}

const refusalsIn = (failed: Failed[], messages: ReadonlyMap<string, LiveMessage>): Refusal[] =>
  failed.flatMap((answer) => {
    const message = messages.get(answer.messageSid);
    const refused = message && awaitsAnswer(message) && outcomeOf(answer) !== 'unknown';
    return refused ? [{ message, failure: answer.failure, name: null }] : [];
  });

function afterFailure(
  t: TenantTx,
  message: LiveMessage,
  answer: Failed,
  again: Date | undefined,
): LiveMessage {
  if (again) return waitingUntil(message, again);
  if (outcomeOf(answer) === 'unknown') return unknownFrom(message);
  return failedFrom(message, failureError(answer.failure), t.now);
}

export async function storeMoved(t: TenantTx, moved: LiveMessage[]): Promise<void> {
  await storeStates(t, moved);
  await wakeFor(
    t,
    moved.filter(({ waiting }) => waiting),
  );
  await release(
    t,
    moved.filter(({ status }) => status === 'failed').map(({ sid }) => sid),
  );
  for (const message of moved) {
    if (message.status === 'failed' || message.status === 'unknown') announce(t, message);
    if (message.status === 'unknown') releaseLater(t, message);
  }
}

function releaseLater(t: TenantTx, { sid, expiresAt }: LiveMessage): void {
  const validUntil = expiresAt === null ? t.now : new Date(expiresAt);
  const runAt = new Date(Math.max(validUntil.getTime(), t.now.getTime()) + silenceMs);
  enqueue(t, releaseUnknown, { messageSid: sid }, { runAt, key: `unknown:${sid}` });
}
