import { accountPath, Closed, ListOf, Uuid } from '../../platform/http/input/schema.ts';
import { operation } from '../../platform/http/operations/operation.ts';
import { listNotifications, readNotification } from './feed.ts';
import { getPreferences, setLanguage, setPreference } from './preferences.ts';
import {
  LanguageChange,
  Notification,
  NotificationLanguage,
  NotificationPreferences,
  NotificationQuery,
  PreferenceChange,
} from './schema.ts';

const tag = 'Notifications';
const all = '/v1/accounts/{accountSid}/notifications';
const preferences = '/v1/accounts/{accountSid}/notification-preferences';

/** Everybody's own, so a role on a single inbox suffices, and nobody answers for another by their Idempotency-Key. */
const aboutOneself = { tag, partScoped: true, keyBelongsTo: 'principal' } as const;

export const operations = [
  operation({
    id: 'listNotifications',
    method: 'GET',
    path: all,
    summary: 'List what the caller should know of',
    description:
      'The newest first, for 90 days, in the language of whoever asks: what is for a role they hold now, an inbox they ' +
      'are a member of, themselves alone, or everybody. Categories whose `inApp` is off are left out. The same again ' +
      'within 24 hours counts up instead of being listed anew, and is unread again.',
    ...aboutOneself,
    access: ['notifications:read'],
    params: Closed(accountPath),
    query: NotificationQuery,
    responses: { 200: ListOf(Notification) },
    handler: (t, { query, pager }) => listNotifications(t, query, pager),
  }),
  operation({
    id: 'markNotificationRead',
    method: 'POST',
    path: `${all}/{notificationId}/read`,
    summary: 'Mark a notification as read',
    description:
      'For the caller alone: others who were told the same have marks of their own. Reading twice changes nothing.',
    ...aboutOneself,
    access: ['notifications:read'],
    whileSuspended: true,
    idempotency: 'required',
    params: Closed({ ...accountPath, notificationId: Uuid }),
    responses: { 200: Notification },
    handler: (t, { params }) => readNotification(t, params.notificationId),
  }),
  operation({
    id: 'getNotificationPreferences',
    method: 'GET',
    path: preferences,
    summary: 'Get what the caller wants to be told of',
    description:
      'Every category, whether it was ever set or not. Mail from the sandbox is off until it is set.',
    ...aboutOneself,
    access: ['notifications:write'],
    params: Closed(accountPath),
    responses: { 200: NotificationPreferences },
    handler: (t) => getPreferences(t),
  }),
  operation({
    id: 'setNotificationPreference',
    method: 'PUT',
    path: preferences,
    summary: 'Choose how to be told of one category',
    description:
      'Holds for the caller, in this account and environment. A key gets no mail: its choice is kept and has no effect.',
    ...aboutOneself,
    access: ['notifications:write'],
    whileSuspended: true,
    idempotency: 'required',
    params: Closed(accountPath),
    body: PreferenceChange,
    responses: { 200: NotificationPreferences },
    example: { category: 'template_status', email: true, inApp: true },
    handler: (t, { body }) => setPreference(t, body),
  }),
  operation({
    id: 'setNotificationLanguage',
    method: 'PUT',
    path: `${preferences}/language`,
    summary: 'Choose the language of notifications',
    description: 'Null follows the language of the person; a key without a choice is told in English.',
    ...aboutOneself,
    access: ['notifications:read'],
    whileSuspended: true,
    idempotency: 'required',
    params: Closed(accountPath),
    body: LanguageChange,
    responses: { 200: NotificationLanguage },
    example: { locale: 'fr' },
    handler: (t, { body }) => setLanguage(t, body.locale),
  }),
];
