import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  named,
  pageQuery,
  Sid,
  sample,
  Uuid,
  Word,
} from '../../platform/http/input/schema.ts';
import { notificationCategories } from '../../platform/notification-categories.ts';
import { sampleOwner, sampleSid, sampleTime, sampleUuid } from '../../platform/samples.ts';

export const category = named('NotificationCategory', Word(...notificationCategories));
const locale = Nullable(Word('en', 'fr'));

export const Notification = NamedObject('Notification', {
  object: Word('notification'),
  id: Uuid,
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  category,
  /** What happened, such as `template.rejected`. */
  type: Type.String(),
  title: Type.String(),
  body: Type.String(),
  /** The SID or id of what it is about. */
  resource: Nullable(Type.String()),
  /** How often it happened since `createdAt`. */
  count: Type.Integer(),
  /** Null until the caller has read it, and again when it has happened since. */
  readAt: Nullable(DateTime),
  createdAt: DateTime,
  lastAt: DateTime,
});
export type Notification = Static<typeof Notification>;

export const NotificationQuery = Closed({ unread: Type.Optional(Type.Boolean()), ...pageQuery });
export type NotificationQuery = Static<typeof NotificationQuery>;

const preference = { category, email: Type.Boolean(), inApp: Type.Boolean() };
export const PreferenceChange = NamedObject('SetNotificationPreferenceRequest', preference);
const Preference = NamedObject('NotificationPreference', preference);
export type NotificationPreference = Static<typeof Preference>;

export const NotificationPreferences = NamedObject('NotificationPreferences', {
  object: Word('notification_preferences'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  /** Null follows the language of the person. */
  locale,
  categories: Type.Array(Preference),
});
export type NotificationPreferences = Static<typeof NotificationPreferences>;

export const LanguageChange = NamedObject('SetNotificationLanguageRequest', { locale });
export const NotificationLanguage = NamedObject('NotificationLanguage', {
  object: Word('notification_language'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  locale,
});
export type NotificationLanguage = Static<typeof NotificationLanguage>;

export const notificationSample = sample(Notification, {
  object: 'notification',
  id: sampleUuid,
  ...sampleOwner,
  category: 'template_status',
  type: 'template.rejected',
  title: 'A template was rejected',
  body: `The provider rejected the template ${sampleSid('TM')}. It cannot be sent until it is changed and approved.`,
  resource: sampleSid('TM'),
  count: 1,
  readAt: null,
  createdAt: sampleTime,
  lastAt: sampleTime,
});

sample(NotificationPreferences, {
  object: 'notification_preferences',
  ...sampleOwner,
  locale: null,
  categories: notificationCategories.map((name) => ({ category: name, email: false, inApp: true })),
});

sample(NotificationLanguage, { object: 'notification_language', ...sampleOwner, locale: 'fr' });
