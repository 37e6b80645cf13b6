import type { Module } from '../../platform/module.ts';
import { sweepNotifications } from './crons.ts';
import { observeMail } from './mail/metrics.ts';
import { sendMail } from './mail/send-mail.ts';
import { operations } from './routes.ts';
import { unsubscribeOperations } from './unsubscribe/routes.ts';

export { type Announcement, announce, findAnnouncement, type NewAnnouncement } from './announcements.ts';
export { readAudience } from './audience-text.ts';
export { knowNotificationTypes, notificationType, notificationTypes } from './catalogue.ts';
export { notificationChannel, notify } from './notify.ts';
export { endMail, preferencesFor, type Wanted } from './preferences.ts';
export { type People, peopleIn, type Recipient, recipientsAmong, unreadAmong } from './recipients.ts';

export const notificationsModule: Module = {
  name: 'notifications',
  tables: [
    'notifications',
    'notification_reads',
    'notification_preferences',
    'notification_languages',
    'announcements',
    'notification_mailboxes',
    'notification_mails',
    'notification_unsubscribe_tokens',
  ],
  tags: {
    Notifications: 'What people should know of, and how each of them wants to be told.',
  },
  operations: [...operations, ...unsubscribeOperations],
  jobs: [],
  crons: [sweepNotifications],
  loops: [sendMail],
  observe: observeMail,
};
