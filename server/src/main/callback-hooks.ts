// Who hears of what the provider tells.
import { applyUserPreferences } from '../modules/consent/index.ts';
import type { CallbackHooks } from '../modules/provider/index.ts';
import { senderByPhoneNumberId } from '../modules/senders/index.ts';
import { wabaByProviderId } from '../modules/wabas/index.ts';

export const callbackHooks: CallbackHooks = {
  routes: { byPhoneNumberId: senderByPhoneNumberId, byWabaId: wabaByProviderId },
  handlers: { userPreferences: applyUserPreferences },
};
