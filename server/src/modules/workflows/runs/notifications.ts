import type { TenantTx } from '../../../platform/db/database.ts';
import { type Audience, notifyBy } from '../../../platform/notifications.ts';
import { notify } from '../../notifications/index.ts';

/** What the action `notify` tells. */
export const workflowNotified = notifyBy('workflow.notified', {
  category: 'action_required',
  needs: 'inboxes:read',
  texts: {
    en: ({ resource }) => ({
      title: 'A workflow asks you to look at something',
      body: `A workflow came to a step that asks you to look at ${resource}.`,
    }),
    fr: ({ resource }) => ({
      title: 'Un workflow vous demande votre attention',
      body: `Une étape d'un workflow vous demande de regarder ${resource}.`,
    }),
  },
});

/** `resource` is the conversation it is about, or the run. */
export function askToLook(t: TenantTx, to: Audience, resource: string): void {
  notify(t, workflowNotified, { to, resource });
}
