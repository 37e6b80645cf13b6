import { type NotificationType, notifyOf, type Texts } from '../../platform/notifications.ts';
import { auditors, tellAuditors } from '../audit/index.ts';
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
  tellAuditors(
    'staff.granted',
    {
      en: ({ userSid }) => ({
        title: 'Staff of the platform was let into the account',
        body: `${userSid}, of the operator of the platform, may act on this account for some hours. The audit events say for which case, until when, and what is done.`,
      }),
      fr: ({ userSid }) => ({
        title: "Le personnel de la plateforme a reçu l'accès au compte",
        body: `${userSid}, de l'opérateur de la plateforme, peut agir sur ce compte pendant quelques heures. Le journal d'audit dit pour quel dossier, jusqu'à quand, et ce qui est fait.`,
      }),
    },
    ({ userSid }) => userSid,
  ),
];
