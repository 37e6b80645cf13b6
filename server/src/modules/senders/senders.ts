// The phone numbers an account sends from. Only CONNECTED is ready; every other status says why not.
import type { SystemTx, TenantTx } from '../../platform/db/database.ts';
import { isUniqueViolation } from '../../platform/db/failures.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { newSid } from '../../platform/ids.ts';
import { declareFact, factOf, factsOf, inOrder } from '../../platform/kept-facts.ts';
import { type FlowKey, isNews, withSaidAt } from '../provider/index.ts';
import { tellIfWorse } from './notifications.ts';

export const senderStatuses = [
  'CONNECTED',
  'DISCONNECTED',
  'PENDING',
  'UNVERIFIED',
  'FLAGGED',
  'RESTRICTED',
  'RATE_LIMITED',
  'BANNED',
  'DELETED',
  'MIGRATED',
] as const;
export type SenderStatus = (typeof senderStatuses)[number];
export const qualities = ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] as const;
export type Quality = (typeof qualities)[number];

export type Sender = {
  sid: string;
  wabaSid: string | null;
  phoneNumber: string;
  providerPhoneNumberId: string | null;
  displayName: string;
  status: SenderStatus;
  quality: Quality;
  throughputLevel: string;
  throughputPerSecond: number;
  nameStatus: string | null;
  verificationStatus: string | null;
  onBusinessApp: boolean;
  /** Whether it has the key that flows with an endpoint need; null when nobody has asked. */
  flowKey: FlowKey | null;
  /** The migration that keeps its messages in line while the number changes hands. */
  pausedBy: string | null;
  statusChangedAt: string;
  createdAt: string;
  updatedAt: string;
};

export const senderColumns = sql`sid, waba_sid as "wabaSid", phone_number as "phoneNumber",
  provider_phone_number_id as "providerPhoneNumberId", display_name as "displayName", status, quality,
  throughput_level as "throughputLevel", throughput_per_second as "throughputPerSecond", name_status as "nameStatus",
  verification_status as "verificationStatus", on_business_app as "onBusinessApp",
  flow_key as "flowKey", paused_by as "pausedBy", coalesce(status_changed_at, created_at) as "statusChangedAt", created_at as "createdAt", updated_at as "updatedAt"`;

// One message to one person every 6 seconds, and a burst of 45 borrowed from the time after it.
export const pairRate = { secondsPerMessage: 6, burst: 45 } as const;

const senderFacts = declareFact<string, Sender>({
  name: 'sender',
  of: 'account',
  key: (sid) => sid,
  async load(t, sids) {
    const rows = await t.many<Sender>(sql`
      select ${senderColumns} from senders
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any(${[...sids]}::text[])`);
    return inOrder(sids, rows, ({ sid }) => sid);
  },
});

/** Many at once, for whoever judges many messages. */
export async function loadSenders(t: TenantTx, sids: readonly string[]): Promise<Map<string, Sender>> {
  const found = await factsOf(t, senderFacts, sids);
  return new Map(found.flatMap((sender) => (sender ? [[sender.sid, sender]] : [])));
}

export async function loadSender(t: TenantTx, sid: string): Promise<Sender | null> {
  return (await loadSenders(t, [sid])).get(sid) ?? null;
}

/** The sender, or NOT_FOUND; `path` names the field it came from when that is not the path of the request. */
export async function requireSender(t: TenantTx, sid: string, path?: string): Promise<Sender> {
  const sender = await loadSender(t, sid);
  if (sender) return sender;
  const issue = 'is no sender of this account and environment';
  throw new ApiError('NOT_FOUND', path === undefined ? {} : { details: [{ path, issue }] });
}

/** Locks the sender, so that two changes to it follow one another. */
export async function lockSender(t: TenantTx, sid: string): Promise<Sender> {
  await t.run(sql`
    select 1 from senders where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} for update`);
  return requireSender(t, sid);
}

const connectedFact = declareFact<null, readonly Sender[]>({
  name: 'connected_senders',
  of: 'account',
  key: () => '',
  load: async (t) => [
    await t.many<Sender>(sql`
      select ${senderColumns} from senders
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and status = 'CONNECTED' order by sid`),
  ],
});

