// Takes the next messages of a lane out of the queue, as many as are called the moment this commits. They are `sending` then,
// each with an attempt in this process's name: from here on they are handed over once, or not at all, whatever dies. What needs
// time before it can be called, because the provider does not know its files yet, stays in line meanwhile.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { ErrorCode } from '../../../platform/errors/errors.ts';
import { accountStanding } from '../../accounts/index.ts';
import { release } from '../../billing/index.ts';
import type { Connection, ProviderFailure } from '../../provider/index.ts';
import { loadSender, type Sender } from '../../senders/index.ts';
import { connectionOf } from '../../wabas/index.ts';
import { messageError } from '../message-error.ts';
import {
  announce,
  type LiveMessage,
  liveColumns,
  lockMessages,
  storeStates,
} from '../states/live-messages.ts';
import { expiredFrom, failedFrom, sendingFrom, waitingUntil } from '../states/moves.ts';
import { patienceMs } from '../statuses.ts';
import { openAttempts } from './attempts.ts';
import { buildHandOffs, type HandOff } from './build-hand-offs.ts';
import { dispatchLanes, type LeasedLane } from './lanes.ts';
import { lookOnceMore } from './last-look.ts';
import { whileClaiming } from './outwait-hand-offs.ts';
import { countPairs, judgePairs } from './pair-rates.ts';
import { recordAnswers } from './record-answers.ts';

/** What the provider calls the files of messages that waited for them, by message. */
export type Prepared = ReadonlyMap<string, ReadonlyMap<string, string>>;

export type Claim = {
  handOffs: HandOff[];
  /** Still in line: their files must be made known to the provider first. */
  unprepared: HandOff[];
  /** Messages a second this number may send. */
  perSecond: number;
  /** Whether others may be due beyond the limit. */
  more: boolean;
  /** The lane cannot send now, though it may again. */
  blocked: boolean;
};

type Candidate = LiveMessage & { pairFreeAt: string | null };

export type ClaimOptions = {
  lane: LeasedLane;
  limit: number;
  prepared?: Prepared;
  /** Messages to leave in line. */
  preparing?: ReadonlySet<string>;
};

/** Null when it has to give way to somebody who forbids messages of the account. */
export async function claimMessages(t: TenantTx, options: ClaimOptions): Promise<Claim | null> {
  const { lane, limit } = options;
  // Before anything is looked at: whoever forbids a message waits for claims that may have looked before.
  const [shared, { accountStatus }, sender] = await Promise.all([
    whileClaiming(t),
    accountStanding(t),
    loadSender(t, lane.senderSid),
  ]);
  if (!shared) return null;
  const connection = sender?.wabaSid ? await connectionOf(t, sender.wabaSid) : null;
  const none = { handOffs: [], unprepared: [], perSecond: sender?.throughputPerSecond ?? 1, blocked: false };
  const standing = standingOf(sender, connection);
  if (standing === 'blocked' || accountStatus !== 'active') return { ...none, more: false, blocked: true };
  const candidates = await takeDue(t, options);
  const more = candidates.length === limit;
  if (standing === 'gone') {
    const refused = candidates.map((message) => refuse(t, message, 'SENDER_NOT_READY'));
    await end(t, refused);
    return { ...none, more };
  }
  const way = { sender: sender!, connection: connection! };
  return { ...none, more, ...(await claim(t, candidates, way, options)) };
}

/**
 * A number that left does not come back under its SID; every other trouble may pass before a message expires. One that is changing
 * hands has left the one account and will be in the other.
 */
function standingOf(sender: Sender | null, connection: Connection | null): 'ready' | 'blocked' | 'gone' {
  if (sender && sender.pausedBy !== null) return 'blocked';
  if (!sender || sender.status === 'DELETED' || sender.status === 'MIGRATED') return 'gone';
  const ready = sender.status === 'CONNECTED' && sender.providerPhoneNumberId !== null && connection !== null;
  return ready ? 'ready' : 'blocked';
}

// A message due now has its turn at the latest this much later, so that no further the queue need be read.
const longestPatienceMs = Math.max(...patienceMs);

/**
 * Locks what is due, in its turn, as long as the lane is held. One that is just being canceled is left to that. Each of the
 * rows found is looked up by its whole key: a join would be free to read an account's messages one by one where the planner
 * knows nothing of them.
 */
