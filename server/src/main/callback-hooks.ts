// Who hears of what the provider tells.
import { applyUserPreferences } from '../modules/consent/index.ts';
import {
  applyStatuses,
  asksToStop,
  lockClaims,
  receiveMessages,
  updateUserIds,
} from '../modules/messages/index.ts';
import type { CallbackHooks } from '../modules/provider/index.ts';
import { applyPhoneNumberUpdates, senderByPhoneNumberId } from '../modules/senders/index.ts';
import { applyFlowUpdates, applyTemplateUpdates } from '../modules/templates/index.ts';
import { applyAccountUpdates, applyNumberLimits, wabaByProviderId } from '../modules/wabas/index.ts';
import { wabaHooks } from './hooks.ts';

export const callbackHooks: CallbackHooks = {
  optOuts: { includes: asksToStop, hold: lockClaims },
  routes: { byPhoneNumberId: senderByPhoneNumberId, byWabaId: wabaByProviderId },
  handlers: {
    userPreferences: applyUserPreferences,
    templateUpdates: applyTemplateUpdates,
    flowUpdates: applyFlowUpdates,
    async phoneNumberUpdates(t, updates) {
      await applyNumberLimits(wabaHooks)(t, updates);
      await applyPhoneNumberUpdates(t, updates);
    },
    accountUpdates: applyAccountUpdates(wabaHooks),
    statuses: applyStatuses,
    inbound: receiveMessages,
    userIdUpdates: updateUserIds,
  },
};