/** The senders a message can leave from now, oldest first. */
export async function connectedSenders(t: TenantTx): Promise<readonly Sender[]> {
  return (await factOf(t, connectedFact))!;
}

export async function sendersOfWabas(t: TenantTx, wabaSids: readonly string[]): Promise<Sender[]> {
  return t.many<Sender>(sql`
    select ${senderColumns} from senders
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and waba_sid = any(${[...wabaSids]}::text[])
     order by sid`);
}

/** Of the senders that did not leave: a number that did may be another account's by now. */
export const numbersInUse = (t: TenantTx): Promise<{ sid: string; phoneNumberId: string }[]> =>
  t.many(sql`
    select sid, provider_phone_number_id as "phoneNumberId" from senders
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and provider_phone_number_id is not null
       and status not in ('DISCONNECTED', 'DELETED', 'MIGRATED')
     order by sid`);

export type SenderFilter = { status?: SenderStatus; wabaSid?: string };

export async function listSenderRows(t: TenantTx, filter: SenderFilter, pager: Pager): Promise<Sender[]> {
  const before = pager.after?.[0] ?? null;
  const { status = null, wabaSid = null } = filter;
  return t.many<Sender>(sql`
    select ${senderColumns} from senders
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       and (${status}::text is null or status = ${status}) and (${wabaSid}::text is null or waba_sid = ${wabaSid})
       and (${before}::text is null or sid < ${before})
     order by sid desc limit ${pager.fetch}`);
}

/** What the provider says of a number. */
export type SenderFacts = Pick<
  Sender,
  | 'displayName'
  | 'status'
  | 'quality'
  | 'throughputLevel'
  | 'throughputPerSecond'
  | 'nameStatus'
  | 'verificationStatus'
  | 'onBusinessApp'
>;
export type NewSender = Partial<SenderFacts> & {
  displayName: string;
  status: SenderStatus;
  wabaSid: string;
  /** E.164. */
  phoneNumber: string;
  providerPhoneNumberId: string;
};

/** What is known of a number of which nobody has said more. */
const unknownFacts = {
  quality: 'UNKNOWN',
  throughputLevel: 'STANDARD',
  throughputPerSecond: 80,
  nameStatus: null,
  verificationStatus: null,
  onBusinessApp: false,
} as const;

export async function insertSender(t: TenantTx, given: NewSender, reason = 'connected'): Promise<Sender> {
  const sender = { ...unknownFacts, ...given };
  try {
    const row = await t.one<Sender>(sql`
      insert into senders (account_sid, livemode, sid, waba_sid, phone_number, provider_phone_number_id, display_name,
        status, quality, throughput_level, throughput_per_second, name_status, verification_status, on_business_app,
        status_changed_at, created_at, updated_at)
      values (${t.accountSid}, ${t.livemode}, ${newSid('WA', t.now)}, ${sender.wabaSid}, ${sender.phoneNumber},
        ${sender.providerPhoneNumberId}, ${sender.displayName}, ${sender.status}, ${sender.quality},
        ${sender.throughputLevel}, ${sender.throughputPerSecond}, ${sender.nameStatus}, ${sender.verificationStatus},
        ${sender.onBusinessApp}, ${t.now}, ${t.now}, ${t.now})
      returning ${senderColumns}`);
    await rememberStatus(t, row, null, reason, t.now);
    return row;
  } catch (error) {
    if (!isUniqueViolation(error, 'senders_by_provider_id')) throw error;
    throw new ApiError('CONFLICT', { message: 'This phone number is already connected.' });
  }
}

export async function rememberStatus(
  t: TenantTx,
  sender: Pick<Sender, 'sid' | 'status' | 'quality'>,
  previous: string | null,
  reason: string,
  occurredAt: Date,
): Promise<void> {
  await t.run(sql`
    insert into sender_status_history (account_sid, livemode, sender_sid, status, previous_status, quality, reason,
      occurred_at, created_at)
    values (${t.accountSid}, ${t.livemode}, ${sender.sid}, ${sender.status}, ${previous}, ${sender.quality}, ${reason},
      ${occurredAt}, ${t.now})`);
}

export type SenderChange = Partial<SenderFacts>;