function takeDue(t: TenantTx, { lane, limit, preparing }: ClaimOptions): Promise<Candidate[]> {
  return t.many<Candidate>(sql`
    with due as (
      select * from message_states
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sender_sid = ${lane.senderSid} and waiting
         and due_at <= ${t.now} and turn_at <= ${new Date(t.now.getTime() + longestPatienceMs)}
         and sid <> all (${[...(preparing ?? [])]}::text[]) and ${dispatchLanes.holds(lane)}
       order by turn_at, sid limit ${limit} for no key update skip locked)
    select ${liveColumns}, p.free_at as "pairFreeAt" from due s
     cross join lateral (
       select * from messages where account_sid = s.account_sid and sid = s.sid limit 1) as m
      left join lateral (
       select free_at from pair_rates
        where account_sid = m.account_sid and sender_sid = m.sender_sid and address = m.address limit 1) as p on true
     order by s.turn_at, s.sid`);
}

type Way = { sender: Sender; connection: Connection };

async function claim(
  t: TenantTx,
  candidates: Candidate[],
  way: Way,
  { prepared = new Map(), lane }: ClaimOptions,
): Promise<Pick<Claim, 'handOffs' | 'unprepared'>> {
  if (candidates.length === 0) return { handOffs: [], unprepared: [] };
  const expired = candidates.filter(({ expiresAt }) => expiresAt !== null && new Date(expiresAt) <= t.now);
  const alive = candidates.filter((candidate) => !expired.includes(candidate));
  const refusals = await lookOnceMore(t, alive);
  const { ready, later } = judgePairs(
    alive.filter(({ sid }) => !refusals.has(sid)),
    t.now,
  );
  const { handOffs: built, broken } = await buildHandOffs(t, ready.map(sendingFrom), way);
  const { handOffs, unprepared } = withFiles(built, prepared);
  const refused = [
    ...alive.flatMap((message) => {
      const code = refusals.get(message.sid);
      return code === undefined ? [] : [refuse(t, message, code)];
    }),
    ...broken.map((message) => refuse(t, message, 'MESSAGE_BUILD_FAILED')),
  ];
  const postponed = later.map(({ message, at }) => waitingUntil(message, at));
  const sending = handOffs.map(({ message }) => message);
  await storeStates(t, postponed);
  await beginSending(t, sending, lane.holder);
  await end(t, [...expired.map(expiredFrom), ...refused]);
  return { handOffs, unprepared };
}

/** Messages whose files have names can go; the others need them first. */
function withFiles(built: HandOff[], prepared: Prepared): Pick<Claim, 'handOffs' | 'unprepared'> {
  const handOffs: HandOff[] = [];
  const unprepared: HandOff[] = [];
  for (const handOff of built) {
    const mediaIds = prepared.get(handOff.message.sid);
    if (mediaIds) handOffs.push({ ...handOff, outbound: { ...handOff.outbound, mediaIds } });
    else (handOff.mediaSids.length > 0 ? unprepared : handOffs).push(handOff);
  }
  return { handOffs, unprepared };
}

/** Writes messages down as tried by this process. */
async function beginSending(t: TenantTx, sending: LiveMessage[], processId: string): Promise<void> {
  if (sending.length === 0) return;
  await storeStates(t, sending);
  await openAttempts(t, sending, processId);
  await countPairs(t, sending);
  // Told once: a message that is tried again has not stopped being sent.
  for (const message of sending) if (message.attempts === 1) announce(t, message);
}

/** A message that could not even be prepared: an attempt that ended before the call. */
export async function failUnprepared(
  t: TenantTx,
  { messageSid, processId }: { messageSid: string; processId: string },
  failure: ProviderFailure,
): Promise<void> {
  const message = (await lockMessages(t, [messageSid])).get(messageSid);
  // It was canceled or expired while its files were uploaded.
  if (!message?.waiting) return;
  const sending = sendingFrom(message);
  await beginSending(t, [sending], processId);
  const answered = { ok: false as const, failure };
  await recordAnswers(t, [{ messageSid, attempt: sending.attempts, dialled: null, answered }]);
}

const refuse = (t: TenantTx, message: LiveMessage, code: ErrorCode): LiveMessage =>
  failedFrom(message, messageError(code), t.now);

/** Stores messages that end without having been handed over, tells of each, and gives their money back. */
export async function end(t: TenantTx, messages: LiveMessage[]): Promise<void> {
  await storeStates(t, messages);
  await release(
    t,
    messages.map(({ sid }) => sid),
  );
  for (const message of messages) announce(t, message);
}
