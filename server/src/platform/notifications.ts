// What people are told of: a module declares in its manifest which of its events and audited acts somebody should know of, who
// that is, and in which words. The module `notifications` writes it down in the transaction of the event or the act.
import type { TenantTx } from './db/database.ts';
import type { EventType } from './events.ts';
import type { AnnouncedCategory, NotificationCategory } from './notification-categories.ts';

/**
 * Whom a notification is for, judged again whenever somebody looks: those who hold a scope on the account, the members of
 * a part of it (an inbox) who may read there, or one principal, by the name under which it is written down. One who is told
 * of something in such a part must still reach it.
 */
export type Audience = { scope: string } | { part: string } | { principal: string; part?: string | null };

/** SIDs and ids only: a notification is kept, mailed and shown without a look at what it is about. */
export type NotificationParams = Readonly<Record<string, string>>;

export type Notice = {
  to: Audience;
  /** The SID or id of what it is about. */
  resource: string;
  /** What its words name; the resource alone unless given. */
  params?: NotificationParams;
  /** The same again within a day is counted instead of told anew; the resource unless given. */
  dedupeKey?: string;
};

export type NotificationLocale = 'en' | 'fr';
export type NotificationWords = { title: string; body: string };
export type Texts<Params extends NotificationParams = NotificationParams> = Record<
  NotificationLocale,
  (params: Params) => NotificationWords
>;

/** An act as it is written to the audit chain. */
export type AuditedAct = { action: string; resource?: string; facts?: Record<string, unknown> };

export type NotificationType = {
  /** As events are called: a noun and what happened to it. */
  name: string;
  category: Exclude<NotificationCategory, AnnouncedCategory>;
  /** What it comes from; null for one that its module tells with `notify`. */
  from: { event: EventType } | { action: string } | null;
  /** Whom to tell and about what; null when nobody needs to know. */
  // biome-ignore lint/suspicious/noExplicitAny: a list of types forgets what their events carry
  notice(data: any, t: TenantTx): Notice | null;
  /** What a single person must still hold, on the account or in the inbox, to be told. */
  needs: string | null;
  texts: Texts;
};

type Declared<Data> = {
  category: NotificationType['category'];
  /** Differs from the name of the event or act where one of them tells several things. */
  name?: string;
  needs?: string | null;
  texts: Texts;
  notice(data: Data, t: TenantTx): Notice | null;
};

export const notifyOf = <Data extends object>(
  event: EventType<Data>,
  { needs = null, ...declared }: Declared<NoInfer<Data>>,
): NotificationType => ({ name: event.name, needs, ...declared, from: { event } });

export const notifyOfAct = (
  action: string,
  { needs = null, ...declared }: Declared<AuditedAct & { resource: string }>,
): NotificationType => ({
  name: action,
  needs,
  ...declared,
  from: { action },
  // An act without a resource is about nothing that could be named.
  notice: (act: AuditedAct, t) =>
    act.resource === undefined ? null : declared.notice({ ...act, resource: act.resource }, t),
});

/** For what no event or act tells by itself, such as that something became worse. */
export const notifyBy = (
  name: string,
  { needs = null, ...declared }: Omit<Declared<Notice>, 'name' | 'notice'>,
): NotificationType => ({ name, needs, ...declared, from: null, notice: (notice: Notice) => notice });
