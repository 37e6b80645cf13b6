// The features, ground floor first: a module may use those above it in this list and none below.

import { accountsModule } from '../modules/accounts/index.ts';
import { analyticsModule } from '../modules/analytics/index.ts';
import { apiKeysModule, makersOfApiKey } from '../modules/api-keys/index.ts';
import { approvalsModule } from '../modules/approvals/index.ts';
import { auditModule } from '../modules/audit/index.ts';
import { authorizationsModule } from '../modules/authorizations/index.ts';
import { billingModule } from '../modules/billing/index.ts';
import { billingDocumentsModule } from '../modules/billing-documents/index.ts';
import { billingModeModule } from '../modules/billing-mode/index.ts';
import { campaignsModule } from '../modules/campaigns/index.ts';
import {
  consentModule,
  consentsFollow,
  consentsOf,
  giveOptOutsBack,
  suppressionsFollow,
} from '../modules/consent/index.ts';
import { contactFilesModule } from '../modules/contact-files/index.ts';
import { contactsModule, returnOptOutsBy } from '../modules/contacts/index.ts';
import { conversationsFollow, conversationsModule, windowsFollow } from '../modules/conversations/index.ts';
import { directoryModule } from '../modules/directory/index.ts';
import { identityModule, knowStepUpActions } from '../modules/identity/index.ts';
import { inboxesModule } from '../modules/inboxes/index.ts';
import { invoicesModule } from '../modules/invoices/index.ts';
import { holdMerged, legalHoldsModule } from '../modules/legal-holds/index.ts';
import { knowListeners, liveModule } from '../modules/live/index.ts';
import { mailsModule } from '../modules/mails/index.ts';
import { managedOnboardingModule } from '../modules/managed-onboarding/index.ts';
import { mediaModule } from '../modules/media/index.ts';
import { messagesFollow, messagesModule } from '../modules/messages/index.ts';
import { knowNotificationTypes, notificationsModule } from '../modules/notifications/index.ts';
import { numberMigrationsModule } from '../modules/number-migrations/index.ts';
import { operationsModule } from '../modules/operations/index.ts';
import { optInLinksModule } from '../modules/opt-in-links/index.ts';
import { paymentsModule } from '../modules/payments/index.ts';
import { plansModule } from '../modules/plans/index.ts';
import { knowStores, privacyModule } from '../modules/privacy/index.ts';
import { providerModule } from '../modules/provider/index.ts';
import { providerVersionsModule } from '../modules/provider-versions/index.ts';
import { reconciliationModule } from '../modules/reconciliation/index.ts';
import { refundsModule } from '../modules/refunds/index.ts';
import { retentionModule } from '../modules/retention/index.ts';
import { rolesModule } from '../modules/roles/index.ts';
import { sandboxPhonesModule } from '../modules/sandbox-phones/index.ts';
import { segmentsModule } from '../modules/segments/index.ts';
import { sendersModule } from '../modules/senders/index.ts';
import { subaccountsModule } from '../modules/subaccounts/index.ts';
import { templatesModule } from '../modules/templates/index.ts';
import { wabasModule } from '../modules/wabas/index.ts';
import { hearAnswers, knowEventTypes, webhooksModule } from '../modules/webhooks/index.ts';
import {
  hearRequestAnswers,
  knowWorkflowEvents,
  runsFollow,
  workflowsModule,
} from '../modules/workflows/index.ts';
import { consumerLoop } from '../platform/event-consumers/consume.ts';
import { listErrors } from '../platform/http/openapi/error-list.ts';
import { platformCrons } from '../platform/jobs/sweeps.ts';
import type { Module } from '../platform/module.ts';
import { callbackHooks } from './callback-hooks.ts';
import { legalHoldHooks, paymentHooks, roleHooks, wabaHooks } from './hooks.ts';

export const modules: Module[] = [
  mailsModule,
  auditModule,
  accountsModule,
  plansModule,
  approvalsModule({ makersOf: makersOfApiKey, approvables }),
  rolesModule(roleHooks),
  apiKeysModule,
  identityModule,
  directoryModule,
  providerModule(() => callbackHooks),
  inboxesModule,
  authorizationsModule,
  operationsModule,
  notificationsModule,
  webhooksModule,
  contactsModule({
    merging: holdMerged,
    consentsOf,
    followers: [
      consentsFollow,
      suppressionsFollow,
      windowsFollow,
      conversationsFollow,
      messagesFollow,
      runsFollow,
    ],
  }),
  wabasModule(wabaHooks),
  legalHoldsModule(legalHoldHooks),
  mediaModule,
  sendersModule(wabaHooks.sandbox),
  consentModule,
  conversationsModule,
  optInLinksModule,
  templatesModule,
  segmentsModule,
  contactFilesModule,
  billingModule,
  providerVersionsModule(wabaHooks.sandbox),
  sandboxPhonesModule,
  billingDocumentsModule,
  paymentsModule(paymentHooks),
  invoicesModule,
  refundsModule,
  billingModeModule,
  messagesModule,
  reconciliationModule,
  workflowsModule,
  campaignsModule,
  numberMigrationsModule,
  managedOnboardingModule(wabaHooks),
  analyticsModule,
  subaccountsModule(wabaHooks),
  retentionModule,
  liveModule,
  privacyModule,
];

/** Asked when somebody decides, long after every module was listed. */
function approvables() {
  return modules.flatMap((module) => module.approvables ?? []);
}

export const operations = [listErrors, ...modules.flatMap((module) => module.operations)];
/** The operations and the headings they stand under: what the OpenAPI document is made from. */
export const api = {
  about: 'Business messaging over WhatsApp.',
  operations,
  tags: Object.assign({ Errors: 'The errors this API can answer with.' }, ...modules.map(({ tags }) => tags)),
};
knowStepUpActions(operations);
export const eventTypes = modules.flatMap((module) => module.events ?? []);
knowEventTypes(eventTypes);
knowWorkflowEvents(eventTypes);
knowListeners(eventTypes, operations);
hearAnswers(hearRequestAnswers);
returnOptOutsBy(giveOptOutsBack);
knowStores(modules.flatMap((module) => module.belongings ?? []));
knowNotificationTypes(modules.flatMap((module) => module.notifications ?? []));
export const mounts = modules.flatMap((module) => module.mounts ?? []);
export const pages = modules.flatMap((module) => module.pages ?? []);
export const jobs = modules.flatMap((module) => module.jobs);
export const crons = [...platformCrons, ...modules.flatMap((module) => module.crons)];
export const consumers = modules.flatMap((module) => module.consumers ?? []);
export const loops = [...consumers.map(consumerLoop), ...modules.flatMap((module) => module.loops ?? [])];
