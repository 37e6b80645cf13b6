import { type NotificationType, notifyOfAct, type Texts } from '../../platform/notifications.ts';

/** Of an act that whoever watches over the account should know of: owners, administrators and compliance. */
export const tellAuditors = (
  action: string,
  texts: Texts,
  userOf?: (facts: Record<string, unknown>) => unknown,
): NotificationType =>
  notifyOfAct(action, {
    category: 'security',
    texts,
    notice({ resource, facts = {} }) {
      const user = userOf?.(facts);
      return {
        to: auditors,
        resource,
        params: { resource, ...(user !== undefined && { userSid: String(user) }) },
      };
    },
  });

/** The scope that exactly they hold. */
export const auditors = { scope: 'audit:read' };
