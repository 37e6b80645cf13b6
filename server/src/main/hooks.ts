// What lower modules need of higher ones, connected.
import { apiKeyStatus } from '../modules/api-keys/index.ts';
import { userStatus } from '../modules/identity/index.ts';
import { inboxExists } from '../modules/inboxes/index.ts';
import { invoicesFollow } from '../modules/invoices/index.ts';
import { settleByHistory } from '../modules/messages/index.ts';
import type { PaymentHooks } from '../modules/payments/index.ts';
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
