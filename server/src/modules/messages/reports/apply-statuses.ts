// What the provider reports of messages it was handed: the statuses of a batch move their messages together, with their
// events and their money, in the transaction that remembers the callback.
import type { TenantTx } from '../../../platform/db/database.ts';
import { isSid } from '../../../platform/ids.ts';
import { enqueue } from '../../../platform/jobs/jobs.ts';
import { release } from '../../billing/index.ts';
import { consentsOf } from '../../consent/index.ts';
import { learnNumbers } from '../../contacts/index.ts';
import { type EntryPoint, noteEntryPoints } from '../../conversations/index.ts';
import type { ProviderStatus } from '../../provider/index.ts';
import { endAttempts, refusedBy, supersededIds } from '../dispatch/attempts.ts';
import { wakeFor } from '../dispatch/lanes.ts';
import { planAgain, type Refusal } from '../dispatch/try-again.ts';
import { settleUnpriced, unpricedForMs } from '../jobs.ts';
import { failureError, messageError } from '../message-error.ts';
import { statusesApplied } from '../metrics.ts';
import { advance, type Report } from '../states/advance.ts';
import {
  awaitsPrice,
  comparePrices,
  finalisePrices,
  isChargeable,
  type Pricing,
  type ToPrice,
} from '../states/final-prices.ts';
import {
  announce,
  announcePrices,
  type LiveMessage,
  lockMessages,
  storeStates,
} from '../states/live-messages.ts';
import { waitingUntil } from '../states/moves.ts';
import { rememberNames, sidsOfProviderIds } from '../states/provider-names.ts';
import { type ReportedStatus, ranks } from '../statuses.ts';
import { parkStatuses } from './parked-statuses.ts';

/** A status of a message of ours. */
type Matched = { sid: string; status: ProviderStatus };

export async function applyStatuses(t: TenantTx, statuses: ProviderStatus[]): Promise<void> {
  const { matched, strangers } = await matchStatuses(t, statuses);
  await parkStatuses(t, strangers);
  await applyMatched(t, matched);
}

/** Our SID comes back in every status, so that one may come before the answer to the hand-off it speaks of. */
async function matchStatuses(t: TenantTx, statuses: ProviderStatus[]) {
  const named = (status: ProviderStatus) => status.opaque !== null && isSid('SM', status.opaque);
  const sids = await sidsOfProviderIds(
    t,
    statuses.filter((status) => !named(status)).map(({ providerMessageId }) => providerMessageId),
  );
  const matched: Matched[] = [];
  const strangers: ProviderStatus[] = [];
  for (const status of statuses) {
    const sid = named(status) ? status.opaque : sids.get(status.providerMessageId);
    if (sid) matched.push({ sid, status });
    else strangers.push(status);
  }
  return { matched, strangers };
}

export async function applyMatched(t: TenantTx, matched: Matched[]): Promise<void> {
  if (matched.length === 0) return;
  const before = await lockMessages(t, [...new Set(matched.map(({ sid }) => sid))]);
  const superseded = await supersededIds(t, [...before.values()]);
  const current = matched
    .filter(
      ({ sid, status }) => before.has(sid) && (!superseded.has(status.providerMessageId) || isProof(status)),
    )
    .map((one) => (isErased(before, one) ? withoutWords(one) : one));
  // Of a message whose person was erased only its status and its price are still news.
  const known = current.filter((one) => !isErased(before, one));
  await learnFrom(t, known, before);
  await nameMessages(t, known, before);
  await noteEntryPoints(t, entryPointsIn(known, before));
  await endAnswered(t, known, before, superseded);
  const refusals = refusalsIn(known, before);
  const { after, steps, pricings, late } = moveAll(current, before, await planAgain(t, refusals));
  await endRefused(t, refusals, after);
  await finalisePrices(
    t,
    [...after.values()].map((message) => ({ message, pricing: pricings.get(message.sid) ?? null })),
  );
  await comparePrices(t, late);
  await storeStates(t, [...after.values()]);
  await wakeFor(
    t,
    [...after.values()].filter(({ waiting }) => waiting),
  );
  await release(
    t,
    [...after.values()]
      .filter(({ sid, status }) => status === 'failed' && before.get(sid)!.status !== 'failed')
      .map(({ sid }) => sid),
  );
  for (const step of steps) tell(t, step, after.get(step.sid)!);
  const told = new Set(steps.map(({ sid }) => sid));
  announcePrices(
    t,
    [...after.values()].filter(
      ({ sid, finalMinor }) => !told.has(sid) && finalMinor !== null && before.get(sid)!.finalMinor === null,
    ),
  );
}

const isErased = (messages: ReadonlyMap<string, LiveMessage>, { sid }: Matched) =>
  messages.get(sid)!.address === '';

const withoutWords = ({ sid, status }: Matched): Matched => ({
  sid,
  status: { ...status, failure: status.failure && { ...status.failure, reason: '' } },
});

/** What failed, as far as it may be handed over again. */
const refusalsIn = (current: Matched[], messages: ReadonlyMap<string, LiveMessage>): Refusal[] =>
  current.flatMap(({ sid, status: { status, failure, providerMessageId: name } }) =>
    status === 'failed' && failure ? [{ message: messages.get(sid)!, failure, name }] : [],
  );

/** The hand-offs of messages that wait to be tried again. */
async function endRefused(
  t: TenantTx,
  refusals: Refusal[],
  after: ReadonlyMap<string, LiveMessage>,
): Promise<void> {
  const ends = refusals
    .filter(({ message }) => after.get(message.sid)?.waiting)
    .map(({ message, failure, name: providerMessageId }) => {
      const hand = { messageSid: message.sid, number: message.attempts, providerMessageId };
      return { ...hand, outcome: 'retry' as const, ...refusedBy(failure) };
    });
  await endAttempts(t, ends, { evenIfEnded: true });
}

