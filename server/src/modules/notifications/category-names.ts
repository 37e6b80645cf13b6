import type { NotificationCategory } from '../../platform/notification-categories.ts';
import type { NotificationLocale } from '../../platform/notifications.ts';

/** What the categories are called to people, in the middle of a sentence. */
const names: Record<NotificationLocale, Record<NotificationCategory, string>> = {
  en: {
    sender_health: 'the health of senders',
    template_status: 'the review of templates',
    action_required: 'what needs somebody to act',
    operation_complete: 'operations that ended',
    security: 'security',
    incident: 'incidents',
    product_update: 'news of the product',
    billing: 'billing',
    conversation: 'conversations',
  },
  fr: {
    sender_health: "l'état des expéditeurs",
    template_status: "l'examen des modèles",
    action_required: 'ce qui demande une action',
    operation_complete: 'les opérations terminées',
    security: 'la sécurité',
    incident: 'les incidents',
    product_update: 'les nouveautés du produit',
    billing: 'la facturation',
    conversation: 'les conversations',
  },
};

/** One or several categories as a list in words. */
export function categoryNames(
  locale: NotificationLocale,
  categories: readonly NotificationCategory[],
): string {
  const list = new Intl.ListFormat(locale, { type: 'conjunction' });
  return list.format(categories.map((category) => names[locale][category]));
}
