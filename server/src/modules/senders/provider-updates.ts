// What the provider tells about numbers. It names them by their digits, so the business account the callback came for says
// which of ours is meant. An older word that arrives late changes nothing.
import type { TenantTx } from '../../platform/db/database.ts';
import { emit } from '../../platform/events.ts';
import { type PhoneNumberUpdate, type Routed, saidAtOf } from '../provider/index.ts';
import { senderEvents } from './events.ts';
import { readSender } from './resource.ts';
import {
  changeSender,
  lockSender,
  type Sender,
  type SenderAspect,
  type SenderChange,
  sendersOfWabas,
} from './senders.ts';

const digits = (text: string) => text.replaceAll(/\D/g, '');

export async function applyPhoneNumberUpdates(
  t: TenantTx,
  updates: readonly Routed<PhoneNumberUpdate>[],
): Promise<void> {
  for (const update of updates) await applyPhoneNumberUpdate(t, update);
}

/** A number that is not ours any more, or not yet, is passed over: the next reading of the account finds it. */
export async function applyPhoneNumberUpdate(t: TenantTx, update: Routed<PhoneNumberUpdate>): Promise<void> {
  const saidAt = saidAtOf(t, update.occurredAt);
  if (update.wabaSid === null) return;
  const wanted = digits(update.displayPhoneNumber);
  const found = (await sendersOfWabas(t, [update.wabaSid])).find(
    ({ phoneNumber }) => digits(phoneNumber) === wanted,
  );
  if (!found) return;
  const sender = await lockSender(t, found.sid);
  const meant = changeOf(sender, update);
  if (!meant) return;
  const { change, ...word } = meant;
  const changed = await changeSender(t, sender, change, { ...word, saidAt });
  if (changed) emit(t, senderEvents.updated, await readSender(t, changed), saidAt);
}

const nameStatuses: Record<string, string> = {
  APPROVED: 'APPROVED',
  REJECTED: 'DECLINED',
  PENDING: 'PENDING_REVIEW',
  DEFERRED: 'PENDING_REVIEW',
};

type Meant = { about: SenderAspect; reason: string; change: SenderChange };

/** What an update changes of the sender; null when it changes nothing we keep. */
function changeOf(sender: Sender, update: PhoneNumberUpdate): Meant | null {
  if (update.kind === 'name') {
    const nameStatus = nameStatuses[update.decision] ?? update.decision;
    const approved = update.decision === 'APPROVED' && update.requestedName !== null;
    const change = { nameStatus, ...(approved && { displayName: update.requestedName! }) };
    return { about: 'name', reason: `NAME_${update.decision}`, change };
  }
  if (update.kind !== 'quality') return null;
  const { event: reason } = update;
  switch (reason) {
    case 'THROUGHPUT_UPGRADE':
      return { about: 'throughput', reason, change: { throughputLevel: 'HIGH', throughputPerSecond: 1_000 } };
    case 'FLAGGED':
      return { about: 'status', reason, change: { status: 'FLAGGED', quality: 'RED' } };
    case 'UNFLAGGED':
      // Applied also when it arrives before the word it answers: that one is then old.
      return {
        about: 'status',
        reason,
        change: sender.status === 'FLAGGED' ? { status: 'CONNECTED', quality: 'UNKNOWN' } : {},
      };
    default:
      return null;
  }
}
