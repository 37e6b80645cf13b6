// What lower modules need of higher ones, connected.
import { apiKeyStatus } from '../modules/api-keys/index.ts';
import { findConversations } from '../modules/conversations/index.ts';
import { userStatus } from '../modules/identity/index.ts';
import { inboxExists } from '../modules/inboxes/index.ts';
import { invoicesFollow } from '../modules/invoices/index.ts';
import type { LegalHoldHooks } from '../modules/legal-holds/index.ts';
import { afterHold } from '../modules/media/index.ts';
import { isCampaign, settleByHistory } from '../modules/messages/index.ts';
import type { PaymentHooks } from '../modules/payments/index.ts';
import { resumeErasures } from '../modules/privacy/index.ts';
import { refundsFollow } from '../modules/refunds/index.ts';
import type { RoleHooks } from '../modules/roles/index.ts';
import { disconnectSenders, numbersListed, sendersOfWabas } from '../modules/senders/index.ts';
import {
  readTemplatesNow,
  requestTemplates,
  templateCounts,
  templatesListed,
} from '../modules/templates/index.ts';
import type { WabaHooks } from '../modules/wabas/index.ts';
import { sandbox } from './sandbox.ts';

export const roleHooks: RoleHooks = {
  inboxExists,
  async findPrincipal(t, type, ref) {
    if (type === 'API_KEY') return apiKeyStatus(t, ref);
    const status = await userStatus(t, ref);
    return status === null ? null : status === 'ACTIVE' ? 'active' : 'inactive';
  },
};

/** What can be held, and who hears that a hold ended. */
export const legalHoldHooks: LegalHoldHooks = {
  sidesOf: async (t, sid) => (await findConversations(t, [sid])).get(sid) ?? null,
  isCampaign,
  ended: [afterHold, resumeErasures],
};

export const wabaHooks: WabaHooks = {
  sandbox,
  sendersOf: sendersOfWabas,
  numbersListed,
  disconnectSenders,
  templatesListed,
  templateCounts,
  requestTemplates,
  readTemplates: readTemplatesNow,
  settleByHistory,
};

/** Who hears of what becomes of payments. */
export const paymentHooks: PaymentHooks = { followers: [invoicesFollow, refundsFollow] };
