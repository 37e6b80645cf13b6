// Writes down what the provider answered. Accepted leaves a message `sending`: that it was sent only the provider's own report
// says, and such a report may be here already. A refusal that may pass puts the message back in line, any other ends it; an
// answer nobody heard leaves it `unknown`.
import type { TenantTx } from '../../platform/db/database.ts';
import { enqueue } from '../../platform/jobs.ts';
import { release } from '../billing/index.ts';
import type { Accepted, Answered, ProviderFailure } from '../provider/index.ts';
import { type AttemptEnd, endAttempts } from './attempts.ts';
import { releaseUnknown, silenceMs } from './jobs.ts';
import { wakeLanes } from './lanes.ts';
import { announce, type LiveMessage, lockMessages, storeStates } from './live-messages.ts';
import { deferCapped } from './marketing-caps.ts';
import { failureError, messageError } from './message-error.ts';
import { rememberNames } from './provider-names.ts';
import { ranks, turnAt } from './statuses.ts';

export type Answer = { messageSid: string; attempt: number; answered: Answered<Accepted> };

/** After this many hand-offs the provider's "later" counts as no. */
export const mostAttempts = 8;
const longestRestMs = 15 * 60 * 1000;

/** 1 s, 4 s, 16 s …, or what the provider asks for when that is longer. */
export const restBefore = (attempt: number, retryAfterMs: number | null) =>
  Math.max(Math.min(1000 * 4 ** (attempt - 1), longestRestMs), retryAfterMs ?? 0);

const isUnknown = ({ code }: ProviderFailure) => code === 'PROVIDER_RESULT_UNKNOWN';

export function outcomeOf({ answered, attempt }: Answer): AttemptEnd['outcome'] {
  if (answered.ok) return 'accepted';
  if (isUnknown(answered.failure)) return 'unknown';
  return answered.failure.retryable && attempt < mostAttempts ? 'retry' : 'refused';
}

function endOf(answer: Answer): AttemptEnd {
  const { messageSid, attempt, answered } = answer;
  const failure = answered.ok ? null : answered.failure;
  return {
    messageSid,
    number: attempt,
    outcome: outcomeOf(answer),
    code: failure?.code ?? null,
    providerCode: failure?.providerCode ?? null,
    reason: failure?.reason.replaceAll('\u0000', '') ?? null,
    providerMessageId: answered.ok ? answered.value.providerMessageId : null,
  };
}

export async function recordAnswers(t: TenantTx, answers: Answer[]): Promise<void> {
  const accepted = answers.flatMap(({ messageSid, answered }) =>
    answered.ok ? [[answered.value.providerMessageId, messageSid] as const] : [],
  );
  const failed = answers.filter(({ answered }) => !answered.ok);
  // The messages are locked before their attempts, as everybody does who touches both.
  const messages = await lockMessages(
    t,
    failed.map(({ messageSid }) => messageSid),
  );
  const [, open] = await Promise.all([
    rememberNames(t, new Map(accepted)),
    endAttempts(t, answers.map(endOf)),
  ]);
  // A report that came first has moved the message on, and knows better. An attempt that was given up for lost says no more.
  const moved = failed.flatMap((answer) => {
    const message = messages.get(answer.messageSid);
    const current = message && message.rank === ranks.sending && !message.waiting && open.has(message.sid);
    return current ? [afterFailure(t, message, answer)] : [];
  });
  await storeMoved(t, moved);
}

function afterFailure(t: TenantTx, message: LiveMessage, answer: Answer): LiveMessage {
  const { failure } = answer.answered as Extract<Answer['answered'], { ok: false }>;
  switch (outcomeOf(answer)) {
    case 'retry': {
      const dueAt = new Date(t.now.getTime() + restBefore(answer.attempt, failure.retryAfterMs));
      const turn = turnAt(dueAt, message.priority);
      return { ...message, waiting: true, dueAt: dueAt.toISOString(), turnAt: turn.toISOString() };
    }
    case 'unknown':
      return unknownFrom(message);
    default:
      return {
        ...message,
        status: 'failed',
        rank: ranks.failed,
        error: failureError(failure),
        failedAt: t.now.toISOString(),
      };
  }
}

/** Handed over, and nobody knows what became of it. */
export const unknownFrom = (message: LiveMessage): LiveMessage => ({
  ...message,
  status: 'unknown',
  rank: ranks.unknown,
  waiting: false,
  error: messageError('PROVIDER_RESULT_UNKNOWN'),
});

export async function storeMoved(t: TenantTx, moved: LiveMessage[]): Promise<void> {
  const deferred = await deferCapped(
    t,
    moved.filter(({ status }) => status === 'failed'),
  );
  const rest = moved.filter(({ sid }) => !deferred.has(sid));
  await storeStates(t, rest);
  const waiting = rest.filter((message) => message.waiting);
  await wakeLanes(t, soonestBySender(waiting));
  const failed = rest.filter(({ status }) => status === 'failed');
  await release(
    t,
    failed.map(({ sid }) => sid),
  );
  for (const message of [...rest, ...deferred.values()]) {
    if (message.status !== 'sending') announce(t, message);
    if (message.status === 'unknown') releaseLater(t, message);
  }
}

function soonestBySender(waiting: LiveMessage[]): Map<string, Date> {
  const soonest = new Map<string, Date>();
  for (const { senderSid, dueAt } of waiting) {
    const at = new Date(dueAt!);
    const known = soonest.get(senderSid);
    if (!known || at < known) soonest.set(senderSid, at);
  }
  return soonest;
}

function releaseLater(t: TenantTx, { sid, expiresAt }: LiveMessage): void {
  const validUntil = expiresAt === null ? t.now : new Date(expiresAt);
  const runAt = new Date(Math.max(validUntil.getTime(), t.now.getTime()) + silenceMs);
  enqueue(t, releaseUnknown, { messageSid: sid }, { runAt, key: `unknown:${sid}` });
}
