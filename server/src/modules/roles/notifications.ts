import { type NotificationType, notifyOf, type Texts } from '../../platform/notifications.ts';
import { auditors } from '../audit/index.ts';
import { roleBindingEvents } from './events.ts';

/** Who owns the organization; other roles are the daily business of whoever gives them. */
const tellOfOwner = (event: (typeof roleBindingEvents)['created'], name: string, texts: Texts) =>
  notifyOf(event, {
    name,
    category: 'security',
    texts,
    notice: ({ id, role, principalRef }) =>
      role === 'OWNER'
        ? { to: auditors, resource: id, params: { principalRef }, dedupeKey: principalRef }
        : null,
  });

export const roleNotifications: NotificationType[] = [
  tellOfOwner(roleBindingEvents.created, 'role_binding.owner_created', {
    en: ({ principalRef }) => ({
      title: 'Somebody was made an owner',
      body: `${principalRef} is an owner of the organization and may do everything. The audit events say by whom.`,
    }),
    fr: ({ principalRef }) => ({
      title: "Quelqu'un est devenu propriétaire",
      body: `${principalRef} est propriétaire de l'organisation et peut tout faire. Le journal d'audit dit par qui.`,
    }),
  }),
  tellOfOwner(roleBindingEvents.revoked, 'role_binding.owner_revoked', {
    en: ({ principalRef }) => ({
      title: 'Somebody is an owner no more',
      body: `${principalRef} is no longer an owner. The audit events say who decided that.`,
    }),
    fr: ({ principalRef }) => ({
      title: "Quelqu'un n'est plus propriétaire",
      body: `${principalRef} n'est plus propriétaire. Le journal d'audit dit qui l'a décidé.`,
    }),
  }),
];
