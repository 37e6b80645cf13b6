// Takes the next messages of a lane out of the queue. When this commits they are `sending`, each with an attempt in this
// process's name: from here on they are handed over once, or not at all, whatever dies.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { ErrorCode } from '../../platform/errors.ts';
import { release } from '../billing/index.ts';
import type { Connection } from '../provider/index.ts';
import { loadSender, type Sender } from '../senders/index.ts';
import { connectionOf } from '../wabas/index.ts';
import { openAttempts } from './attempts.ts';
import { buildHandOffs, type HandOff } from './build-hand-offs.ts';
import { lookOnceMore } from './last-look.ts';
import { announce, type LiveMessage, liveColumns, storeStates } from './live-messages.ts';
import { messageError } from './message-error.ts';
import { countPairs, judgePairs } from './pair-rates.ts';
import { patienceMs, ranks, turnAt } from './statuses.ts';

export type Claim = {
  handOffs: HandOff[];
  /** Messages a second this number may send. */
  perSecond: number;
  /** Whether others may be due beyond the limit. */
  more: boolean;
  /** The lane cannot send now, though it may again. */
  blocked: boolean;
};

type Candidate = LiveMessage & { pairFreeAt: string | null };

export async function claimMessages(
  t: TenantTx,
  { senderSid, limit, processId }: { senderSid: string; limit: number; processId: string },
): Promise<Claim> {
  const sender = await loadSender(t, senderSid);
  const connection = sender?.wabaSid ? await connectionOf(t, sender.wabaSid) : null;
  const perSecond = sender?.throughputPerSecond ?? 1;
  const standing = standingOf(sender, connection);
  if (standing === 'blocked') return { handOffs: [], perSecond, more: false, blocked: true };
  const candidates = await takeDue(t, senderSid, limit);
  const more = candidates.length === limit;
  if (standing === 'gone') {
    await end(t, refuseAll(candidates, 'SENDER_NOT_READY'));
    return { handOffs: [], perSecond, more, blocked: false };
  }
  const handOffs = await claim(t, candidates, { sender: sender!, connection: connection! }, processId);
  return { handOffs, perSecond, more, blocked: false };
}

/** A number that left does not come back under its SID; every other trouble may pass before a message expires. */
function standingOf(sender: Sender | null, connection: Connection | null): 'ready' | 'blocked' | 'gone' {
  if (!sender || sender.status === 'DELETED' || sender.status === 'MIGRATED') return 'gone';
  const ready = sender.status === 'CONNECTED' && sender.providerPhoneNumberId !== null && connection !== null;
  return ready ? 'ready' : 'blocked';
}

// A message due now has its turn at the latest this much later, so that no further the queue need be read.
const longestPatienceMs = Math.max(...patienceMs);

/** Locks what is due, in its turn. One that is just being canceled is left to that. */
function takeDue(t: TenantTx, senderSid: string, limit: number): Promise<Candidate[]> {
  return t.many<Candidate>(sql`
    select ${liveColumns}, p.free_at as "pairFreeAt"
      from message_states s join messages m on m.account_sid = s.account_sid and m.sid = s.sid
      left join pair_rates p on p.account_sid = m.account_sid and p.sender_sid = m.sender_sid and p.address = m.address
     where s.account_sid = ${t.accountSid} and s.livemode = ${t.livemode} and s.sender_sid = ${senderSid} and s.waiting
       and s.due_at <= ${t.now} and s.turn_at <= ${new Date(t.now.getTime() + longestPatienceMs)}
     order by s.turn_at, s.sid limit ${limit} for no key update of s skip locked`);
}

type Way = { sender: Sender; connection: Connection };

async function claim(t: TenantTx, candidates: Candidate[], way: Way, processId: string): Promise<HandOff[]> {
  if (candidates.length === 0) return [];
  const expired = candidates.filter(({ expiresAt }) => expiresAt !== null && new Date(expiresAt) <= t.now);
  const alive = candidates.filter((candidate) => !expired.includes(candidate));
  const refusals = await lookOnceMore(t, alive);
  const { ready, later } = judgePairs(
    alive.filter(({ sid }) => !refusals.has(sid)),
    t.now,
  );
  const { handOffs, broken } = await buildHandOffs(t, ready.map(sendingFrom), way);
  const refused = [
    ...alive.flatMap((message) => refuse(message, refusals.get(message.sid))),
    ...refuseAll(broken, 'MESSAGE_BUILD_FAILED'),
  ];
  const postponed = later.map(({ message, at }) => ({
    ...message,
    dueAt: at.toISOString(),
    turnAt: turnAt(at, message.priority).toISOString(),
  }));
  const sending = handOffs.map(({ message }) => message);
  await storeStates(t, [...sending, ...postponed]);
  await openAttempts(t, sending, processId);
  await countPairs(
    t,
    way.sender.sid,
    sending.map(({ address }) => address),
  );
  // Told once: a message that is tried again has not stopped being sent.
  for (const message of sending) if (message.attempts === 1) announce(t, message);
  await end(t, [...expired.map(expire), ...refused]);
  return handOffs;
}

const sendingFrom = (message: Candidate): LiveMessage => ({
  ...message,
  // One that was `sent` before the provider called it failed stays so: a status never moves backwards.
  ...(message.rank < ranks.sending && { status: 'sending' as const, rank: ranks.sending }),
  waiting: false,
  error: null,
  attempts: message.attempts + 1,
});

/** A message whose validity passed while it waited. */
export const expire = (message: LiveMessage): LiveMessage => ({
  ...message,
  status: 'expired',
  rank: ranks.expired,
  waiting: false,
  error: messageError('MESSAGE_EXPIRED'),
});

const refuse = (message: LiveMessage, code: ErrorCode | undefined): LiveMessage[] =>
  code === undefined ? [] : refuseAll([message], code);

const refuseAll = (messages: LiveMessage[], code: ErrorCode): LiveMessage[] =>
  messages.map((message) => ({
    ...message,
    status: 'failed' as const,
    rank: ranks.failed,
    waiting: false,
    error: messageError(code),
  }));

/** Stores messages that end without having been handed over, tells of each, and gives their money back. */
export async function end(t: TenantTx, messages: LiveMessage[]): Promise<void> {
  const failedAt = t.now.toISOString();
  const ended = messages.map((message) => (message.status === 'failed' ? { ...message, failedAt } : message));
  await storeStates(t, ended);
  await release(
    t,
    ended.map(({ sid }) => sid),
  );
  for (const message of ended) announce(t, message);
}