const aspects = ['status', 'name', 'throughput'] as const;
export type SenderAspect = (typeof aspects)[number];

/**
 * What the provider said: about one aspect in a callback, about every one when we read the number, which is as old as the
 * question. `all` is what we know ourselves and needs nobody's word.
 */
export type Word = { about: SenderAspect | 'reading' | 'all'; saidAt: Date; reason: string };

export const differs = (sender: Sender, facts: SenderChange): boolean =>
  (Object.keys(facts) as (keyof SenderFacts)[]).some((name) => sender[name] !== facts[name]);

/** Writes what is known of a sender; null when something newer was known already. */
export async function changeSender(
  t: TenantTx,
  sender: Sender,
  change: SenderChange,
  { about, saidAt, reason }: Word,
): Promise<Sender | null> {
  const next = { ...sender, ...change };
  const told = aspects.filter((aspect) => about === 'all' || about === 'reading' || about === aspect);
  const news = about === 'all' ? [] : told.map((aspect) => isNews(aspect, saidAt));
  const changed = await t.maybe<Sender>(sql`
    update senders set display_name = ${next.displayName}, status = ${next.status}, quality = ${next.quality},
      throughput_level = ${next.throughputLevel}, throughput_per_second = ${next.throughputPerSecond},
      name_status = ${next.nameStatus}, verification_status = ${next.verificationStatus},
      on_business_app = ${next.onBusinessApp},
      updated_at = case when ${differs(sender, change)} then ${t.now}::timestamptz else updated_at end,
      said_at = ${withSaidAt(told, saidAt)},
      status_changed_at = case when status = ${next.status} then status_changed_at else ${saidAt}::timestamptz end
     where account_sid = ${t.accountSid} and sid = ${sender.sid}
       and ${sql.join([sql`true`, ...news], sql` and `)}
    returning ${senderColumns}`);
  if (!changed) return null;
  if (changed.status !== sender.status || changed.quality !== sender.quality) {
    await rememberStatus(t, changed, sender.status, reason, saidAt);
  }
  tellIfWorse(t, sender, changed);
  if (changed.status !== 'CONNECTED' && sender.status === 'CONNECTED') t.outwait(sender.sid);
  return changed;
}

type Place = { accountSid: string; livemode: boolean; senderSid: string; wabaSid: string | null };

/** Whose number the provider speaks of. One in use wins; late words about one that left or moved still find it. */
export async function senderByPhoneNumberId(
  s: SystemTx,
  phoneNumberId: string,
  livemode: boolean,
): Promise<Place | null> {
  const found = await s.maybe<Place>(sql`
    select account_sid as "accountSid", livemode, sid as "senderSid", waba_sid as "wabaSid" from senders
     where provider_phone_number_id = ${phoneNumberId} and livemode = ${livemode}
     order by status not in ('DISCONNECTED', 'DELETED', 'MIGRATED') desc, sid desc limit 1`);
  return found ?? (await formerPlace(s, phoneNumberId, livemode)) ?? null;
}

const formerPlace = (s: SystemTx, phoneNumberId: string, livemode: boolean) =>
  s.maybe<Place>(sql`
    select account_sid as "accountSid", livemode, sender_sid as "senderSid", waba_sid as "wabaSid" from sender_former_ids
     where provider_phone_number_id = ${phoneNumberId} and livemode = ${livemode} order by left_at desc limit 1`);

/** What the provider called numbers that have moved away from a business account. */
export async function formerIdsIn(t: TenantTx, wabaSid: string): Promise<Set<string>> {
  const rows = await t.many<{ id: string }>(sql`
    select provider_phone_number_id as id from sender_former_ids
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and waba_sid = ${wabaSid}`);
  return new Set(rows.map(({ id }) => id));
}

/** The senders of these numbers that are in use, in whichever business account. */
export const sendersWithNumbers = (t: TenantTx, phoneNumbers: readonly string[]): Promise<Sender[]> =>
  t.many<Sender>(sql`
    select ${senderColumns} from senders
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and phone_number = any(${[...phoneNumbers]}::text[])
       and status not in ('DISCONNECTED', 'DELETED', 'MIGRATED')`);
