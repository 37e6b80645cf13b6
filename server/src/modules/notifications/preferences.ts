// What each person, or key, wants to be told of and in which language. Nothing is written for who never chose.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { type NotificationCategory, notificationCategories } from '../../platform/notification-categories.ts';
import type { NotificationLocale } from '../../platform/notifications.ts';
import { principalName } from '../../platform/principal.ts';
import type { NotificationLanguage, NotificationPreference, NotificationPreferences } from './schema.ts';

const mailedByDefault: ReadonlySet<NotificationCategory> = new Set([
  'action_required',
  'security',
  'incident',
  'billing',
  'sender_health',
]);

/** What holds until somebody chooses. What is tried out in the sandbox fills nobody's mailbox. */
export const defaultFor = (category: NotificationCategory, livemode: boolean) => ({
  category,
  email: livemode && mailedByDefault.has(category),
  inApp: true,
});

export async function getPreferences(t: TenantTx): Promise<NotificationPreferences> {
  const principal = principalName(t.principal);
  const chosen = await t.many<NotificationPreference>(sql`
    select category, email, in_app as "inApp" from notification_preferences
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and principal = ${principal}`);
  const language = await t.maybe<{ locale: NotificationLocale }>(sql`
    select locale from notification_languages
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and principal = ${principal}`);
  return {
    object: 'notification_preferences',
    accountSid: t.accountSid,
    livemode: t.livemode,
    locale: language?.locale ?? null,
    categories: notificationCategories.map(
      (category) => chosen.find((one) => one.category === category) ?? defaultFor(category, t.livemode),
    ),
  };
}

export async function setPreference(
  t: TenantTx,
  { category, email, inApp }: NotificationPreference,
): Promise<NotificationPreferences> {
  await t.run(sql`
    insert into notification_preferences (account_sid, livemode, principal, category, email, in_app, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${principalName(t.principal)}, ${category}, ${email}, ${inApp}, ${t.now})
    on conflict (account_sid, livemode, principal, category)
      do update set email = excluded.email, in_app = excluded.in_app, updated_at = excluded.updated_at`);
  return getPreferences(t);
}

/** Ends the mail of one category for one person and leaves the rest as it is. */
export async function endMail(t: TenantTx, userSid: string, category: NotificationCategory): Promise<void> {
  await t.run(sql`
    insert into notification_preferences (account_sid, livemode, principal, category, email, in_app, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${`user:${userSid}`}, ${category}, false, true, ${t.now})
    on conflict (account_sid, livemode, principal, category)
      do update set email = false, updated_at = excluded.updated_at`);
}

/** Null follows the person again. */
export async function setLanguage(
  t: TenantTx,
  locale: NotificationLocale | null,
): Promise<NotificationLanguage> {
  const principal = principalName(t.principal);
  if (locale === null)
    await t.run(sql`
      delete from notification_languages
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and principal = ${principal}`);
  else
    await t.run(sql`
      insert into notification_languages (account_sid, livemode, principal, locale, updated_at)
      values (${t.accountSid}, ${t.livemode}, ${principal}, ${locale}, ${t.now})
      on conflict (account_sid, livemode, principal)
        do update set locale = excluded.locale, updated_at = excluded.updated_at`);
  const { accountSid, livemode } = t;
  return { object: 'notification_language', accountSid, livemode, locale };
}

/** What one person wants of a category; the language is null where it follows the person. */
export type Wanted = { email: boolean; inApp: boolean; locale: NotificationLocale | null };

/** Many people at once, for mail. */
export async function preferencesFor(
  t: TenantTx,
  userSids: readonly string[],
  category: NotificationCategory,
): Promise<(userSid: string) => Wanted> {
  const principals = userSids.map((sid) => `user:${sid}`);
  const chosen = await t.many<{ principal: string; email: boolean; inApp: boolean }>(sql`
    select principal, email, in_app as "inApp" from notification_preferences
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and principal = any (${principals}::text[])
       and category = ${category}`);
  const languages = await t.many<{ principal: string; locale: NotificationLocale }>(sql`
    select principal, locale from notification_languages
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and principal = any (${principals}::text[])`);
  const switches = new Map(chosen.map((one) => [one.principal, one]));
  const locales = new Map(languages.map(({ principal, locale }) => [principal, locale]));
  const { email, inApp } = defaultFor(category, t.livemode);
  return (userSid) => {
    const own = switches.get(`user:${userSid}`);
    const locale = locales.get(`user:${userSid}`) ?? null;
    return { email: own?.email ?? email, inApp: own?.inApp ?? inApp, locale };
  };
}
