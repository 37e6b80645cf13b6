// Brings senders up to date with what the provider lists for their business account.
import type { TenantTx } from '../../platform/db/database.ts';
import { emit } from '../../platform/events.ts';
import type { ProviderPhoneNumber } from '../provider/index.ts';
import { senderEvents } from './events.ts';
import { readSender } from './resource.ts';
import type { SenderResource } from './schema.ts';
import {
  changeSender,
  differs,
  formerIdsIn,
  insertSender,
  type Quality,
  qualities,
  type Sender,
  type SenderFacts,
  type SenderStatus,
  senderStatuses,
  sendersOfWabas,
  sendersWithNumbers,
} from './senders.ts';

const oneOf = <W extends string>(words: readonly W[], said: string | null, otherwise: W): W =>
  words.find((word) => word === said?.toUpperCase()) ?? otherwise;

// Messages a second, all types together. Numbers shared with the phone app are the slowest.
const onBusinessAppPerSecond = 20;
const throughputs: Record<string, number> = { STANDARD: 80, HIGH: 1_000 };

/** A status we do not know is one we do not send from. */
export function factsOf(number: ProviderPhoneNumber): SenderFacts {
  const throughputLevel = number.throughputLevel.toUpperCase();
  return {
    displayName: number.verifiedName,
    status: oneOf<SenderStatus>(senderStatuses, number.status, 'PENDING'),
    quality: oneOf<Quality>(qualities, number.qualityRating, 'UNKNOWN'),
    throughputLevel,
    throughputPerSecond: number.isOnBizApp ? onBusinessAppPerSecond : (throughputs[throughputLevel] ?? 80),
    nameStatus: number.nameStatus,
    verificationStatus: number.codeVerificationStatus,
    onBusinessApp: number.isOnBizApp,
  };
}

export const e164 = (displayPhoneNumber: string) => `+${displayPhoneNumber.replaceAll(/\D/g, '')}`;

/**
 * Every listed number is a sender afterwards, but for those that have moved away or are on their way here: they are the senders
 * they were. What is no longer listed is told by callbacks, not by its absence.
 */
export async function numbersListed(
  t: TenantTx,
  wabaSid: string,
  numbers: readonly ProviderPhoneNumber[],
  { announced = true, saidAt = t.now }: { announced?: boolean | undefined; saidAt?: Date } = {},
): Promise<void> {
  const joined: Sender[] = [];
  const known = await sendersOfWabas(t, [wabaSid]);
  const byProviderId = new Map(known.map((sender) => [sender.providerPhoneNumberId, sender]));
  const isElsewhere = await numbersElsewhere(
    t,
    wabaSid,
    numbers.filter(({ id }) => !byProviderId.has(id)),
  );
  for (const number of numbers) {
    const sender = byProviderId.get(number.id);
    if (!sender) {
      if (!isElsewhere(number)) joined.push(await joinNumber(t, wabaSid, number));
      continue;
    }
    // What is said of a number that is changing hands may be about where it was or where it will be.
    if (sender.pausedBy === null) await bringUpToDate(t, sender, number, saidAt);
  }
  if (announced) for (const sender of joined) await announceJoined(t, sender);
}

const notRegistered = new Set(['UNVERIFIED', 'PENDING']);

/** Which of these numbers, unknown in this business account, are senders somewhere else. */
async function numbersElsewhere(t: TenantTx, wabaSid: string, numbers: readonly ProviderPhoneNumber[]) {
  if (numbers.length === 0) return () => false;
  const [left, senders] = await Promise.all([
    formerIdsIn(t, wabaSid),
    sendersWithNumbers(
      t,
      numbers.map(({ displayPhoneNumber }) => e164(displayPhoneNumber)),
    ),
  ]);
  const others = new Map(senders.map((sender) => [sender.phoneNumber, sender]));
  return ({ id, displayPhoneNumber, status }: ProviderPhoneNumber): boolean => {
    const other = others.get(e164(displayPhoneNumber));
    return left.has(id) || (other !== undefined && (notRegistered.has(status) || other.pausedBy !== null));
  };
}

export function joinNumber(t: TenantTx, wabaSid: string, number: ProviderPhoneNumber): Promise<Sender> {
  const phoneNumber = e164(number.displayPhoneNumber);
  return insertSender(t, { wabaSid, phoneNumber, providerPhoneNumberId: number.id, ...factsOf(number) });
}

/** A number that cannot send yet is told as what it is: a sender whose status says why not. */
export async function announceJoined(t: TenantTx, sender: Sender): Promise<SenderResource> {
  const resource = await readSender(t, sender);
  emit(t, sender.status === 'CONNECTED' ? senderEvents.connected : senderEvents.updated, resource);
  return resource;
}

/** Announces a change only when something changed. */
export async function bringUpToDate(
  t: TenantTx,
  sender: Sender,
  number: ProviderPhoneNumber,
  saidAt: Date = t.now,
): Promise<Sender> {
  const facts = factsOf(number);
  const word = { about: 'reading', saidAt, reason: 'read from the provider' } as const;
  const changed = await changeSender(t, sender, facts, word);
  if (!changed) return sender;
  if (differs(sender, facts)) emit(t, senderEvents.updated, await readSender(t, changed));
  return changed;
}