/**
 * A report answers the hand-off it speaks of: the provider has the message. Only after a second hand-off does its status not
 * tell so itself, and a lost answer would count.
 */
async function endAnswered(
  t: TenantTx,
  current: Matched[],
  messages: ReadonlyMap<string, LiveMessage>,
  superseded: ReadonlySet<string>,
): Promise<void> {
  await endAttempts(
    t,
    current.flatMap(({ sid, status: { status, providerMessageId } }) => {
      const { attempts: number } = messages.get(sid)!;
      if (number <= 1 || status === 'failed' || superseded.has(providerMessageId)) return [];
      const nothing = { code: null, providerCode: null, reason: null };
      return [{ messageSid: sid, number, outcome: 'accepted' as const, ...nothing, providerMessageId }];
    }),
  );
}

type Moves = {
  after: Map<string, LiveMessage>;
  steps: LiveMessage[];
  pricings: Map<string, Pricing>;
  /** Prices that were told after the message was settled. */
  late: ToPrice[];
};

/** Every message a report changes, as it ends and with each step on the way there. */
function moveAll(
  current: Matched[],
  before: Map<string, LiveMessage>,
  again: ReadonlyMap<string, Date>,
): Moves {
  const moves: Moves = { after: new Map(), steps: [], pricings: new Map(), late: [] };
  // Lower ranks first: what came together is told in the order in which it happened.
  for (const { sid, status } of current.toSorted((a, b) => rankOf(a.status) - rankOf(b.status))) {
    const standing = moves.after.get(sid) ?? before.get(sid)!;
    const moved = afterReport(standing, status, again.get(sid));
    const tellsPrice = status.pricing !== null && standing.finalMinor === null;
    if (tellsPrice) moves.pricings.set(sid, status.pricing);
    else if (status.pricing) moves.late.push({ message: standing, pricing: status.pricing });
    if (moved !== standing || tellsPrice) moves.after.set(sid, { ...moved });
    if (moved.status !== standing.status) moves.steps.push(moves.after.get(sid)!);
    const retried = moved.waiting && !standing.waiting;
    const outcome = retried ? 'retried' : moved === standing ? 'known' : 'new';
    statusesApplied.inc({ status: status.status, outcome });
  }
  return moves;
}

function afterReport(standing: LiveMessage, status: ProviderStatus, again: Date | undefined): LiveMessage {
  if (status.status === 'failed' && again) return waitingUntil(standing, again);
  const moved = advance(standing, reportOf(status));
  // One that waits to be tried again was refused, and that turned out to be wrong: what the provider has is not sent twice.
  return moved.waiting ? { ...moved, waiting: false } : moved;
}

function tell(t: TenantTx, step: LiveMessage, end: LiveMessage): void {
  const { pricingType, finalMinor } = end;
  announce(t, isChargeable(step) ? { ...step, pricingType, finalMinor } : step);
  if (step.status === end.status && awaitsPrice(end)) {
    const runAt = new Date(t.now.getTime() + unpricedForMs);
    enqueue(t, settleUnpriced, { messageSid: end.sid }, { runAt, key: `unpriced:${end.sid}` });
  }
}

/** Only what is sent in one carries its conversation, and only `sent` tells its end. */
const entryPointsIn = (current: Matched[], messages: Map<string, LiveMessage>): EntryPoint[] =>
  current.flatMap(({ sid, status: { conversation } }) => {
    if (conversation?.originType !== 'referral_conversion' || conversation.expiresAt === null) return [];
    const { senderSid, contactSid } = messages.get(sid)!;
    return [{ senderSid, contactSid, freeUntil: conversation.expiresAt }];
  });

const reported = ({ status }: ProviderStatus): ReportedStatus => (status === 'played' ? 'read' : status);
const rankOf = (status: ProviderStatus) => ranks[reported(status)];

/** Somebody received it: true of whichever hand-off it is told. */
const isProof = ({ status }: ProviderStatus) => status !== 'sent' && status !== 'failed';

const reportOf = (status: ProviderStatus): Report => ({
  status: reported(status),
  at: status.occurredAt.toISOString(),
  error: status.failure ? failureError(status.failure) : messageError('PROVIDER_PERMANENT_ERROR'),
});

/** Whom the provider knows by other digits, when the answer that says so was never heard. */
async function learnFrom(t: TenantTx, current: Matched[], messages: Map<string, LiveMessage>): Promise<void> {
  const told = current.flatMap(({ sid, status: { recipient } }) => {
    const { identifierType, address, providerMessageId } = messages.get(sid)!;
    const unheard = providerMessageId === null && identifierType === 'phone_e164';
    return unheard && recipient.waId !== null ? [{ dialled: address, waId: recipient.waId }] : [];
  });
  await learnNumbers(t, { consentsOf }, told);
}

/** Remembers what the provider calls a message, when a status tells it before the answer did. */
async function nameMessages(
  t: TenantTx,
  current: Matched[],
  messages: Map<string, LiveMessage>,
): Promise<void> {
  const names = new Map(
    current
      .filter(({ sid, status }) => messages.get(sid)!.providerMessageId !== status.providerMessageId)
      .map(({ sid, status }) => [status.providerMessageId, sid]),
  );
  await rememberNames(t, names);
  for (const [name, sid] of names) messages.get(sid)!.providerMessageId ??= name;
}
