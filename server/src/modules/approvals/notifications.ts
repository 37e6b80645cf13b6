import { type NotificationType, notifyOf } from '../../platform/notifications.ts';
import { approvalEvents } from './events.ts';
import type { ApprovalHooks } from './hooks.ts';

export const approvalNotifications = ({ approvables }: ApprovalHooks): NotificationType[] => [
  notifyOf(approvalEvents.requested, {
    category: 'action_required',
    texts: {
      en: ({ resource }) => ({
        title: 'An action waits for approval',
        body: `The approval ${resource} waits for a second person. If nobody decides within 7 days, nothing happens.`,
      }),
      fr: ({ resource }) => ({
        title: 'Une action attend une approbation',
        body: `L'approbation ${resource} attend une seconde personne. Si personne ne décide dans les 7 jours, rien ne se passe.`,
      }),
    },
    // Only who could have asked for it themselves may decide.
    notice({ sid, action }) {
      const scope = approvables().find((one) => one.action === action)?.scope ?? 'approvals:write';
      return { to: { scope }, resource: sid };
    },
  }),
];
