// Generated from the declared operations by "npm run generate". Changes belong there.

import { Api, at, type CallOptions, type Pages } from '../core/api.ts';
import type { Client } from '../core/client.ts';
import type * as models from './models.ts';

export type GetMessageAnalyticsQuery = {
  from?: string;
  to?: string;
  groupBy?: string;
  direction?: models.MessageDirection;
  senderSid?: models.SenderSid;
  template?: string;
  category?: models.MessageCategory;
  country?: string;
  campaignSid?: models.CampaignSid;
  status?: models.MessageStatus;
  errorCode?: string;
  limit?: number;
  cursor?: string;
};

export type ListApiKeysQuery = {
  limit?: number;
  cursor?: string;
};

export type ListApprovalsQuery = {
  state?: models.ApprovalState;
  limit?: number;
  cursor?: string;
};

export type ListAuditEventsQuery = {
  action?: string;
  actor?: string;
  resource?: string;
  occurredAfter?: string;
  occurredBefore?: string;
  limit?: number;
  cursor?: string;
};

export type ListAuthorizationsQuery = {
  limit?: number;
  cursor?: string;
};

export type ListWalletsQuery = {
  currency?: string;
  commercialMode?: models.WalletCommercialMode;
  billingStatus?: string;
  dunningState?: string;
  limit?: number;
  cursor?: string;
};

export type ListChargesQuery = {
  from?: string;
  to?: string;
  senderSid?: models.SenderSid;
  campaignSid?: models.CampaignSid;
  limit?: number;
  cursor?: string;
};

export type ListCampaignsQuery = {
  state?: models.CampaignState;
  limit?: number;
  cursor?: string;
};

export type ListCampaignRecipientsQuery = {
  outcome?: models.CampaignOutcome;
  code?: string;
  limit?: number;
  cursor?: string;
};

export type ListContactConsentsQuery = {
  limit?: number;
  cursor?: string;
};

export type ListContactsQuery = {
  q?: string;
  identifier?: string;
  identifierType?: models.IdentifierType;
  scopeRef?: string;
  limit?: number;
  cursor?: string;
};

export type ListContactConflictsQuery = {
  limit?: number;
  cursor?: string;
};

export type ListContactMergesQuery = {
  limit?: number;
  cursor?: string;
};

export type ListConversationsQuery = {
  inboxSid?: models.InboxSid;
  status?: models.ConversationStatus;
  assigneeSid?: models.UserSid;
  contactSid?: models.ContactSid;
  senderSid?: models.SenderSid;
  limit?: number;
  cursor?: string;
};

export type ListInboxSendersQuery = {
  limit?: number;
  cursor?: string;
};

export type ListEventsQuery = {
  type?: string;
  resourceSid?: string;
  afterSequence?: string;
  sort?: 'sequence' | '-sequence';
  limit?: number;
  cursor?: string;
};

export type ListFlowsQuery = {
  status?: models.FlowStatus;
  wabaSid?: models.WabaSid;
  limit?: number;
  cursor?: string;
};

export type ListMfaCredentialsQuery = {
  limit?: number;
  cursor?: string;
};

export type CreateStepUpTokenQuery = {
  limit?: number;
  cursor?: string;
};

export type ListIdentityProvidersQuery = {
  limit?: number;
  cursor?: string;
};

export type ListInboxesQuery = {
  limit?: number;
  cursor?: string;
};

export type ListInboxMembersQuery = {
  limit?: number;
  cursor?: string;
};

export type PreviewInvoiceQuery = {
  currency?: string;
};

export type ListInvoicesQuery = {
  state?: models.InvoiceState;
  limit?: number;
  cursor?: string;
};

export type ListInvoiceLineChargesQuery = {
  limit?: number;
  cursor?: string;
};

export type ListStatementsQuery = {
  limit?: number;
  cursor?: string;
};

export type ListLegalHoldsQuery = {
  limit?: number;
  cursor?: string;
};

export type GetManagedOnboardingQuery = {
  applicationSid?: models.ManagedApplicationSid;
  wabaSid?: models.WabaSid;
};

export type GetManagedOnboardingQuoteQuery = {
  numberSource: models.ManagedNumberSource;
  applicationSid?: models.ManagedApplicationSid;
};

export type ListMediaQuery = {
  limit?: number;
  cursor?: string;
};

export type ListMessagesQuery = {
  contactSid?: models.ContactSid;
  conversationSid?: models.ConversationSid;
  senderSid?: models.SenderSid;
  status?: models.MessageStatus;
  direction?: models.MessageDirection;
  campaignSid?: models.CampaignSid;
  tag?: string;
  createdAfter?: string;
  createdBefore?: string;
  limit?: number;
  cursor?: string;
};

export type ListNotificationsQuery = {
  unread?: boolean;
  limit?: number;
  cursor?: string;
};

export type ListMigrationsQuery = {
  limit?: number;
  cursor?: string;
};

export type GetMigrationQuery = {
  limit?: number;
  cursor?: string;
};

export type ListOperationsQuery = {
  sort?: 'createdAt' | '-createdAt';
  type?: string;
  state?: string;
  limit?: number;
  cursor?: string;
};

export type ListOperationChildrenQuery = {
  limit?: number;
  cursor?: string;
};

export type ListPaymentsQuery = {
  state?: string;
  limit?: number;
  cursor?: string;
};

export type ListReceiptsQuery = {
  limit?: number;
  cursor?: string;
};

export type ListPrivacyRequestsQuery = {
  limit?: number;
  cursor?: string;
};

export type ListPortfoliosQuery = {
  limit?: number;
  cursor?: string;
};

export type ListWabasQuery = {
  limit?: number;
  cursor?: string;
};

export type ListProviderCapabilitiesQuery = {
  limit?: number;
  cursor?: string;
};

export type ListProviderChangesQuery = {
  limit?: number;
  cursor?: string;
};

export type ListReconciliationCasesQuery = {
  state?: models.ReconciliationCaseState;
  outcome?: models.ReconciliationCaseOutcome;
  limit?: number;
  cursor?: string;
};

export type ListRefundsQuery = {
  limit?: number;
  cursor?: string;
};

export type PreviewRetentionPolicyQuery = {
  messageContentDays?: number;
  messageMetadataMonths?: number;
};

export type ListContentsQuery = {
  limit?: number;
  cursor?: string;
};

export type ListRolesQuery = {
  limit?: number;
  cursor?: string;
};

export type ListRoleBindingsQuery = {
  limit?: number;
  cursor?: string;
};

export type ListSandboxPhonesQuery = {
  limit?: number;
  cursor?: string;
};

export type ReadSandboxPhoneQuery = {
  senderSid?: models.SenderSid;
  limit?: number;
};

export type ListSegmentsQuery = {
  limit?: number;
  cursor?: string;
};

export type ListSegmentMembersQuery = {
  limit?: number;
  cursor?: string;
};

export type ListSenderPoolsQuery = {
  limit?: number;
  cursor?: string;
};

export type ListSendersQuery = {
  status?: models.SenderStatus;
  wabaSid?: models.WabaSid;
  limit?: number;
  cursor?: string;
};

export type ListSenderStatusHistoryQuery = {
  limit?: number;
  cursor?: string;
};

export type ListOwnSessionsQuery = {
  limit?: number;
  cursor?: string;
};

export type ListSubaccountsQuery = {
  limit?: number;
  cursor?: string;
};

export type ListContactSuppressionsQuery = {
  limit?: number;
  cursor?: string;
};

export type DeleteContactSuppressionQuery = {
  reason?: string;
};

export type ListSuppressionsQuery = {
  contactSid?: models.ContactSid;
  identifier?: string;
  identifierType?: models.IdentifierType;
  scopeRef?: string;
  reason?: string;
  scope?: models.SuppressionScope;
  active?: boolean;
  limit?: number;
  cursor?: string;
};

export type ListTemplatesQuery = {
  wabaSid?: models.WabaSid;
  name?: string;
  language?: string;
  status?: models.TemplateStatus;
  category?: models.TemplateCategory;
  limit?: number;
  cursor?: string;
};

export type ListTemplateStatusHistoryQuery = {
  limit?: number;
  cursor?: string;
};

export type ListUsersQuery = {
  limit?: number;
  cursor?: string;
  status?: models.UserStatus;
};

export type ListWebhooksQuery = {
  limit?: number;
  cursor?: string;
};

export type ListResourceDeliveriesQuery = {
  resourceSid: string;
  limit?: number;
  cursor?: string;
};

export type ListWebhookDeliveriesQuery = {
  sort?: 'createdAt' | '-createdAt';
  resourceSid?: string;
  eventId?: models.EventSid;
  limit?: number;
  cursor?: string;
};

export type GetWebhookStatisticsQuery = {
  from?: string;
  to?: string;
};

export type ListWebhookGapsQuery = {
  fromSequence?: string;
  toSequence?: string;
  limit?: number;
  cursor?: string;
};

export type ListWorkflowsQuery = {
  limit?: number;
  cursor?: string;
};

export type ListWorkflowRunsQuery = {
  limit?: number;
  cursor?: string;
};

export type GetWorkflowRunTimelineQuery = {
  limit?: number;
  cursor?: string;
};

export type ListWorkflowDecisionsQuery = {
  limit?: number;
  cursor?: string;
};

/** The account itself, and whether it may act. */
export class AccountsApi extends Api {
  /**
   * Show the account.
   *
   * Its name, where it stands, and whether it is suspended, since when and why.
   */
  get(options?: CallOptions): Promise<models.Account> {
    return this.client.get('~', undefined, options);
  }

  /**
   * Suspend the account.
   *
   * For the staff of the platform only. From its answer on nothing is sent in this environment, and shortly
   * after in the other: messages that were accepted stay in line, new ones and every change are refused with
   * ACCOUNT_SUSPENDED. Reading goes on, and what people write is stored. The reason is shown to the account.
   */
  suspend(body: models.SuspendAccountRequest, options?: CallOptions): Promise<models.Account> {
    return this.client.keyed('POST', '~/suspend', body, options);
  }

  /**
   * Let a suspended account act again.
   *
   * For the staff of the platform only. What waits in line leaves within 15 seconds, unless it has expired.
   */
  resume(body: models.ResumeAccountRequest, options?: CallOptions): Promise<models.Account> {
    return this.client.keyed('POST', '~/resume', body, options);
  }
}

/** How many messages there were, what became of them and what they cost. */
export class AnalyticsApi extends Api {
  /**
   * Count messages and what they cost.
   *
   * Counts the messages of the days `from` to `to` (UTC, both counting; at most 366, the last 7 by default),
   * in groups: `groupBy` names any of day or hour, direction, sender, template, category, country, campaign,
   * status and errorCode, with commas between. Without it there is one group. A message counts in the day it
   * was accepted, or arrived, under the status it has now. Its cost is the final price, or the estimate while
   * that is not known. Hour, template and errorCode can be asked for the last 7 days; beyond them the answer
   * is ANALYTICS_RANGE_UNAVAILABLE. The numbers follow what happens within seconds.
   */
  getMessageAnalytics(query?: GetMessageAnalyticsQuery, options?: CallOptions): Pages<models.MessageAnalytics, models.MessageAnalyticsList> {
    return this.client.list('~/analytics/messages', query, options);
  }
}

/** Credentials for programs, each with its scopes and limits. */
export class ApiKeysApi extends Api {
  /**
   * List API keys.
   *
   * The newest first, disabled and expired ones included. Neither the key's text nor its signing secret is
   * shown again.
   */
  list(query?: ListApiKeysQuery, options?: CallOptions): Pages<models.ApiKey, models.ApiKeyList> {
    return this.client.list('~/api-keys', query, options);
  }

  /**
   * Create an API key.
   *
   * The key stands in the environment of the credential that makes it and can hold only scopes the maker
   * holds. Its text and its signing secret are shown once.
   */
  create(body: models.CreateApiKeyRequest, options?: CallOptions): Promise<models.ApiKeyWithSecret> {
    return this.client.keyed('POST', '~/api-keys', body, options);
  }

  /**
   * Get an API key.
   *
   * Shows the key's scopes, limits and when it was last used, but never its text nor its signing secret.
   */
  get(apiKeyId: string, options?: CallOptions): Promise<models.ApiKey> {
    return this.client.get(at`~/api-keys/${apiKeyId}`, undefined, options);
  }

  /**
   * Rename, restrict, disable or enable an API key.
   *
   * Scopes cannot be changed: make a new key. A disabled key is refused everywhere at once. A key cannot
   * disable itself: that takes another key or a signed-in person, and is CONFLICT otherwise.
   */
  update(apiKeyId: string, body: models.UpdateApiKeyRequest = {}, options?: CallOptions): Promise<models.ApiKey> {
    return this.client.keyed('PATCH', at`~/api-keys/${apiKeyId}`, body, options);
  }

  /**
   * Give an API key a new secret.
   *
   * The old text and signing secret end at once. The new ones are shown once.
   */
  rotate(apiKeyId: string, body: models.RotateApiKeyRequest = {}, options?: CallOptions): Promise<models.ApiKeyWithSecret> {
    return this.client.keyed('POST', at`~/api-keys/${apiKeyId}/rotate`, body, options);
  }
}

/** Actions that wait until a second person agrees. */
export class ApprovalsApi extends Api {
  /**
   * List actions that wait, or waited, for a second person.
   *
   * The newest first. Filter by `state` to see what still waits for a decision.
   */
  list(query?: ListApprovalsQuery, options?: CallOptions): Pages<models.Approval, models.ApprovalList> {
    return this.client.list('~/approvals', query, options);
  }

  /**
   * Get an approval.
   *
   * Shows what was asked for, by whom, who decided and, once approved, what the action made.
   */
  get(approvalSid: models.ApprovalSid, options?: CallOptions): Promise<models.Approval> {
    return this.client.get(at`~/approvals/${approvalSid}`, undefined, options);
  }

  /**
   * Approve and run a waiting action.
   *
   * The action runs once, at this moment, and its result stands in the approval. Whoever asked, and whoever
   * made the API key that asked, cannot approve; whoever approves is a signed-in person who may do the action
   * themselves. An action that fails now leaves the approval pending.
   */
  approve(approvalSid: models.ApprovalSid, body: models.ApproveApprovalRequest = {}, options?: CallOptions): Promise<models.Approval> {
    return this.client.keyed('POST', at`~/approvals/${approvalSid}/approve`, body, options);
  }

  /**
   * Reject a waiting action, or take back one’s own.
   *
   * The action is not done, and the reason is kept with the approval. Whoever asked for it may take it back
   * this way themselves. Only a PENDING approval can be decided.
   */
  reject(approvalSid: models.ApprovalSid, body: models.RejectApprovalRequest, options?: CallOptions): Promise<models.Approval> {
    return this.client.keyed('POST', at`~/approvals/${approvalSid}/reject`, body, options);
  }
}

/** Who did what and when, in a chain of hashes that shows any change. */
export class AuditApi extends Api {
  /**
   * List what was done, and by whom.
   *
   * The append-only audit chain of the account and environment, newest first. `hash` is the SHA-256 of
   * `previousHash`, the sequence as 8 bytes and the canonical JSON (RFC 8785) of the entry without `object`,
   * `sequence`, `detail` and the hashes, so that anybody can follow the chain. Facts in people's own words
   * are hashed by a commitment: where `detail` is not null, the entry was hashed without its `members` and
   * with `detail.hash` as `detail`, which is the HMAC-SHA256, under the bytes of `salt`, of the canonical
   * JSON of those members. Once they are erased there is no `salt`.
   */
  listEvents(query?: ListAuditEventsQuery, options?: CallOptions): Pages<models.AuditEvent, models.AuditEventList> {
    return this.client.list('~/audit-events', query, options);
  }
}

/** Instructions by which a customer lets the platform act in their name at the provider. */
export class AuthorizationsApi extends Api {
  /**
   * Record an instruction to act for the business.
   *
   * Captures who instructed which task, in their own words. The record is written to the append-only audit
   * chain.
   */
  create(body: models.CreateAuthorizationRequest, options?: CallOptions): Promise<models.Authorization> {
    return this.client.keyed('POST', '~/authorizations', body, options);
  }

  /**
   * List recorded instructions.
   *
   * What the customer instructed the platform to do at the provider in their name, the newest first. Recorded
   * instructions are never changed.
   */
  list(query?: ListAuthorizationsQuery, options?: CallOptions): Pages<models.Authorization, models.AuthorizationList> {
    return this.client.list('~/authorizations', query, options);
  }

  /**
   * Get a recorded instruction.
   *
   * Shows the task, what it is about, the instruction's own words and who gave it.
   */
  get(authorizationId: string, options?: CallOptions): Promise<models.Authorization> {
    return this.client.get(at`~/authorizations/${authorizationId}`, undefined, options);
  }
}

/** Prices, quotes, wallets and charges. */
export class BillingApi extends Api {
  /**
   * The public rate card.
   *
   * The platform fee by category, pricing type, transport, market and currency. A market without a row of its
   * own has the price of `defaultMarket`, and so has a country that stands in no market. The provider bills
   * the business itself for the message, unless its business account is in the billing mode `partner`.
   */
  getPublicPricing(options?: CallOptions): Promise<models.PublicPricing> {
    return this.client.get('/v1/pricing', undefined, options);
  }

  /**
   * What the account is charged per message.
   *
   * The prices that hold for the account now, by category, kind of pricing, transport and market.
   * `passThroughRates` are charged on top for business accounts in the billing mode `partner`. A message
   * keeps the version of the rate card it was priced by.
   */
  getRateCard(options?: CallOptions): Promise<models.RateCard> {
    return this.client.get('~/billing/rate-card', undefined, options);
  }

  /**
   * What one message would cost now.
   *
   * The most the message can cost: one that the provider turns out to carry for free is charged less when it
   * is settled.
   */
  quoteMessage(body: models.QuoteMessageRequest, options?: CallOptions): Promise<models.MessageQuote> {
    return this.client.keyed('POST', '~/billing/message-quote', body, options);
  }

  /**
   * List wallets with their balances.
   *
   * One wallet a currency. `available` is the balance, `held` is set aside for messages on their way, and
   * `spendable` is what further messages may cost, credit included.
   */
  listWallets(query?: ListWalletsQuery, options?: CallOptions): Pages<models.Wallet, models.WalletList> {
    return this.client.list('~/billing/wallets', query, options);
  }

  /**
   * List the thresholds below which people are told that little is left.
   *
   * Those that are set, one a currency. `armed` is false once it was told, until money comes in.
   */
  listLowBalanceAlerts(options?: CallOptions): Pages<models.LowBalanceAlert, models.LowBalanceAlertList> {
    return this.client.list('~/billing/low-balance-alerts', undefined, options);
  }

  /**
   * Say below which amount people are told that little is left.
   *
   * The threshold is compared with `spendable` of the wallet, and is written as `1,000.50` or `1000.5`; null
   * removes it. It is told once, by the event `wallet.low_balance` and a notification, in the moment in which
   * `spendable` falls below it, and at once where it is below already. It is told again only after money came
   * in, or for another threshold.
   */
  setLowBalanceAlert(currency: string, body: models.SetLowBalanceAlertRequest, options?: CallOptions): Promise<models.LowBalanceAlert> {
    return this.client.keyed('PUT', at`~/billing/low-balance-alerts/${currency}`, body, options);
  }

  /**
   * List the monthly budgets.
   *
   * Those that are set, one a currency. `spent` is what messages were charged in this calendar month (UTC)
   * and what is held for those on their way.
   */
  listBudgets(options?: CallOptions): Pages<models.Budget, models.BudgetList> {
    return this.client.list('~/billing/budgets', undefined, options);
  }

  /**
   * Limit what messages may cost in a month.
   *
   * A message that would cost more than what is left of the month is refused with INSUFFICIENT_FUNDS, and
   * preflight says so. Months are those of the calendar in UTC. Null removes the budget. What was accepted is
   * delivered and charged.
   */
  setBudget(currency: string, body: models.SetBudgetRequest, options?: CallOptions): Promise<models.Budget> {
    return this.client.keyed('PUT', at`~/billing/budgets/${currency}`, body, options);
  }

  /**
   * List what messages cost.
   *
   * One charge for every message whose final price is known, free ones included, and one for every correction
   * made later. `from` is inclusive, `to` is exclusive. A charge names the rate card the message was accepted
   * under, and whether the price follows the provider’s report or our estimate. `invoiceSid` and
   * `statementSid` are set once its period is closed.
   */
  listCharges(query?: ListChargesQuery, options?: CallOptions): Pages<models.Charge, models.ChargeList> {
    return this.client.list('~/billing/charges', query, options);
  }

  /**
   * Set how an account is taxed in a currency.
   *
   * For the staff of the platform only. Top-ups and invoices made from now on are taxed by the rates that
   * `taxProvider` has for the jurisdiction and code; what was issued stays as it is. `invoiceProvider` says
   * through whom invoices are submitted. Without a profile nothing is taxed. In the sandbox the jurisdiction
   * `TEST` has the codes `standard`, `reduced`, `two_rates` and `exempt`, and the codes `fault_refused`,
   * `fault_refused_once` and `fault_unavailable_twice` make the submission of invoices fail.
   */
  setTaxProfile(body: models.SetTaxProfileRequest, options?: CallOptions): Promise<models.TaxProfile> {
    return this.client.keyed('PUT', '~/billing/tax-profile', body, options);
  }

  /**
   * Explain a charge.
   *
   * Why it is this amount: the row of the rate card, how the provider said it charged, what was held for the
   * message, what was moved, the period and documents it stands on, and the line of the invoice.
   */
  explainCharge(chargeId: string, options?: CallOptions): Promise<models.ChargeExplanation> {
    return this.client.get(at`~/billing/charges/${chargeId}`, undefined, options);
  }
}

/** Who pays the provider for the messages of a business account. */
export class BillingModeApi extends Api {
  /**
   * Who pays the provider for a business account.
   *
   * `direct`: the provider bills the business itself. `partner`: it bills the operator of this platform, who
   * charges the account for it. `switch` is the newest change of it, whatever became of it.
   */
  get(wabaSid: models.WabaSid, options?: CallOptions): Promise<models.BillingMode> {
    return this.client.get(at`~/wabas/${wabaSid}/billing-mode`, undefined, options);
  }

  /**
   * Ask that the operator pay the provider for a business account.
   *
   * The operation waits until an owner accepts the terms it names, then shares the credit line of the
   * operator with the business and ends when the provider shows it as what pays. An offer lapses after 30
   * days. Nothing is charged differently before the mode is `partner`.
   */
  startSwitch(wabaSid: models.WabaSid, options?: CallOptions): Promise<models.Operation> {
    return this.client.keyed('POST', at`~/wabas/${wabaSid}/billing-mode-switch`, undefined, options);
  }

  /**
   * Accept the terms of a switch.
   *
   * By an owner, with a second factor (`BILLING_MODE_ACCEPT`) in `stepUpEvidence`. `termsVersion` must be the
   * one the switch names.
   */
  acceptSwitch(wabaSid: models.WabaSid, body: models.AcceptBillingModeSwitchRequest, options?: CallOptions): Promise<models.BillingMode> {
    return this.client.keyed('POST', at`~/wabas/${wabaSid}/billing-mode-switch/accept`, body, options);
  }

  /**
   * Have a business account pay the provider itself again.
   *
   * The operation takes the credit line back and ends once the provider has confirmed that; until then the
   * mode is `partner`. One sharing serves all accounts of a business: while others of it are in the mode
   * `partner`, the operation waits for them and names them. A switch whose terms nobody accepted is withdrawn
   * at once.
   */
  revertSwitch(wabaSid: models.WabaSid, body: models.RevertBillingModeSwitchRequest, options?: CallOptions): Promise<models.Operation> {
    return this.client.keyed('POST', at`~/wabas/${wabaSid}/billing-mode-switch/revert`, body, options);
  }
}

/** The same message to many: drafted, launched, paced, paused, and what became of each recipient. */
export class CampaignsApi extends Api {
  /**
   * List campaigns.
   *
   * The newest first, in any state or in the one that is asked for.
   */
  list(query?: ListCampaignsQuery, options?: CallOptions): Pages<models.Campaign, models.CampaignList> {
    return this.client.list('~/campaigns', query, options);
  }

  /**
   * Draft a campaign.
   *
   * To the members of a segment or up to 10,000 contacts, with one message or two to four variants whose
   * weights sum to 100. Texts name variables, `{{firstName}}`, which are filled from attributes of each
   * contact or their fallback. With `localTime` the clock time of `sendAt` counts in each recipient’s own
   * time zone. In their `quietHours` nobody is written to. The `budget` counts each message at the most it
   * can cost. Everything that is wrong is told at once.
   */
  create(body: models.CreateCampaignRequest, options?: CallOptions): Promise<models.Campaign> {
    return this.client.keyed('POST', '~/campaigns', body, options);
  }

  /**
   * Get a campaign and how far it is.
   *
   * `progress` counts its recipients. The operation `operationSid` names can be followed as a stream of
   * events.
   */
  get(campaignSid: models.CampaignSid, options?: CallOptions): Promise<models.Campaign> {
    return this.client.get(at`~/campaigns/${campaignSid}`, undefined, options);
  }

  /**
   * Change the draft of a campaign.
   *
   * What is left out stays as it was, null takes away. What was launched does not change any more: CONFLICT.
   */
  update(campaignSid: models.CampaignSid, body: models.UpdateCampaignRequest = {}, options?: CallOptions): Promise<models.Campaign> {
    return this.client.keyed('PATCH', at`~/campaigns/${campaignSid}`, body, options);
  }

  /**
   * Delete the draft of a campaign.
   *
   * Only a draft is deleted; what was launched is canceled instead, and kept.
   */
  delete(campaignSid: models.CampaignSid, options?: CallOptions): Promise<void> {
    return this.client.remove(at`~/campaigns/${campaignSid}`, options);
  }

  /**
   * See what launching the draft would do.
   *
   * Judges the whole audience by the gates of sending, in the order of a launch and without storing anything:
   * whom each gate would refuse, with ten samples of each code, what it costs by market and category, and how
   * long it takes at the pace of the senders. Below 5,000 recipients it is answered at once; otherwise with
   * an operation, whose result it is.
   */
  preview(campaignSid: models.CampaignSid, options?: CallOptions): Promise<models.CampaignPreview | models.Operation> {
    return this.client.keyed('POST', at`~/campaigns/${campaignSid}/preview`, undefined, options);
  }

  /**
   * Launch a campaign.
   *
   * Its audience is cut once, and each of the recipients admitted once, beginning at `sendAt`. What stands
   * against all of its messages refuses the launch, in the words of the gate. To more live recipients than
   * the account’s threshold, APPROVAL_REQUIRED names the approval that another person gives.
   */
  launch(campaignSid: models.CampaignSid, options?: CallOptions): Promise<models.Campaign> {
    return this.client.keyed('POST', at`~/campaigns/${campaignSid}/launch`, undefined, options);
  }

  /**
   * Pause a campaign.
   *
   * Once this is answered nobody is admitted until it is resumed. Messages that were admitted before go their
   * way.
   */
  pause(campaignSid: models.CampaignSid, options?: CallOptions): Promise<models.Campaign> {
    return this.client.keyed('POST', at`~/campaigns/${campaignSid}/pause`, undefined, options);
  }

  /**
   * Resume a paused campaign.
   *
   * It goes on with those who still wait. What it paused for by itself is met again unless it was mended.
   */
  resume(campaignSid: models.CampaignSid, options?: CallOptions): Promise<models.Campaign> {
    return this.client.keyed('POST', at`~/campaigns/${campaignSid}/resume`, undefined, options);
  }

  /**
   * Cancel a campaign.
   *
   * Once this is answered nobody else is admitted, ever. Messages that were admitted before go their way,
   * unless each is canceled.
   */
  cancel(campaignSid: models.CampaignSid, options?: CallOptions): Promise<models.Campaign> {
    return this.client.keyed('POST', at`~/campaigns/${campaignSid}/cancel`, undefined, options);
  }

  /**
   * List the recipients of a campaign and what became of each.
   *
   * In the order of their positions. Each has a message, or the error and the records it was refused by, or
   * still waits. Filter by `outcome` or by the `code` of the refusal.
   */
  listRecipients(campaignSid: models.CampaignSid, query?: ListCampaignRecipientsQuery, options?: CallOptions): Pages<models.CampaignRecipient, models.CampaignRecipientList> {
    return this.client.list(at`~/campaigns/${campaignSid}/recipients`, query, options);
  }

  /**
   * Get what came of a campaign.
   *
   * Counted from its messages as they stand now: sent, delivered, read, replied and opted out, failed and
   * refused by code, and what they cost, in all and by variant. Shares come with their 95 % interval, by
   * Wilson: where those of two variants overlap, the difference may be chance.
   */
  getResults(campaignSid: models.CampaignSid, options?: CallOptions): Promise<models.CampaignResults> {
    return this.client.get(at`~/campaigns/${campaignSid}/results`, undefined, options);
  }

  /**
   * Get what holds for all campaigns of the account.
   *
   * Who needs a second person to launch, and which time zone people have of whom none is known.
   */
  getSettings(options?: CallOptions): Promise<models.CampaignSettings> {
    return this.client.get('~/campaign-settings', undefined, options);
  }

  /**
   * Change what holds for all campaigns of the account.
   *
   * What is left out stays as it was. In live the threshold is raised, or taken away with null, by an owner
   * of the organization only.
   */
  updateSettings(body: models.UpdateCampaignSettingsRequest, options?: CallOptions): Promise<models.CampaignSettings> {
    return this.client.keyed('PATCH', '~/campaign-settings', body, options);
  }
}

/** What people agreed to, recorded in a chain and never changed. */
export class ConsentApi extends Api {
  /**
   * Count contacts by purpose and consent status.
   *
   * A contact without a record counts as UNKNOWN. Also tells how many contacts are suppressed.
   */
  getCoverage(options?: CallOptions): Promise<models.ConsentCoverage> {
    return this.client.get('~/consent-coverage', undefined, options);
  }

  /**
   * List a contact's consent records.
   *
   * Newest first, with those of contacts merged into it; `contactSid` tells for whom each was recorded.
   */
  list(contactSid: models.ContactSid, query?: ListContactConsentsQuery, options?: CallOptions): Pages<models.Consent, models.ConsentList> {
    return this.client.list(at`~/contacts/${contactSid}/consents`, query, options);
  }

  /**
   * Record a consent.
   *
   * Added to the append-only ledger: it supersedes the current record of its purpose and overwrites none. The
   * evidence is kept whole and is part of what the hash chain proves.
   */
  create(contactSid: models.ContactSid, body: models.CreateContactConsentRequest, options?: CallOptions): Promise<models.Consent> {
    return this.client.keyed('POST', at`~/contacts/${contactSid}/consents`, body, options);
  }

  /**
   * Get a consent record.
   *
   * A record is never changed: a later one supersedes it. `ledger` gives its place in the chain by which the
   * records can be verified.
   */
  get(contactSid: models.ContactSid, consentSid: models.ConsentSid, options?: CallOptions): Promise<models.Consent> {
    return this.client.get(at`~/contacts/${contactSid}/consents/${consentSid}`, undefined, options);
  }

  /**
   * Sign a proof of what a contact agreed to.
   *
   * The newest 200 consent records of the contact and of those merged into it, each as the text that was
   * hashed, with its words and their salt as far as they are kept, its place in the chain, and where the
   * chain stood. It names nobody else. `godwit privacy verify` proves it without a service, and its SHA-256
   * stands in the audit chain. A contact without a record is answered CONFLICT.
   */
  certify(contactSid: models.ContactSid, options?: CallOptions): Promise<models.ConsentCertificate> {
    return this.client.keyed('POST', at`~/contacts/${contactSid}/consent-certificate`, undefined, options);
  }
}

/** Contacts imported from files and exported to them. */
export class ContactFilesApi extends Api {
  /**
   * Import contacts and their consents from a file.
   *
   * Answers with an operation that reads the file, finds or creates the contact of every row as POST contacts
   * would, and records its consent with the source IMPORT. With `dryRun` nothing is stored and the result
   * says what would happen. Rows that are refused are children of the operation and a CSV file to correct and
   * send again.
   */
  import(body: models.ImportContactsRequest, options?: CallOptions): Promise<models.Operation> {
    return this.client.keyed('POST', '~/contacts/import', body, options);
  }

  /**
   * Export contacts into a file.
   *
   * Takes the filters of the list, or a segment. The result of the operation says where the file can be
   * fetched; it is kept for 7 days.
   */
  export(body: models.ExportContactsRequest, options?: CallOptions): Promise<models.Operation> {
    return this.client.keyed('POST', '~/contacts/export', body, options);
  }

  /**
   * Fetch the file of an export.
   *
   * Available once the operation of the export has succeeded, for 7 days. The format is the one the export
   * was asked for.
   */
  downloadExport(operationSid: models.OperationSid, options?: CallOptions): Promise<Response> {
    return this.client.raw(at`~/contacts/exports/${operationSid}/file`, undefined, options);
  }

  /**
   * Fetch the rows an import refused, each with its reason.
   *
   * A CSV file with the refused rows as they came and two columns more: the number of the row and the reason.
   * Corrected, it can be imported again.
   */
  downloadImportErrors(operationSid: models.OperationSid, options?: CallOptions): Promise<Response> {
    return this.client.raw(at`~/contacts/imports/${operationSid}/errors`, undefined, options);
  }
}

/** People and their identifiers, merged where two turn out to be one. */
export class ContactsApi extends Api {
  /**
   * List and search contacts.
   *
   * Live contacts, newest first. `q` looks in names and identifiers, anywhere from three characters on, at
   * the beginning of a word below that; case and accents do not matter. `identifier` finds the contact that
   * owns it.
   */
  list(query?: ListContactsQuery, options?: CallOptions): Pages<models.Contact, models.ContactList> {
    return this.client.list('~/contacts', query, options);
  }

  /**
   * Find the contact with an identifier, or create it.
   *
   * Answers 200 with the contact that owns the first known identifier, or 201 with a new one. Unknown
   * identifiers become its own; identifiers of other contacts stay with them and open an identity conflict.
   * The name, attributes, locale and time zone are used only for a new contact.
   */
  create(body: models.CreateContactRequest, options?: CallOptions): Promise<models.Contact> {
    return this.client.keyed('POST', '~/contacts', body, options);
  }

  /**
   * List identity conflicts.
   *
   * A conflict is opened when identifiers of one request belong to two contacts. The newest first; settle an
   * open one by merging the two or by dismissing it.
   */
  listConflicts(query?: ListContactConflictsQuery, options?: CallOptions): Pages<models.ContactConflict, models.ContactConflictList> {
    return this.client.list('~/contacts/conflicts', query, options);
  }

  /**
   * Merge the contacts of a conflict, or dismiss it.
   *
   * A merge keeps the older contact. A dismissed conflict is not opened again by the same identifiers.
   */
  resolveConflict(conflictId: string, body: models.ResolveContactConflictRequest, options?: CallOptions): Promise<models.ContactConflict> {
    return this.client.keyed('POST', at`~/contacts/conflicts/${conflictId}/resolve`, body, options);
  }

  /**
   * List merges.
   *
   * The newest first. Each says what moved, who merged, and until when it can be taken back.
   */
  listMerges(query?: ListContactMergesQuery, options?: CallOptions): Pages<models.ContactMerge, models.ContactMergeList> {
    return this.client.list('~/contacts/merges', query, options);
  }

  /**
   * Get a merge.
   *
   * Shows which identifiers and records moved to the surviving contact and, once reverted, what moved back
   * and what stayed.
   */
  getMerge(mergeId: string, options?: CallOptions): Promise<models.ContactMerge> {
    return this.client.get(at`~/contacts/merges/${mergeId}`, undefined, options);
  }

  /**
   * Revert a merge.
   *
   * Possible for 30 days. Exactly what moved returns; what the survivor gained since stays. The answer names
   * both.
   */
  revertMerge(mergeId: string, options?: CallOptions): Promise<models.ContactMerge> {
    return this.client.keyed('POST', at`~/contacts/merges/${mergeId}/revert`, undefined, options);
  }

  /**
   * Get a contact with its identifiers, attributes and consents.
   *
   * A contact that was merged answers with status MERGED and names the survivor in `mergedInto`. `consent`
   * tells for each purpose what holds now and which record says so.
   */
  get(contactSid: models.ContactSid, options?: CallOptions): Promise<models.Contact> {
    return this.client.get(at`~/contacts/${contactSid}`, undefined, options);
  }

  /**
   * Change a contact.
   *
   * Attributes are changed name by name: those not given stay, and null removes one. With `expectedUpdatedAt`
   * the change is refused if the contact was edited since.
   */
  update(contactSid: models.ContactSid, body: models.UpdateContactRequest = {}, options?: CallOptions): Promise<models.Contact> {
    return this.client.keyed('PATCH', at`~/contacts/${contactSid}`, body, options);
  }

  /**
   * Merge another contact into this one.
   *
   * Identifiers, consents, suppressions and service windows move to the contact in the path; its own name and
   * attributes stay as they are. Can be reverted for 30 days.
   */
  merge(contactSid: models.ContactSid, body: models.MergeContactRequest, options?: CallOptions): Promise<models.ContactMerge> {
    return this.client.keyed('POST', at`~/contacts/${contactSid}/merge`, body, options);
  }

  /**
   * See what a merge would do.
   *
   * What would move to the contact in the path and how that would look afterwards, found out by merging and
   * taking it back: nothing is stored and nobody is told. It is refused where the merge would be.
   */
  previewMerge(contactSid: models.ContactSid, body: models.PreviewContactMergeRequest, options?: CallOptions): Promise<models.ContactMergePreview> {
    return this.client.write('POST', at`~/contacts/${contactSid}/merge/preview`, body, options);
  }
}

/** What is said between a sender and a contact, assigned to people and inboxes. */
export class ConversationsApi extends Api {
  /**
   * List conversations, newest activity first.
   *
   * Whoever holds inboxes:read on the account sees all of them. A person with a role on single inboxes sees
   * those in the inboxes they are a member of.
   */
  list(query?: ListConversationsQuery, options?: CallOptions): Pages<models.Conversation, models.ConversationList> {
    return this.client.list('~/conversations', query, options);
  }

  /**
   * Get a conversation.
   *
   * Shows who it is assigned to, whether somebody is writing an answer, and the `version` that every change
   * must name.
   */
  get(conversationSid: models.ConversationSid, options?: CallOptions): Promise<models.Conversation> {
    return this.client.get(at`~/conversations/${conversationSid}`, undefined, options);
  }

  /**
   * Give a conversation to somebody who can read it, or to nobody.
   *
   * Refused with CONVERSATION_VERSION_CONFLICT when the conversation changed after `expectedVersion`.
   */
  assign(conversationSid: models.ConversationSid, body: models.AssignConversationRequest, options?: CallOptions): Promise<models.Conversation> {
    return this.client.keyed('POST', at`~/conversations/${conversationSid}/assign`, body, options);
  }

  /**
   * Close a conversation.
   *
   * It opens again when the customer writes. Refused with CONVERSATION_VERSION_CONFLICT when the conversation
   * changed after `expectedVersion`.
   */
  close(conversationSid: models.ConversationSid, body: models.ConversationVersionRequest, options?: CallOptions): Promise<models.Conversation> {
    return this.client.keyed('POST', at`~/conversations/${conversationSid}/close`, body, options);
  }

  /**
   * Open a closed conversation again.
   *
   * Refused with CONVERSATION_VERSION_CONFLICT when the conversation changed after `expectedVersion`.
   */
  reopen(conversationSid: models.ConversationSid, body: models.ConversationVersionRequest, options?: CallOptions): Promise<models.Conversation> {
    return this.client.keyed('POST', at`~/conversations/${conversationSid}/reopen`, body, options);
  }

  /**
   * Move a conversation into another inbox, or out of its inbox.
   *
   * It arrives with nobody assigned. Refused with CONVERSATION_VERSION_CONFLICT when the conversation changed
   * after `expectedVersion`.
   */
  move(conversationSid: models.ConversationSid, body: models.MoveConversationRequest, options?: CallOptions): Promise<models.Conversation> {
    return this.client.keyed('POST', at`~/conversations/${conversationSid}/move`, body, options);
  }

  /**
   * Claim a conversation to write an answer.
   *
   * One holds the claim at a time, for 60 seconds unless it is renewed. The token is told once. Overriding
   * somebody else's claim takes a reason and messages:send on the account, and is audited.
   */
  acquireComposerClaim(conversationSid: models.ConversationSid, body: models.AcquireComposerClaimRequest = {}, options?: CallOptions): Promise<models.ComposerClaim> {
    return this.client.keyed('POST', at`~/conversations/${conversationSid}/composer-claim`, body, options);
  }

  /**
   * Keep a claim for another 60 seconds.
   *
   * Only whoever holds the claim can renew it, with the token it was made with. A claim that ended is made
   * anew instead.
   */
  renewComposerClaim(conversationSid: models.ConversationSid, body: models.ComposerClaimRequest, options?: CallOptions): Promise<models.ComposerClaim> {
    return this.client.write('PUT', at`~/conversations/${conversationSid}/composer-claim`, body, options);
  }

  /**
   * Give a claim back.
   *
   * Lets others write at once instead of after the claim has run out. Only whoever holds the claim can give
   * it back.
   */
  releaseComposerClaim(conversationSid: models.ConversationSid, body: models.ComposerClaimRequest, options?: CallOptions): Promise<void> {
    return this.client.write('DELETE', at`~/conversations/${conversationSid}/composer-claim`, body, options);
  }

  /**
   * List the senders whose conversations arrive in an inbox.
   *
   * New conversations with these senders arrive in the inbox. A sender belongs to one inbox at most.
   */
  listInboxSenders(inboxSid: models.InboxSid, query?: ListInboxSendersQuery, options?: CallOptions): Pages<models.SenderInbox, models.SenderInboxList> {
    return this.client.list(at`~/inboxes/${inboxSid}/senders`, query, options);
  }

  /**
   * Let the conversations of a sender arrive in an inbox.
   *
   * Counts for conversations that open from then on; a sender has one inbox at most. It takes the scope on
   * the account, since it takes customers from whichever inbox had the sender before.
   */
  addInboxSender(inboxSid: models.InboxSid, senderSid: models.SenderSid, options?: CallOptions): Promise<models.SenderInbox> {
    return this.client.keyed('PUT', at`~/inboxes/${inboxSid}/senders/${senderSid}`, undefined, options);
  }

  /**
   * Let the conversations of a sender arrive in no inbox.
   *
   * New conversations of the sender then belong to no inbox. Those already in this inbox stay there.
   */
  removeInboxSender(inboxSid: models.InboxSid, senderSid: models.SenderSid, options?: CallOptions): Promise<void> {
    return this.client.remove(at`~/inboxes/${inboxSid}/senders/${senderSid}`, options);
  }

  /**
   * Tell whether a sender may write freely to a contact.
   *
   * The window is open for 24 hours after the last message of the contact to this sender. A merged contact is
   * answered for its survivor, to whom messages follow.
   */
  getServiceWindow(senderSid: models.SenderSid, contactSid: models.ContactSid, options?: CallOptions): Promise<models.ServiceWindow> {
    return this.client.get(at`~/senders/${senderSid}/contacts/${contactSid}/window`, undefined, options);
  }
}

/** The errors this API can answer with. */
export class ErrorsApi extends Api {
  /**
   * Every error this API can answer with.
   *
   * The whole catalogue on one page, without credentials: for each code its HTTP status, whether the same
   * request can succeed later, and what to do about it. A code never changes its meaning, so decide by the
   * code.
   */
  list(options?: CallOptions): Pages<models.ErrorEntry, models.ErrorEntryList> {
    return this.client.list('/v1/errors', undefined, options);
  }
}

/** Everything that happened, in order, for as long as history is kept. */
export class EventsApi extends Api {
  /**
   * List the types of events, each with a sample.
   *
   * Each type with the API version it came with, what it means and a sample of its data. Endpoints filter by
   * these names.
   */
  listTypes(options?: CallOptions): Pages<models.WebhookEventType, models.WebhookEventTypeList> {
    return this.client.list('~/webhook-event-types', undefined, options);
  }

  /**
   * List events.
   *
   * Newest first. `type` takes an exact name or `prefix.*`. With `sort=sequence` and `afterSequence` the log
   * is followed from a number on. A page of a rare `type` may have fewer events than `limit`, or none, and
   * `hasMore` all the same: it has looked through a part of the log, and the next goes on from there. Events
   * are kept for 90 days.
   */
  list(query?: ListEventsQuery, options?: CallOptions): Pages<models.Event, models.EventList> {
    return this.client.list('~/events', query, options);
  }

  /**
   * Get an event.
   *
   * The event as it was delivered, for as long as history is kept.
   */
  get(eventSid: models.EventSid, options?: CallOptions): Promise<models.Event> {
    return this.client.get(at`~/events/${eventSid}`, undefined, options);
  }

  /**
   * Emit a sample event in the sandbox.
   *
   * To try out an endpoint: the sample of the type is emitted as an event and delivered like any other. Only
   * in the sandbox; elsewhere CAPABILITY_UNAVAILABLE.
   */
  trigger(body: models.TriggerEventRequest, options?: CallOptions): Promise<models.TriggeredEvent> {
    return this.client.keyed('POST', '~/events/trigger', body, options);
  }
}

/** Forms made at the provider and sent in messages. */
export class FlowsApi extends Api {
  /**
   * List flows.
   *
   * The newest first. Filter by `status` to find those that can be sent.
   */
  list(query?: ListFlowsQuery, options?: CallOptions): Pages<models.Flow, models.FlowList> {
    return this.client.list('~/flows', query, options);
  }

  /**
   * Register a flow that was built at the provider.
   *
   * The provider is asked for its name and state. Only a published flow can be sent.
   */
  register(body: models.RegisterFlowRequest, options?: CallOptions): Promise<models.Flow> {
    return this.client.keyed('POST', '~/flows', body, options);
  }

  /**
   * Get a flow.
   *
   * Shows the status the provider last told, and whether the flow calls the business's own endpoint.
   */
  get(flowSid: models.FlowSid, options?: CallOptions): Promise<models.Flow> {
    return this.client.get(at`~/flows/${flowSid}`, undefined, options);
  }

  /**
   * Forget a flow.
   *
   * The registration goes; the flow stays at the provider.
   */
  forget(flowSid: models.FlowSid, options?: CallOptions): Promise<models.Flow> {
    return this.client.write('DELETE', at`~/flows/${flowSid}`, undefined, options);
  }

  /**
   * Read a flow again at the provider.
   *
   * Asks the provider at once, stores the flow's name and status and answers with them.
   */
  sync(flowSid: models.FlowSid, options?: CallOptions): Promise<models.Flow> {
    return this.client.keyed('POST', at`~/flows/${flowSid}/sync`, undefined, options);
  }
}

/** Second factors, step-up tokens, the authentication policy and who is asking. */
export class IdentityApi extends Api {
  /**
   * List your second factors.
   *
   * The factors of the signed-in person who asks, the newest first. `usable` is false while a factor is
   * turned off or its provider is suspended.
   */
  listMfaCredentials(query?: ListMfaCredentialsQuery, options?: CallOptions): Pages<models.MfaCredential, models.MfaCredentialList> {
    return this.client.list('~/identity/mfa/credentials', query, options);
  }

  /**
   * Remove one of your second factors.
   *
   * The last one stays while the organization demands a second factor of everyone. Step-up tokens it gave end
   * with it, and recovery codes end with the last factor.
   */
  deleteMfaCredential(credentialId: string, body: models.StepUpRequest, options?: CallOptions): Promise<void> {
    return this.client.write('DELETE', at`~/identity/mfa/credentials/${credentialId}`, body, options);
  }

  /**
   * Begin to add a second factor.
   *
   * The built-in providers are `passkey` and `totp`. Whoever has a factor already must have proven one in
   * this session, at sign-in or by a step-up for MFA_ENROLLMENT_CREATE. The secret of an authenticator app is
   * shown once.
   */
  createMfaEnrollment(body: models.CreateMfaEnrollmentRequest, options?: CallOptions): Promise<models.MfaEnrollment> {
    return this.client.keyed('POST', '~/identity/mfa/enrollments', body, options);
  }

  /**
   * Prove the new factor and add it.
   *
   * `response` is the JSON of the browser’s new credential for WEBAUTHN, the code for TOTP. The first factor
   * comes with ten recovery codes, shown once.
   */
  completeMfaEnrollment(enrollmentId: string, body: models.CompleteMfaEnrollmentRequest, options?: CallOptions): Promise<models.EnrolledMfaCredential> {
    return this.client.keyed('POST', at`~/identity/mfa/enrollments/${enrollmentId}/complete`, body, options);
  }

  /**
   * Replace your recovery codes.
   *
   * The old codes end at once. The ten new ones are shown once; each works once.
   */
  rotateMfaRecoveryCodes(body: models.StepUpRequest, options?: CallOptions): Promise<models.MfaRecoveryCodes> {
    return this.client.keyed('POST', '~/identity/mfa/recovery-codes/rotate', body, options);
  }

  /**
   * List your factors and start a passkey ceremony.
   *
   * The challenge is bound to you, this session, this account and the action; it is good once, for 5 minutes.
   */
  createMfaVerificationOptions(body: models.CreateMfaVerificationOptionsRequest, options?: CallOptions): Promise<models.MfaVerificationOptions> {
    return this.client.keyed('POST', '~/identity/mfa/verification-options', body, options);
  }

  /**
   * Take all second factors from a person who lost them.
   *
   * Removes their factors and recovery codes and ends their sessions. Only an owner does this to an owner.
   */
  resetUserMfa(userSid: models.UserSid, body: models.StepUpRequest, options?: CallOptions): Promise<models.MfaReset> {
    return this.client.keyed('POST', at`~/identity/users/${userSid}/mfa/reset`, body, options);
  }

  /**
   * Exchange a second factor for a step-up token.
   *
   * The token is good for exactly the action a STEP_UP_REQUIRED refusal named, once, for 5 minutes, in this
   * account and environment. It dies with the session and with the factor. Five failures within 15 minutes
   * lock the method for 15 minutes; the third lock in a row turns the factor off.
   */
  createStepUpToken(body: models.CreateStepUpTokenRequest, query?: CreateStepUpTokenQuery, options?: CallOptions): Promise<models.StepUpGrant> {
    return this.client.keyed('POST', '~/identity/step-up', body, options, query);
  }

  /**
   * Who these credentials are.
   *
   * Tells the account, environment, region and scopes of a key; of a signed-in person, the user and the
   * accounts they reach, with their scopes on each.
   */
  getMe(options?: CallOptions): Promise<models.Me> {
    return this.client.get('/v1/me', undefined, options);
  }

  /**
   * End every session of a user at once.
   *
   * All sessions of the person end at once, on every device, and the answer says how many. The person can
   * sign in again unless they are deactivated too.
   */
  revokeAllUserSessions(userSid: models.UserSid, body: models.StepUpRequest, options?: CallOptions): Promise<models.SessionRevocation> {
    return this.client.keyed('POST', at`~/identity/users/${userSid}/sessions/revoke-all`, body, options);
  }

  /**
   * Get the authentication policy of the organization.
   *
   * What the organization demands of everybody who signs in. A change names the `version` it was made from.
   */
  getAuthPolicy(options?: CallOptions): Promise<models.AuthPolicy> {
    return this.client.get('~/identity/auth-policy', undefined, options);
  }

  /**
   * Set the authentication policy of the organization.
   *
   * Replaces the whole policy if its version is still `expectedVersion`; otherwise 409 CONFLICT names the
   * current one. A policy that was never set has version 1. `passwordLoginEnabled: false` lets nobody in by
   * password; `ssoEnforced` lets only owners of the whole organization in by password, and only with a second
   * factor. Both need an ACTIVE OIDC or SAML provider. Shorter timeouts hold for open sessions at once.
   */
  setAuthPolicy(body: models.SetAuthPolicyRequest, options?: CallOptions): Promise<models.AuthPolicy> {
    return this.client.keyed('PUT', '~/identity/auth-policy', body, options);
  }
}

/** Sign-in by OpenID Connect or SAML, directories by SCIM, and the second factors that are allowed. */
export class IdentityProvidersApi extends Api {
  /**
   * List identity providers.
   *
   * Providers belong to the organization and stand in both environments.
   */
  list(query?: ListIdentityProvidersQuery, options?: CallOptions): Pages<models.IdentityProvider, models.IdentityProviderList> {
    return this.client.list('~/identity/providers', query, options);
  }

  /**
   * Stage an identity provider.
   *
   * What `publicConfig` holds depends on the protocol; unknown keys are refused. `credentialRef` names a
   * secret the operator stored with `godwit identity credential set`. Roles a provider gives can hold only
   * what its maker holds.
   */
  create(body: models.CreateIdentityProviderRequest, options?: CallOptions): Promise<models.IdentityProvider> {
    return this.client.keyed('POST', '~/identity/providers', body, options);
  }

  /**
   * Get an identity provider.
   *
   * Shows the configuration, how far the provider was verified, and the addresses its other side has to be
   * told.
   */
  get(providerId: string, options?: CallOptions): Promise<models.IdentityProvider> {
    return this.client.get(at`~/identity/providers/${providerId}`, undefined, options);
  }

  /**
   * Verify and activate an identity provider.
   *
   * A provider that cannot be verified stays as it was, and the answer says what stands against it. For SCIM
   * the answer carries the directory's bearer token, shown once; every activation issues a new one.
   */
  activate(providerId: string, body: models.IdentityProviderStateRequest, options?: CallOptions): Promise<models.ActivatedIdentityProvider> {
    return this.client.keyed('POST', at`~/identity/providers/${providerId}/activate`, body, options);
  }

  /**
   * Suspend an identity provider.
   *
   * It stops backing sign-in, second factors or the directory at once; sessions it began are over.
   */
  suspend(providerId: string, body: models.IdentityProviderStateRequest, options?: CallOptions): Promise<models.IdentityProvider> {
    return this.client.keyed('POST', at`~/identity/providers/${providerId}/suspend`, body, options);
  }
}

/** Where teams find the conversations they answer. */
export class InboxesApi extends Api {
  /**
   * List inboxes.
   *
   * Whoever holds inboxes:read on the account sees all of them. A person with a role on single inboxes sees
   * those of them they are a member of.
   */
  list(query?: ListInboxesQuery, options?: CallOptions): Pages<models.Inbox, models.InboxList> {
    return this.client.list('~/inboxes', query, options);
  }

  /**
   * Create an inbox.
   *
   * An inbox gathers the conversations of the senders assigned to it for the people who are its members. It
   * begins without either.
   */
  create(body: models.CreateInboxRequest, options?: CallOptions): Promise<models.Inbox> {
    return this.client.keyed('POST', '~/inboxes', body, options);
  }

  /**
   * Get an inbox.
   *
   * Shows its name and how many members it has. Members and senders have lists of their own.
   */
  get(inboxSid: models.InboxSid, options?: CallOptions): Promise<models.Inbox> {
    return this.client.get(at`~/inboxes/${inboxSid}`, undefined, options);
  }

  /**
   * Rename an inbox.
   *
   * Changes the name; members, senders and conversations stay as they are.
   */
  update(inboxSid: models.InboxSid, body: models.UpdateInboxRequest = {}, options?: CallOptions): Promise<models.Inbox> {
    return this.client.keyed('PATCH', at`~/inboxes/${inboxSid}`, body, options);
  }

  /**
   * List the members of an inbox.
   *
   * The people who see the conversations of the inbox and may answer in them, as far as their roles allow.
   */
  listMembers(inboxSid: models.InboxSid, query?: ListInboxMembersQuery, options?: CallOptions): Pages<models.InboxMember, models.InboxMemberList> {
    return this.client.list(at`~/inboxes/${inboxSid}/members`, query, options);
  }

  /**
   * Make a person a member of an inbox.
   *
   * Membership makes an inbox theirs; what they may do in it, a role bound to it says.
   */
  addMember(inboxSid: models.InboxSid, userSid: models.UserSid, options?: CallOptions): Promise<models.InboxMember> {
    return this.client.keyed('PUT', at`~/inboxes/${inboxSid}/members/${userSid}`, undefined, options);
  }

  /**
   * Remove a member from an inbox.
   *
   * The person no longer sees the inbox's conversations, unless a role on the account lets them. Removing
   * somebody who is no member changes nothing.
   */
  removeMember(inboxSid: models.InboxSid, userSid: models.UserSid, options?: CallOptions): Promise<void> {
    return this.client.remove(at`~/inboxes/${inboxSid}/members/${userSid}`, options);
  }
}

/**
 * Billing periods and what comes of them: statements, invoices, credit notes, and how invoices are collected.
 */
export class InvoicesApi extends Api {
  /**
   * Set how periods follow each other and how invoices are collected.
   *
   * Once a currency, and whole. `nextPeriodStart` is where the last closed period ended; the first period
   * takes everything older too. Whole calendar months go by a day of the month in UTC, so that the 31st
   * becomes the 28th and the 31st again; other periods are followed by others of their length, but of a day
   * at least. A period whose end lies in the past is closed at once. `collection` names a payment that
   * succeeded with `saveCardForInvoices`: its card is charged when an invoice is issued, and again after each
   * failure as many hours later as `retryDelaysHours` says, at most 24 times.
   */
  setBillingAutomation(body: models.SetBillingAutomationRequest, options?: CallOptions): Promise<models.BillingAutomation> {
    return this.client.keyed('PUT', '~/billing/automation', body, options);
  }

  /**
   * Preview the next invoice.
   *
   * What the invoice of the running period would say if nothing more happened, made by what makes the
   * invoice. `notInvoiced` says why none would be made. Of the wallet messages are paid from, unless
   * `currency` names another.
   */
  preview(query?: PreviewInvoiceQuery, options?: CallOptions): Promise<models.InvoicePreview> {
    return this.client.get('~/billing/invoice-preview', query, options);
  }

  /**
   * List invoices.
   *
   * Newest first, of all states or of one.
   */
  list(query?: ListInvoicesQuery, options?: CallOptions): Pages<models.Invoice, models.InvoiceList> {
    return this.client.list('~/billing/invoices', query, options);
  }

  /**
   * Get an invoice with its document.
   *
   * The document never changes once the invoice is issued. With `Accept: application/pdf` it is answered as a
   * PDF.
   */
  get(invoiceSid: models.InvoiceSid, options?: CallOptions): Promise<models.InvoiceWithDocument> {
    return this.client.get(at`~/billing/invoices/${invoiceSid}`, undefined, options);
  }

  /**
   * List the charges behind a line of an invoice.
   *
   * Every message the line is about, and what it cost. Empty for lines that are not about messages or
   * corrections.
   */
  listLineCharges(invoiceSid: models.InvoiceSid, line: string, query?: ListInvoiceLineChargesQuery, options?: CallOptions): Pages<models.Charge, models.ChargeList> {
    return this.client.list(at`~/billing/invoices/${invoiceSid}/lines/${line}/charges`, query, options);
  }

  /**
   * Credit a part of an invoice.
   *
   * What is still owed becomes less; what was paid becomes credit, which the next invoice takes up or a
   * refund pays out. `amountMinor` is net; `taxMinor` is what the tax of everything credited so far comes to,
   * less that of earlier notes, so that notes sum up to the invoice; a refusal names it. The platform must
   * agree: in live the answer is APPROVAL_REQUIRED, and the note is made when its staff does. Sent again with
   * the `approvalSid`, it answers the note.
   */
  createCreditNote(invoiceSid: models.InvoiceSid, body: models.CreateCreditNoteRequest, options?: CallOptions): Promise<models.CreditNoteWithDocument> {
    return this.client.keyed('POST', at`~/billing/invoices/${invoiceSid}/credit-notes`, body, options);
  }

  /**
   * Submit an invoice again that was refused.
   *
   * Only one that is `failed`. The operation ends with the answer of where it has to be registered.
   */
  resubmit(invoiceSid: models.InvoiceSid, body: models.ResubmitInvoiceRequest, options?: CallOptions): Promise<models.Operation> {
    return this.client.keyed('POST', at`~/billing/invoices/${invoiceSid}/resubmit`, body, options);
  }

  /**
   * Void an invoice that was issued in error.
   *
   * What it is about is unbilled again, and part of the next invoice: nothing is forgiven. One of which
   * something is paid or credited cannot be voided.
   */
  void(invoiceSid: models.InvoiceSid, body: models.VoidInvoiceRequest, options?: CallOptions): Promise<models.Invoice> {
    return this.client.keyed('POST', at`~/billing/invoices/${invoiceSid}/void`, body, options);
  }

  /**
   * Write off an invoice nobody will pay.
   *
   * Only one that is `past_due`. The staff of the platform does so itself; everybody else gets
   * APPROVAL_REQUIRED, and it happens when the staff agrees. An invoice that is paid after all becomes
   * `paid`.
   */
  writeOff(invoiceSid: models.InvoiceSid, body: models.WriteOffInvoiceRequest, options?: CallOptions): Promise<models.Invoice> {
    return this.client.keyed('POST', at`~/billing/invoices/${invoiceSid}/write-off`, body, options);
  }

  /**
   * List statements.
   *
   * One for every closed period in which something happened, newest first.
   */
  listStatements(query?: ListStatementsQuery, options?: CallOptions): Pages<models.Statement, models.StatementList> {
    return this.client.list('~/billing/statements', query, options);
  }

  /**
   * Get a statement with its document.
   *
   * It never changes. With `Accept: application/pdf` the document is answered as a PDF.
   */
  getStatement(statementSid: models.StatementSid, options?: CallOptions): Promise<models.StatementWithDocument> {
    return this.client.get(at`~/billing/statements/${statementSid}`, undefined, options);
  }
}

/** What is under a legal hold is removed by nobody until it is released. */
export class LegalHoldsApi extends Api {
  /**
   * List legal holds.
   *
   * The newest first, with those that were released.
   */
  list(query?: ListLegalHoldsQuery, options?: CallOptions): Pages<models.LegalHold, models.LegalHoldList> {
    return this.client.list('~/legal-holds', query, options);
  }

  /**
   * Place a legal hold.
   *
   * From the answer on, nothing in its `scope` is removed by anybody until it is released. A scope is
   * `{"type":"ACCOUNT"}`, `{"type":"CONTACT","contactSid":…}`, `{"type":"CONVERSATION","conversationSid":…}`,
   * `{"type":"CAMPAIGN","campaignSid":…}` or `{"type":"DATE_RANGE","from":…,"to":…}`, whose end does not
   * count. A hold of the platform needs the consent of a second person: asked for without `approvalSid` it is
   * refused with APPROVAL_REQUIRED, names the approval, and holds already while somebody decides.
   */
  create(body: models.CreateLegalHoldRequest, options?: CallOptions): Promise<models.LegalHold> {
    return this.client.keyed('POST', '~/legal-holds', body, options);
  }

  /**
   * Release a legal hold.
   *
   * What it kept may be removed again. The account releases what it placed, with a second factor
   * (`LEGAL_HOLD_RELEASE`); what the platform placed is released by the platform's compliance alone.
   * Releasing it again changes nothing.
   */
  release(holdId: string, body: models.ReleaseLegalHoldRequest, options?: CallOptions): Promise<models.LegalHold> {
    return this.client.keyed('POST', at`~/legal-holds/${holdId}/release`, body, options);
  }
}

/** What happens in an account, told the moment it happens. */
export class LiveApi extends Api {
  /**
   * Hear of what happens, as server-sent events.
   *
   * An event `hint` says that something happened, and to what: `sequence`, `type` and `resourceSid`, and no
   * data. Only what the caller may read is told of; whoever may read single inboxes hears of what is in
   * those. A client that connects again with `Last-Event-ID` goes on where it was, without a loss or a
   * double; where that is too long ago, an event `reset` bids it read anew what it shows. The stream ends
   * when the session ends or the key is revoked. Beyond 100 streams of an account the answer is RATE_LIMITED.
   */
  follow(options?: CallOptions): Promise<Response> {
    return this.client.raw('~/live', undefined, options);
  }
}

/** Being set up by the operator: an application, its quote, and what becomes of it. */
export class ManagedOnboardingApi extends Api {
  /**
   * Applications to be set up by the operator.
   *
   * Whether the account may apply, the application that has not ended, and the newest 100. What a business
   * says of itself is opened for principals of the account itself only; `detailsState` says when it is
   * withheld or cannot be opened.
   */
  get(query?: GetManagedOnboardingQuery, options?: CallOptions): Promise<models.ManagedOnboarding> {
    return this.client.get('~/managed-onboarding', query, options);
  }

  /**
   * Apply to be set up by the operator.
   *
   * The operator opens a business account in its own portfolio and obtains the number: `PURCHASE` takes
   * `requestedNumber` as a wish, `PORT` takes over that number. An account has one open application. Accept
   * what `quote` offers, to the letter. In the sandbox a robot decides: the words `needs_information`,
   * `requote`, `reject` and `robot_waits` in `displayName` steer it.
   */
  createApplication(body: models.CreateManagedApplicationRequest, options?: CallOptions): Promise<models.ManagedApplication> {
    return this.client.keyed('POST', '~/managed-onboarding', body, options);
  }

  /**
   * What it costs, on which terms.
   *
   * The fingerprint is the SHA-256 of the canonical JSON (RFC 8785) of account, environment, application,
   * number source, lines, currency, and version and hash of the terms. With `applicationSid`: what that
   * application is offered now, or else what it accepted.
   */
  getQuote(query: GetManagedOnboardingQuoteQuery, options?: CallOptions): Promise<models.ManagedOnboardingQuote> {
    return this.client.get('~/managed-onboarding/quote', query, options);
  }

  /**
   * Give the information that was asked for.
   *
   * Only while the application is INFORMATION_REQUESTED. Media SIDs in the text are documents: they must be
   * READY, and are kept until the application ends.
   */
  updateApplication(applicationSid: models.ManagedApplicationSid, body: models.UpdateManagedApplicationRequest, options?: CallOptions): Promise<models.ManagedApplication> {
    return this.client.keyed('PATCH', at`~/managed-onboarding/${applicationSid}`, body, options);
  }

  /**
   * Withdraw an application.
   *
   * Until it is approved; later it is a CONFLICT.
   */
  withdrawApplication(applicationSid: models.ManagedApplicationSid, options?: CallOptions): Promise<void> {
    return this.client.remove(at`~/managed-onboarding/${applicationSid}`, options);
  }

  /**
   * Accept a changed quote.
   *
   * Only while the application is QUOTE_CHANGED. Fingerprint and terms must be those that are offered.
   */
  acceptQuote(applicationSid: models.ManagedApplicationSid, body: models.AcceptManagedOnboardingQuoteRequest, options?: CallOptions): Promise<models.ManagedApplication> {
    return this.client.keyed('POST', at`~/managed-onboarding/${applicationSid}/accept-quote`, body, options);
  }

  /**
   * Say where the business is reached for the hand-over.
   *
   * For the code and the hand-over of the number: a phone that people answer, and not the number that is set
   * up. Until the application has ended.
   */
  setHandoverPhone(applicationSid: models.ManagedApplicationSid, body: models.SetManagedHandoverPhoneRequest, options?: CallOptions): Promise<models.ManagedApplication> {
    return this.client.keyed('PATCH', at`~/managed-onboarding/${applicationSid}/handover-phone`, body, options);
  }

  /**
   * Take an application into review.
   *
   * For the staff of the platform only.
   */
  reviewApplication(applicationSid: models.ManagedApplicationSid, options?: CallOptions): Promise<models.ManagedApplication> {
    return this.client.keyed('POST', at`~/managed-onboarding/${applicationSid}/review`, undefined, options);
  }

  /**
   * Ask the business for something.
   *
   * For the staff of the platform only. The application waits until the business answers.
   */
  requestInformation(applicationSid: models.ManagedApplicationSid, body: models.RequestManagedInformationRequest, options?: CallOptions): Promise<models.ManagedApplication> {
    return this.client.keyed('POST', at`~/managed-onboarding/${applicationSid}/request-information`, body, options);
  }

  /**
   * Offer other prices.
   *
   * For the staff of the platform only. Without `lines` the price list for the country decides; the terms are
   * those of now. The application waits until the business accepts.
   */
  requoteApplication(applicationSid: models.ManagedApplicationSid, body: models.RequoteManagedApplicationRequest, options?: CallOptions): Promise<models.ManagedApplication> {
    return this.client.keyed('POST', at`~/managed-onboarding/${applicationSid}/requote`, body, options);
  }

  /**
   * Approve an application.
   *
   * For the staff of the platform only, with a second factor. The fee is set aside, and the operation the
   * application names begins the work; a wallet that does not hold the fee is INSUFFICIENT_FUNDS, and nothing
   * has begun.
   */
  approveApplication(applicationSid: models.ManagedApplicationSid, body: models.ApproveManagedApplicationRequest, options?: CallOptions): Promise<models.ManagedApplication> {
    return this.client.keyed('POST', at`~/managed-onboarding/${applicationSid}/approve`, body, options);
  }

  /**
   * Reject an application.
   *
   * For the staff of the platform only; also one that FAILED, whose number is then given back.
   */
  rejectApplication(applicationSid: models.ManagedApplicationSid, body: models.RejectManagedApplicationRequest, options?: CallOptions): Promise<models.ManagedApplication> {
    return this.client.keyed('POST', at`~/managed-onboarding/${applicationSid}/reject`, body, options);
  }

  /**
   * Try an application again that failed.
   *
   * For the staff of the platform only. The fee is set aside anew, and the work goes on where it stood.
   */
  retryApplication(applicationSid: models.ManagedApplicationSid, options?: CallOptions): Promise<models.ManagedApplication> {
    return this.client.keyed('POST', at`~/managed-onboarding/${applicationSid}/retry`, undefined, options);
  }

  /**
   * See what a business says of itself.
   *
   * For the staff of the platform only, with a second factor and a reason, which the customer finds in its
   * audit chain.
   */
  revealDetails(applicationSid: models.ManagedApplicationSid, body: models.RevealManagedDetailsRequest, options?: CallOptions): Promise<models.RevealedManagedApplicationDetails> {
    return this.client.write('POST', at`~/managed-onboarding/${applicationSid}/reveal`, body, options);
  }

  /**
   * Say what came of a task.
   *
   * For the staff of the platform only: of what the application lists in `openTasks`. ORDER_NUMBER tells the
   * `number`, CREATE_ACCOUNT the `providerWabaId` of the business account opened in the operator's portfolio,
   * READ_CODE the `code` that came to the number. FAILED ends the application as FAILED.
   */
  endTask(applicationSid: models.ManagedApplicationSid, body: models.EndManagedTaskRequest, options?: CallOptions): Promise<models.ManagedApplication> {
    return this.client.keyed('POST', at`~/managed-onboarding/${applicationSid}/tasks`, body, options);
  }
}

/** Files to send and files received: checked, kept for a while, and served again. */
export class MediaApi extends Api {
  /**
   * List media.
   *
   * The newest first, sent and received files alike. Expired items are listed too; deleted ones are not.
   */
  list(query?: ListMediaQuery, options?: CallOptions): Pages<models.Media, models.MediaList> {
    return this.client.list('~/media', query, options);
  }

  /**
   * Upload a file, or have it fetched from a URL.
   *
   * A file goes as `multipart/form-data` in the field `file`; JSON names a `url` to fetch. The item is
   * PENDING, then SCANNING, and READY once its content has been examined and scanned (event `media.ready`),
   * or REJECTED with the reasons (event `media.rejected`). Only READY media can be sent.
   */
  create(body: models.CreateMediaRequest | models.CreateMediaForm, options?: CallOptions): Promise<models.Media> {
    return this.client.keyed('POST', '~/media', body, options);
  }

  /**
   * Upload a READY item as the sample of a template header.
   *
   * The handle goes into the `example` of the header of a new template. JPEG, PNG, MP4 and PDF are taken.
   */
  createUpload(body: models.CreateMediaUploadRequest, options?: CallOptions): Promise<models.MediaUpload> {
    return this.client.keyed('POST', '~/media/uploads', body, options);
  }

  /**
   * Get a media item and what became of its scan.
   *
   * An item can be sent once its `status` is READY and `sendable` is true; otherwise `scan.reasons` says why
   * not. The content itself is fetched from `content`.
   */
  get(mediaSid: models.MediaSid, options?: CallOptions): Promise<models.Media> {
    return this.client.get(at`~/media/${mediaSid}`, undefined, options);
  }

  /**
   * Delete a media item and its content.
   *
   * The content is removed for good and the item can no longer be sent. Messages that carried it stay.
   */
  delete(mediaSid: models.MediaSid, options?: CallOptions): Promise<void> {
    return this.client.remove(at`~/media/${mediaSid}`, options);
  }

  /**
   * Download the content of a READY item.
   *
   * Answers to `Range`, `If-Range` and `If-None-Match`. Always an attachment, never a page.
   */
  getContent(mediaSid: models.MediaSid, options?: CallOptions): Promise<Response> {
    return this.client.raw(at`~/media/${mediaSid}/content`, undefined, options);
  }
}

/** Sending, checking and following messages. */
export class MessagesApi extends Api {
  /**
   * Ask whether a message would be accepted, and what it would cost.
   *
   * Answers 200 whatever the verdict: every gate is reported with the records that decided, the price with
   * its lines, and the error sending would answer with. Nothing is stored. A person who holds messages:send
   * in single inboxes may ask for a reply in a conversation of such an inbox, with a composer claim of
   * theirs.
   */
  preflight(body: models.SendMessageRequest, options?: CallOptions): Promise<models.Preflight> {
    return this.client.keyed('POST', '~/messages/preflight', body, options);
  }

  /**
   * Send a message.
   *
   * Runs the gates of preflight and answers 201 once the message is stored; it is handed to the provider
   * right after. Repeating the request with the same key answers with the same message. A person who holds
   * messages:send in single inboxes may reply in a conversation of such an inbox, with a composer claim of
   * theirs.
   */
  send(body: models.SendMessageRequest, options?: CallOptions): Promise<models.Message> {
    return this.client.keyed('POST', '~/messages', body, options);
  }

  /**
   * List messages, sent and received.
   *
   * The newest first. Filters are combined; a person who may read single inboxes sees the messages of those
   * inboxes only.
   */
  list(query?: ListMessagesQuery, options?: CallOptions): Pages<models.Message, models.MessageList> {
    return this.client.list('~/messages', query, options);
  }

  /**
   * Send up to 1,000 messages.
   *
   * Each body has its own outcome, in order: the message, or the error it was refused with, also where it
   * does not fit the schema; the paths of its details begin at that body. One key serves the whole batch,
   * which may be 16 MiB large.
   */
  sendBatch(body: models.SendMessagesRequest, options?: CallOptions): Promise<models.MessageBatch> {
    return this.client.keyed('POST', '~/messages/batch', body, options);
  }

  /**
   * Get a message.
   *
   * Shows the status, the price and, where it failed, the error. A person who may read single inboxes gets
   * messages of those inboxes only.
   */
  get(messageSid: models.MessageSid, options?: CallOptions): Promise<models.Message> {
    return this.client.get(at`~/messages/${messageSid}`, undefined, options);
  }

  /**
   * Cancel a message that was not handed over yet.
   *
   * Possible while the message waits to be handed to the provider, such as before its `sendAt`; otherwise
   * MESSAGE_NOT_CANCELABLE. What was held for it is given back. Canceling twice is no error.
   */
  cancel(messageSid: models.MessageSid, options?: CallOptions): Promise<models.Message> {
    return this.client.keyed('POST', at`~/messages/${messageSid}/cancel`, undefined, options);
  }

  /**
   * Everything that happened to a message, in order.
   *
   * Its statuses in the order in which they were stored, its hand-offs to the provider with their codes, the
   * money held, charged and given back for it, and the attempts to deliver its events to webhook endpoints.
   */
  getTimeline(messageSid: models.MessageSid, options?: CallOptions): Promise<models.MessageTimeline> {
    return this.client.get(at`~/messages/${messageSid}/timeline`, undefined, options);
  }
}

/** What people should know of, and how each of them wants to be told. */
export class NotificationsApi extends Api {
  /**
   * List what the caller should know of.
   *
   * The newest first, for 90 days, in the language of whoever asks: what is for a role they hold now, an
   * inbox they are a member of, themselves alone, or everybody. Categories whose `inApp` is off are left out.
   * The same again within 24 hours counts up instead of being listed anew, and is unread again.
   */
  list(query?: ListNotificationsQuery, options?: CallOptions): Pages<models.Notification, models.NotificationList> {
    return this.client.list('~/notifications', query, options);
  }

  /**
   * Mark a notification as read.
   *
   * For the caller alone: others who were told the same have marks of their own. Reading twice changes
   * nothing.
   */
  markRead(notificationId: string, options?: CallOptions): Promise<models.Notification> {
    return this.client.keyed('POST', at`~/notifications/${notificationId}/read`, undefined, options);
  }

  /**
   * Get what the caller wants to be told of.
   *
   * Every category, whether it was ever set or not. Mail from the sandbox is off until it is set.
   */
  getPreferences(options?: CallOptions): Promise<models.NotificationPreferences> {
    return this.client.get('~/notification-preferences', undefined, options);
  }

  /**
   * Choose how to be told of one category.
   *
   * Holds for the caller, in this account and environment. A key gets no mail: its choice is kept and has no
   * effect.
   */
  setPreference(body: models.SetNotificationPreferenceRequest, options?: CallOptions): Promise<models.NotificationPreferences> {
    return this.client.keyed('PUT', '~/notification-preferences', body, options);
  }

  /**
   * Choose the language of notifications.
   *
   * Null follows the language of the person; a key without a choice is told in English.
   */
  setLanguage(body: models.SetNotificationLanguageRequest, options?: CallOptions): Promise<models.NotificationLanguage> {
    return this.client.keyed('PUT', '~/notification-preferences/language', body, options);
  }

  /**
   * See what the unsubscribe link of a mail turns off.
   *
   * The link at the end of every mail about notifications. Changes nothing, since programs open every link in
   * a mail. Browsers get a page with a button, in the language of the person. Links never expire.
   */
  getUnsubscribe(token: string, options?: CallOptions): Promise<models.NotificationUnsubscribe> {
    return this.client.get(at`/v1/notification-unsubscribe/${token}`, undefined, options);
  }

  /**
   * Turn off the mail that a link is about.
   *
   * One-click unsubscribing by RFC 8058: a form is taken as it comes, cookies are not looked at and nobody is
   * sent on. Ends the mail of these categories to this person; the notifications themselves stay. The same
   * again is 200 again. An `Idempotency-Key` may be sent and is not needed.
   */
  confirmUnsubscribe(token: string, options?: CallOptions): Promise<models.NotificationUnsubscribe> {
    return this.client.write('POST', at`/v1/notification-unsubscribe/${token}`, undefined, options);
  }
}

/** Moving a number to another business account, with its sender and all that belongs to it. */
export class NumberMigrationsApi extends Api {
  /**
   * List number migrations.
   *
   * The newest first, whatever became of them.
   */
  list(query?: ListMigrationsQuery, options?: CallOptions): Pages<models.NumberMigration, models.NumberMigrationList> {
    return this.client.list('~/migrations', query, options);
  }

  /**
   * Move a number to another business account.
   *
   * The sender keeps its SID, its conversations, service windows and pools. `impact` tells what will be
   * missing at the destination. The number is added there and sent a code, for which the migration then waits
   * (`awaits`). Until the step PAUSE it can be canceled; then messages stay in line until the number is
   * registered with `registrationPin`. In the end the template goes to the contact, and must be delivered
   * within ten minutes.
   */
  create(body: models.CreateMigrationRequest, options?: CallOptions): Promise<models.NumberMigration> {
    return this.client.keyed('POST', '~/migrations', body, options);
  }

  /**
   * Get a number migration and its history.
   *
   * Shows the step it has come to, what it waits for and until when. `history` has every step that was begun,
   * done or refused, the newest first; `limit` and `cursor` page it.
   */
  get(migrationSid: models.OperationSid, query?: GetMigrationQuery, options?: CallOptions): Promise<models.NumberMigrationWithHistory> {
    return this.client.get(at`~/migrations/${migrationSid}`, query, options);
  }

  /**
   * Bring the right PIN for a number migration.
   *
   * Where the provider refused the PIN. Messages leave from the source meanwhile. After five wrong ones the
   * migration fails.
   */
  submitRegistrationPin(migrationSid: models.OperationSid, body: models.SubmitMigrationPinRequest, options?: CallOptions): Promise<models.NumberMigration> {
    return this.client.keyed('POST', at`~/migrations/${migrationSid}/registration-pin`, body, options);
  }

  /**
   * Bring the code that was sent to the number.
   *
   * The code proves whose the number is. One that was sent more than ten minutes ago is refused with
   * ONBOARDING_CODE_EXPIRED; `request-code` has another sent.
   */
  submitVerificationCode(migrationSid: models.OperationSid, body: models.SubmitMigrationCodeRequest, options?: CallOptions): Promise<models.NumberMigration> {
    return this.client.keyed('POST', at`~/migrations/${migrationSid}/verification-code`, body, options);
  }

  /**
   * Have another code sent to the number.
   *
   * By message or by a call that reads it out, while the migration waits for the code.
   */
  requestCode(migrationSid: models.OperationSid, body: models.RequestMigrationCodeRequest, options?: CallOptions): Promise<models.NumberMigration> {
    return this.client.keyed('POST', at`~/migrations/${migrationSid}/request-code`, body, options);
  }
}

/** Work that takes longer than a request: its progress, its results and its retries. */
export class OperationsApi extends Api {
  /**
   * List asynchronous operations.
   *
   * The newest first unless `sort` says otherwise. Filter by `type` or `state` to find those still at work.
   */
  list(query?: ListOperationsQuery, options?: CallOptions): Pages<models.Operation, models.OperationList> {
    return this.client.list('~/operations', query, options);
  }

  /**
   * Get an operation and how far it is.
   *
   * Shows its state, how many items came to an end and, where it can be told, when it will be done. To follow
   * it without asking again, use its event stream.
   */
  get(operationSid: models.OperationSid, options?: CallOptions): Promise<models.Operation> {
    return this.client.get(at`~/operations/${operationSid}`, undefined, options);
  }

  /**
   * Stop an operation.
   *
   * What was done stays done; nothing more is written once this has answered. A retry goes on with the rest.
   */
  cancel(operationSid: models.OperationSid, options?: CallOptions): Promise<models.Operation> {
    return this.client.keyed('POST', at`~/operations/${operationSid}/cancel`, undefined, options);
  }

  /**
   * List the results of single items.
   *
   * In the order of the items. Work on very many rows lists only those that failed.
   */
  listChildren(operationSid: models.OperationSid, query?: ListOperationChildrenQuery, options?: CallOptions): Pages<models.OperationChild, models.OperationChildList> {
    return this.client.list(at`~/operations/${operationSid}/children`, query, options);
  }

  /**
   * Get the result of an operation that has ended.
   *
   * Answers CONFLICT while the operation is not at its end.
   */
  getResult(operationSid: models.OperationSid, options?: CallOptions): Promise<models.OperationResult> {
    return this.client.get(at`~/operations/${operationSid}/result`, undefined, options);
  }

  /**
   * Do again what an operation did not get done.
   *
   * Possible while `retryEligible` is true, otherwise OPERATION_NOT_RETRYABLE. What succeeded is not
   * repeated.
   */
  retry(operationSid: models.OperationSid, options?: CallOptions): Promise<models.Operation> {
    return this.client.keyed('POST', at`~/operations/${operationSid}/retry`, undefined, options);
  }

  /**
   * Follow an operation as server-sent events.
   *
   * An event `operation` carries the operation as it is now, first at once and then after every change; the
   * stream ends with the operation. A client that connects again with the `Last-Event-ID` of the end is
   * answered 204.
   */
  stream(operationSid: models.OperationSid, options?: CallOptions): Promise<Response> {
    return this.client.raw(at`~/operations/${operationSid}/events`, undefined, options);
  }
}

/** Hosted forms on which people agree to be written to, and receipts for it. */
export class OptInLinksApi extends Api {
  /**
   * List opt-in links.
   *
   * The newest 1,000, with expired and revoked ones. Tokens are not among what is told.
   */
  list(options?: CallOptions): Pages<models.OptInLink, models.OptInLinkList> {
    return this.client.list('~/opt-in-links', undefined, options);
  }

  /**
   * Create a link to a hosted opt-in form.
   *
   * The `token` and the `url` of the form are answered once; only a hash of the token is kept. The link never
   * changes: for other words make another. `purpose` is MARKETING unless said otherwise, `defaultCountry` the
   * organization's country, and without `expiresInDays` it stays open until it is revoked. At most 500 are
   * open at a time.
   */
  create(body: models.CreateOptInLinkRequest, options?: CallOptions): Promise<models.CreatedOptInLink> {
    return this.client.keyed('POST', '~/opt-in-links', body, options);
  }

  /**
   * Revoke an opt-in link.
   *
   * Its form is gone at once, and its row is kept. Revoking it again changes nothing.
   */
  revoke(linkSid: models.OptInLinkSid, options?: CallOptions): Promise<models.OptInLink> {
    return this.client.write('POST', at`~/opt-in-links/${linkSid}/revoke`, undefined, options);
  }

  /**
   * Show an opt-in form.
   *
   * A page for browsers (`Accept: text/html`), in English or French by `Accept-Language`, and what it says
   * for programs. Query parameters are ignored. Unknown, expired and revoked links are all NOT_FOUND.
   */
  getForm(token: string, options?: CallOptions): Promise<models.OptInForm> {
    return this.client.get(at`/v1/opt-in/${token}`, undefined, options);
  }

  /**
   * Submit an opt-in form.
   *
   * Finds or creates the contact by phone and records an OPTED_IN consent of source FORM that cites the link
   * and the exact words. Submitting again records nothing new. If the person opted out before, that stands
   * until their own phone sends the text in `confirmation`. From the sixth submission of an address within 10
   * minutes on, a solved challenge must come along.
   */
  submitForm(token: string, body: models.SubmitOptInFormRequest, options?: CallOptions): Promise<models.OptInReceipt> {
    return this.client.write('POST', at`/v1/opt-in/${token}`, body, options);
  }

  /**
   * List the keys that sign receipts.
   *
   * A JSON Web Key Set with every key by which a receipt was ever signed.
   */
  listReceiptKeys(options?: CallOptions): Promise<models.ReceiptKeySet> {
    return this.client.get('/v1/receipt-keys', undefined, options);
  }
}

/** Money that is paid in: top-ups, payments of invoices and their receipts. */
export class PaymentsApi extends Api {
  /**
   * Top a wallet up.
   *
   * Answers with an operation that waits until somebody has paid: `result.hostedUrl` is where, for a day.
   * `amountMinor` is in the minor units of the currency itself, 500 for 5.00; tax is added to what is paid.
   * `idempotencyKey` names this top-up for ever. With `saveCardForInvoices` the card that pays can be charged
   * for invoices.
   */
  createTopUp(body: models.CreateTopUpRequest, options?: CallOptions): Promise<models.Operation> {
    return this.client.keyed('POST', '~/billing/top-ups', body, options);
  }

  /**
   * List payments.
   *
   * Top-ups and payments of invoices, the newest first, those included that nobody paid. `hostedUrl` is where
   * one can be paid, while it can be.
   */
  list(query?: ListPaymentsQuery, options?: CallOptions): Pages<models.PaymentIntent, models.PaymentIntentList> {
    return this.client.list('~/billing/payments', query, options);
  }

  /**
   * List receipts of top-ups.
   *
   * The newest first. The document itself is read with the single receipt.
   */
  listReceipts(query?: ListReceiptsQuery, options?: CallOptions): Pages<models.ReceiptSummary, models.ReceiptSummaryList> {
    return this.client.list('~/billing/receipts', query, options);
  }

  /**
   * Get a receipt with its document.
   *
   * The document never changes. `Accept: application/pdf` answers with its PDF alone.
   */
  getReceipt(receiptSid: models.ReceiptSid, options?: CallOptions): Promise<models.Receipt> {
    return this.client.get(at`~/billing/receipts/${receiptSid}`, undefined, options);
  }

  /**
   * Pay by a link.
   *
   * Leads on to the payment service's page while the payment can be made there (303), and otherwise says what
   * became of it: a page to browsers, in English or French, JSON to programs.
   */
  open(token: string, options?: CallOptions): Promise<models.PaymentPage> {
    return this.client.get(at`/pay/${token}`, undefined, options);
  }

  /**
   * Come back from the payment service's page.
   *
   * Says what became of the payment, after asking the service.
   */
  returnFromPayment(token: string, options?: CallOptions): Promise<models.PaymentPage> {
    return this.client.get(at`/pay/${token}/returned`, undefined, options);
  }
}

/** What the operator lets an account use, and what it has used of it. */
export class PlansApi extends Api {
  /**
   * Show the plan of the account and what is used of it.
   *
   * What the operator lets the account use: messages a month, sends a second, requests a second of each key,
   * features. Null is without a limit. Each environment counts by itself, accepted messages only, in months
   * of the calendar in UTC.
   */
  getAccountPlan(options?: CallOptions): Promise<models.AccountPlan> {
    return this.client.get('~/plan', undefined, options);
  }
}

/** What people ask for about their data: to know, take along, correct, restrict or end it. */
export class PrivacyRequestsApi extends Api {
  /**
   * List privacy requests.
   *
   * The newest first, with those that are done. They name contacts, and nothing people are known by.
   */
  list(query?: ListPrivacyRequestsQuery, options?: CallOptions): Pages<models.PrivacyRequest, models.PrivacyRequestList> {
    return this.client.list('~/privacy/requests', query, options);
  }

  /**
   * Record what a person asks for about their data.
   *
   * `subject` is `{"contactSid":…}` or `{"identifierType":…,"value":…,"scopeRef":…}`; a contact that was
   * merged means its survivor. ERASURE restricts the person at once and removes what is kept of them after a
   * delay in which it can be withdrawn; ACCESS and PORTABILITY gather a copy to download; RECTIFICATION makes
   * `changes` at once, and alone has them; RESTRICTION keeps the data and uses it for nothing until it is
   * lifted. Of somebody the account does not know, ERASURE, ACCESS and PORTABILITY are done at once with
   * `found` false. One of a kind is open for a person at a time, and none beside an ERASURE.
   */
  create(body: models.CreatePrivacyRequestRequest, options?: CallOptions): Promise<models.PrivacyRequest> {
    return this.client.keyed('POST', '~/privacy/requests', body, options);
  }

  /**
   * Get a privacy request.
   *
   * `dueAt` is 30 days after it was made, and `overdue` says that it is not done by then. An erasure that
   * waits for legal holds is PARKED.
   */
  get(requestSid: models.PrivacyRequestSid, options?: CallOptions): Promise<models.PrivacyRequest> {
    return this.client.get(at`~/privacy/requests/${requestSid}`, undefined, options);
  }

  /**
   * Lift a restriction.
   *
   * The person is written to, found and changed as before, unless another request restricts them too. Needs a
   * second factor (`PRIVACY_RESTRICTION_LIFT`). Lifting it again changes nothing; a request that restricts
   * nothing by itself is refused.
   */
  liftRestriction(requestSid: models.PrivacyRequestSid, body: models.LiftPrivacyRestrictionRequest, options?: CallOptions): Promise<models.PrivacyRequest> {
    return this.client.keyed('POST', at`~/privacy/requests/${requestSid}/lift-restriction`, body, options);
  }

  /**
   * Withdraw an erasure.
   *
   * Possible until it begins: `startsAt` says when that is, and one that is PARKED before it began waits
   * longer. The person is no longer restricted by it. Withdrawing it again changes nothing.
   */
  withdraw(requestSid: models.PrivacyRequestSid, options?: CallOptions): Promise<models.PrivacyRequest> {
    return this.client.keyed('POST', at`~/privacy/requests/${requestSid}/withdraw`, undefined, options);
  }

  /**
   * Fetch the copy that was made for a person.
   *
   * A ZIP archive, for 7 days after an ACCESS or PORTABILITY request is COMPLETED: `about.json` with
   * purposes, recipients, windows and sources, one JSON file a store, for PORTABILITY the same as CSV, the
   * files that were exchanged, and `manifest.json` with the SHA-256 of each. Every download is written into
   * the audit chain.
   */
  downloadExport(requestSid: models.PrivacyRequestSid, options?: CallOptions): Promise<Response> {
    return this.client.raw(at`~/privacy/requests/${requestSid}/export`, undefined, options);
  }

  /**
   * Get the certificate of an erasure.
   *
   * A signed statement of what was erased, what was kept and on which legal basis, and what ends later by
   * itself. It names nobody. `godwit privacy verify` proves it without a service, and its SHA-256 stands in
   * the audit chain.
   */
  getCertificate(requestSid: models.PrivacyRequestSid, options?: CallOptions): Promise<models.ErasureCertificate> {
    return this.client.get(at`~/privacy/requests/${requestSid}/certificate`, undefined, options);
  }

  /**
   * List the keys of this installation.
   *
   * A JSON Web Key Set with every key by which a certificate of erasure or a receipt was ever signed.
   */
  listSigningKeys(options?: CallOptions): Promise<models.SigningKeySet> {
    return this.client.get('/.well-known/jwks.json', undefined, options);
  }
}

/** Business messaging accounts and portfolios at the provider, with their limits. */
export class ProviderAccountsApi extends Api {
  /**
   * List portfolios with their limits and what is used of them.
   *
   * For each business portfolio: its messaging tier, how many people were written to in the last 24 hours,
   * and how many phone numbers and templates are used of what is allowed.
   */
  listPortfolios(query?: ListPortfoliosQuery, options?: CallOptions): Pages<models.Portfolio, models.PortfolioList> {
    return this.client.list('~/portfolios', query, options);
  }

  /**
   * List business messaging accounts.
   *
   * The newest first, disconnected ones included. Each is shown with its portfolio, the state of its
   * connection and its senders.
   */
  listWabas(query?: ListWabasQuery, options?: CallOptions): Pages<models.Waba, models.WabaList> {
    return this.client.list('~/wabas', query, options);
  }

  /**
   * Connect a business messaging account.
   *
   * Live: `providerBusinessId`, `providerWabaId` and `accessToken` are required; the provider is asked with
   * the token before anything is stored, and the token is never shown again. Sandbox: `name` alone makes a
   * simulated account with one connected sender and approved templates.
   */
  connectWaba(body: models.ConnectWabaRequest, options?: CallOptions): Promise<models.Waba> {
    return this.client.keyed('POST', '~/wabas', body, options);
  }

  /**
   * Get a business messaging account with its portfolio, connection and senders.
   *
   * Also tells of restrictions and bans the provider has imposed, as far as they are known here.
   */
  getWaba(wabaSid: models.WabaSid, options?: CallOptions): Promise<models.Waba> {
    return this.client.get(at`~/wabas/${wabaSid}`, undefined, options);
  }

  /**
   * Disconnect a business messaging account.
   *
   * Its senders stop at once. What was stored about it stays; the access token does not.
   */
  disconnectWaba(wabaSid: models.WabaSid, body: models.DisconnectWabaRequest, options?: CallOptions): Promise<models.Waba> {
    return this.client.keyed('POST', at`~/wabas/${wabaSid}/disconnect`, body, options);
  }

  /**
   * Have the provider tell of a business account again.
   *
   * The operation looks whether the provider tells our app of the account, subscribes it where it does not or
   * tells another address, looks again, and asks what became of up to 1,000 messages nothing final was told
   * of. Its result says what was found before and after. One operation at a time works on a connection.
   */
  reconcileWabaSubscription(wabaSid: models.WabaSid, body: models.ReconcileSubscriptionRequest, options?: CallOptions): Promise<models.Operation> {
    return this.client.keyed('POST', at`~/wabas/${wabaSid}/reconcile-subscription`, body, options);
  }

  /**
   * Connect a business messaging account anew.
   *
   * For an account that is disconnected, or whose token the provider refuses; otherwise CONFLICT. The
   * operation waits with `awaits: SIGNUP`: `nextAction.url` leads somebody of the business to the signup at
   * the provider, within 30 minutes. Once they chose the same account there, it is connected, subscribed, and
   * its numbers and templates are read.
   */
  reconnectWaba(wabaSid: models.WabaSid, body: models.ReconnectWabaRequest, options?: CallOptions): Promise<models.Operation> {
    return this.client.keyed('POST', at`~/wabas/${wabaSid}/reconnect`, body, options);
  }
}

/** What the provider's API offers here, which version of it is spoken, and what is going to change. */
export class ProviderVersionsApi extends Api {
  /**
   * List what can be done at the provider, and what cannot.
   *
   * First what is the same in the whole environment, then of each business account, the newest first, and of
   * its numbers. The same decision stands behind the list and behind refusals: `errorCode` is what an attempt
   * is answered with now. LIMITED can be used, as `reason` says; PLANNED comes with a later version of the
   * API of the provider.
   */
  listCapabilities(query?: ListProviderCapabilitiesQuery, options?: CallOptions): Pages<models.ProviderCapability, models.ProviderCapabilityList> {
    return this.client.list('~/provider-capabilities', query, options);
  }

  /**
   * List what changes at the provider.
   *
   * What lies furthest ahead first: versions of its API that begin and end, and changes of prices, rules and
   * features. `relevant` says whether a change concerns this account in this environment, `because` why.
   * Where `datePrecision` is MONTH the provider named a month only, and `date` is its first day.
   */
  listChanges(query?: ListProviderChangesQuery, options?: CallOptions): Pages<models.ProviderChange, models.ProviderChangeList> {
    return this.client.list('~/provider-changes', query, options);
  }

  /**
   * Get the versions of the provider's API: spoken, next, tried.
   *
   * For each environment the version that is spoken and how many days are left to it, the next one, and the
   * later version that was tried last with the evidence: a stored run of checks through the adapter that
   * messages leave by. `against` tells whether the provider answered or the simulator, `failed` what
   * differed.
   */
  getCalendar(options?: CallOptions): Promise<models.ProviderVersionCalendar> {
    return this.client.get('~/provider-version-calendar', undefined, options);
  }
}

/** Where our records and those of the provider differ about messages and their prices. */
export class ReconciliationApi extends Api {
  /**
   * List differences with the provider.
   *
   * The newest first. A case opens by itself where the records of the provider and ours differ: another price
   * than was taken, a charge nobody expected, a delivery no event told of, or a message the provider never
   * spoke of again.
   */
  listCases(query?: ListReconciliationCasesQuery, options?: CallOptions): Pages<models.ReconciliationCase, models.ReconciliationCaseList> {
    return this.client.list('~/billing/reconciliation-cases', query, options);
  }

  /**
   * Get a difference with the provider.
   *
   * `expected` is what our records say and `reported` what the provider says; `findings` tell what was found
   * out, and what the provider answered about each message.
   */
  getCase(caseSid: models.ReconciliationCaseSid, options?: CallOptions): Promise<models.ReconciliationCase> {
    return this.client.get(at`~/billing/reconciliation-cases/${caseSid}`, undefined, options);
  }

  /**
   * Decide a difference with the provider.
   *
   * Records the decision and its evidence and moves no money; `pricing-remediation` does. A case that is
   * resolved or rejected stays so: CONFLICT.
   */
  resolveCase(caseSid: models.ReconciliationCaseSid, body: models.ResolveReconciliationCaseRequest, options?: CallOptions): Promise<models.ReconciliationCase> {
    return this.client.keyed('POST', at`~/billing/reconciliation-cases/${caseSid}/resolve`, body, options);
  }

  /**
   * Charge the messages of a case anew.
   *
   * Prices the messages of the case as given, each on the rate card it was accepted under, charges or credits
   * the difference and resolves the case. The operator agrees by the signature, made by `godwit billing
   * sign-remediation` over the account, the environment, the case in its present version and the pricing: one
   * that is wrong, used or of an earlier version is AUTHORIZATION_ERROR, and nothing moves.
   */
  remediatePricing(caseSid: models.ReconciliationCaseSid, body: models.RemediatePricingRequest, options?: CallOptions): Promise<models.ReconciliationCase> {
    return this.client.keyed('POST', at`~/billing/pricing-remediation/${caseSid}`, body, options);
  }
}

/** Money that goes back to whoever paid it. */
export class RefundsApi extends Api {
  /**
   * Ask the platform to agree to a refund.
   *
   * Answers with the approval that somebody of the platform decides; in the sandbox the platform agrees at
   * once. The approval is good for one refund of this amount, of this payment or invoice, for this reason.
   * Without an amount it is all that can be refunded at this moment.
   */
  request(body: models.RequestRefundRequest, options?: CallOptions): Promise<models.Approval> {
    return this.client.keyed('POST', '~/billing/refund-requests', body, options);
  }

  /**
   * Refund a payment.
   *
   * Of a top-up what was paid and not spent; of an invoice, or a payment of one, what credit notes owe back.
   * `amountMinor`, `currency` and `scale` go together, in minor units of the currency itself; without them
   * all that can be refunded is. `approvalSid` names the consent of the platform, and is used up. The
   * operation ends when the bank has taken the money, or has not.
   */
  create(body: models.CreateRefundRequest, options?: CallOptions): Promise<models.Operation> {
    return this.client.keyed('POST', '~/billing/refunds', body, options);
  }

  /**
   * List refunds.
   *
   * The newest first.
   */
  list(query?: ListRefundsQuery, options?: CallOptions): Pages<models.Refund, models.RefundList> {
    return this.client.list('~/billing/refunds', query, options);
  }

  /**
   * Get a refund.
   *
   * With its state, and why it failed where it did.
   */
  get(refundId: string, options?: CallOptions): Promise<models.Refund> {
    return this.client.get(at`~/billing/refunds/${refundId}`, undefined, options);
  }
}

/** How long messages and analytics are kept, and what goes when. */
export class RetentionApi extends Api {
  /**
   * Get how long data is kept.
   *
   * A null window keeps data until the customer deletes it, and so does a policy that was never set.
   */
  getPolicy(options?: CallOptions): Promise<models.RetentionPolicy> {
    return this.client.get('~/privacy/retention-policy', undefined, options);
  }

  /**
   * Set how long data is kept.
   *
   * Replaces all three windows; `analyticsMonths` that is left out keeps analytics until they are deleted. A
   * shorter window needs a second factor (`RETENTION_POLICY_CHANGE`) and counts 24 hours later
   * (`effectiveFrom`), so that it can be taken back; a longer one counts at once. `nextRun` tells what the
   * next run removes.
   */
  setPolicy(body: models.SetRetentionPolicyRequest, options?: CallOptions): Promise<models.ChangedRetentionPolicy> {
    return this.client.keyed('PUT', '~/privacy/retention-policy', body, options);
  }

  /**
   * Preview what a retention policy removes.
   *
   * What a run would remove at this moment under these windows, by its own rules and legal holds; nothing
   * changes. A window that is left out keeps that data. `exact` is false where there is too much to count:
   * more goes than is told.
   */
  previewPolicy(query?: PreviewRetentionPolicyQuery, options?: CallOptions): Promise<models.RetentionPreview> {
    return this.client.get('~/privacy/retention-policy/preview', query, options);
  }
}

/** Stored contents with variables, sent by name instead of written out. */
export class ReusableContentsApi extends Api {
  /**
   * List reusable contents.
   *
   * The newest first. Deleted contents are not listed.
   */
  list(query?: ListContentsQuery, options?: CallOptions): Pages<models.Content, models.ContentList> {
    return this.client.list('~/contents', query, options);
  }

  /**
   * Keep a content to be used again.
   *
   * The body of a message without its addresses. Any text in it may hold variables such as `{{name}}`, which
   * a message fills by `variables`. The limits of the type are judged now, and again with the values in
   * place.
   */
  create(body: models.CreateContentRequest, options?: CallOptions): Promise<models.Content> {
    return this.client.keyed('POST', '~/contents', body, options);
  }

  /**
   * Get a reusable content.
   *
   * Shows the content with its variables, in the order they first appear, and the `version` that an edit must
   * name.
   */
  get(contentSid: models.ContentSid, options?: CallOptions): Promise<models.Content> {
    return this.client.get(at`~/contents/${contentSid}`, undefined, options);
  }

  /**
   * Change a reusable content.
   *
   * `expectedVersion` is the version you have seen; if somebody was faster the answer is CONFLICT.
   */
  update(contentSid: models.ContentSid, body: models.UpdateContentRequest, options?: CallOptions): Promise<models.Content> {
    return this.client.keyed('PATCH', at`~/contents/${contentSid}`, body, options);
  }

  /**
   * Delete a reusable content.
   *
   * It can no longer be sent or changed. Messages that were made from it stay as they are.
   */
  delete(contentSid: models.ContentSid, options?: CallOptions): Promise<models.Content> {
    return this.client.write('DELETE', at`~/contents/${contentSid}`, undefined, options);
  }

  /**
   * Fill the variables of a reusable content.
   *
   * Answers with what a message would carry with these values, or with every fault at once. Nothing is stored
   * or sent.
   */
  preview(contentSid: models.ContentSid, body: models.PreviewContentRequest = {}, options?: CallOptions): Promise<models.ContentPreview> {
    return this.client.write('POST', at`~/contents/${contentSid}/preview`, body, options);
  }
}

/** What people and keys may do, and where. */
export class RolesApi extends Api {
  /**
   * List the built-in roles and the scopes each holds.
   *
   * The roles are built in and the same for every organization. `grantable` is false for roles of the
   * platform's own staff.
   */
  list(query?: ListRolesQuery, options?: CallOptions): Pages<models.Role, models.RoleList> {
    return this.client.list('~/roles', query, options);
  }

  /**
   * List who holds which role.
   *
   * The bindings that reach this account in this environment: its own, its parent account’s and those on the
   * whole organization. Revoked ones are gone; the audit events tell of them.
   */
  listBindings(query?: ListRoleBindingsQuery, options?: CallOptions): Pages<models.RoleBinding, models.RoleBindingList> {
    return this.client.list('~/role-bindings', query, options);
  }

  /**
   * Give a person or an API key a role.
   *
   * Nobody gives a role with scopes they do not hold themselves, at a place or in an environment where they
   * do not hold them. Without `environment` a person gets both, a key or an inbox its own. Bindings are never
   * changed: revoke one and make another. A new OWNER waits for the approval of another owner
   * (APPROVAL_REQUIRED), where there is one.
   */
  createBinding(body: models.CreateRoleBindingRequest, options?: CallOptions): Promise<models.RoleBinding> {
    return this.client.keyed('POST', '~/role-bindings', body, options);
  }

  /**
   * Take a role away.
   *
   * Ends at once what the role gave. Whoever takes a role away must hold its scopes. The last owner of an
   * organization stays.
   */
  revokeBinding(bindingId: string, body: models.RevokeRoleBindingRequest, options?: CallOptions): Promise<void> {
    return this.client.write('DELETE', at`~/role-bindings/${bindingId}`, body, options);
  }
}

/** The phones of simulated customers: what they show, and what is done on them. */
export class SandboxPhonesApi extends Api {
  /**
   * List the phones of simulated customers.
   *
   * Those that wrote to a sender of this sandbox or were written to, the newest talk first, as far back as
   * the simulator remembers. Live keys are refused with AUTHORIZATION_ERROR; PROVIDER_TEMPORARY_ERROR says
   * that the simulator does not answer.
   */
  list(query?: ListSandboxPhonesQuery, options?: CallOptions): Pages<models.SandboxPhone, models.SandboxPhoneList> {
    return this.client.list('~/sandbox/phones', query, options);
  }

  /**
   * Get what a simulated customer's phone shows.
   *
   * The newest messages between the phone and the senders of this sandbox, or one of them: words as they are
   * read, with parameters filled in, buttons, and how far each has come. A phone that nobody wrote to is
   * empty. Live keys are refused with AUTHORIZATION_ERROR; PROVIDER_TEMPORARY_ERROR says that the simulator
   * does not answer.
   */
  read(phoneNumber: string, query?: ReadSandboxPhoneQuery, options?: CallOptions): Promise<models.SandboxPhoneScreen> {
    return this.client.get(at`~/sandbox/phones/${phoneNumber}`, query, options);
  }

  /**
   * Let a simulated customer write.
   *
   * The message arrives as one of the provider does: it opens the service window, STOP is an opt-out,
   * workflows and webhooks hear of it. Answers with what the phone shows then. Live keys are refused with
   * AUTHORIZATION_ERROR; PROVIDER_TEMPORARY_ERROR says that the simulator does not answer.
   */
  write(phoneNumber: string, body: models.WriteOnPhone, options?: CallOptions): Promise<models.SandboxPhoneScreen> {
    return this.client.keyed('POST', at`~/sandbox/phones/${phoneNumber}/messages`, body, options);
  }

  /**
   * Let a simulated customer press a button.
   *
   * A reply button, a row of a list or the quick reply of a template, named by the message and the `id` of
   * the button as the phone shows them. Answers with what the phone shows then. Live keys are refused with
   * AUTHORIZATION_ERROR; PROVIDER_TEMPORARY_ERROR says that the simulator does not answer.
   */
  press(phoneNumber: string, body: models.PressOnPhone, options?: CallOptions): Promise<models.SandboxPhoneScreen> {
    return this.client.keyed('POST', at`~/sandbox/phones/${phoneNumber}/presses`, body, options);
  }

  /**
   * Let a simulated customer stop or resume marketing messages.
   *
   * As they do in their app, for the whole business the sender belongs to. The provider tells of it, and
   * fails marketing messages from then on. Answers with what the phone shows then. Live keys are refused with
   * AUTHORIZATION_ERROR; PROVIDER_TEMPORARY_ERROR says that the simulator does not answer.
   */
  prefer(phoneNumber: string, body: models.PreferOnPhone, options?: CallOptions): Promise<models.SandboxPhoneScreen> {
    return this.client.keyed('POST', at`~/sandbox/phones/${phoneNumber}/preference`, body, options);
  }
}

/** Audiences cut from the contacts by filters. */
export class SegmentsApi extends Api {
  /**
   * List segments.
   *
   * The newest first, each with its filters and how many members it had when it was last cut.
   */
  list(query?: ListSegmentsQuery, options?: CallOptions): Pages<models.Segment, models.SegmentList> {
    return this.client.list('~/segments', query, options);
  }

  /**
   * Cut an audience out of the contacts.
   *
   * Filters combine with AND and are applied at once. An attribute is compared with a value, or by `eq`,
   * `ne`, `in`, `gt`, `gte`, `lt`, `lte`, `exists`, `contains`. `contactSids` narrows the audience to that
   * set.
   */
  create(body: models.CreateSegmentRequest, options?: CallOptions): Promise<models.Segment> {
    return this.client.keyed('POST', '~/segments', body, options);
  }

  /**
   * Count an audience without storing it.
   *
   * Answers with the number of contacts the definition matches now, and a few of them. Nothing is stored.
   */
  preview(body: models.PreviewSegmentRequest, options?: CallOptions): Promise<models.SegmentPreview> {
    return this.client.keyed('POST', '~/segments/preview', body, options);
  }

  /**
   * Get a segment.
   *
   * `memberCount` and `materializedAt` tell of the last cut; contacts that came later are found by a refresh.
   */
  get(segmentSid: models.SegmentSid, options?: CallOptions): Promise<models.Segment> {
    return this.client.get(at`~/segments/${segmentSid}`, undefined, options);
  }

  /**
   * Redefine a segment and cut it again.
   *
   * What is left out stays as it was. Every change of the definition is a new filter version.
   */
  update(segmentSid: models.SegmentSid, body: models.UpdateSegmentRequest, options?: CallOptions): Promise<models.Segment> {
    return this.client.keyed('PATCH', at`~/segments/${segmentSid}`, body, options);
  }

  /**
   * Delete a segment nobody uses.
   *
   * Answers CONFLICT while something, such as a published workflow, uses it. Its members are forgotten; the
   * contacts stay.
   */
  delete(segmentSid: models.SegmentSid, options?: CallOptions): Promise<models.Segment> {
    return this.client.write('DELETE', at`~/segments/${segmentSid}`, undefined, options);
  }

  /**
   * List the members of a segment and why they belong.
   *
   * The members as the segment was last cut, each with the filters it matched and the consent record that
   * counted.
   */
  listMembers(segmentSid: models.SegmentSid, query?: ListSegmentMembersQuery, options?: CallOptions): Pages<models.SegmentMember, models.SegmentMemberList> {
    return this.client.list(at`~/segments/${segmentSid}/members`, query, options);
  }

  /**
   * Cut a segment again with the filters it has.
   *
   * Members who no longer match leave and new ones join. The filters and their version stay the same.
   */
  refresh(segmentSid: models.SegmentSid, options?: CallOptions): Promise<models.Segment> {
    return this.client.keyed('POST', at`~/segments/${segmentSid}/refresh`, undefined, options);
  }

  /**
   * Ask why members of a segment would not be reached.
   *
   * A message is judged for each of up to 100 members, page by page or for those that are named: every gate
   * of sending that refuses, with the records that decided, and what it would cost. Each is judged alone;
   * what an audience uses up together, such as funds and limits, is told by the preview of a campaign.
   * Nothing is stored. Whoever is restricted is in no page.
   */
  whyNot(segmentSid: models.SegmentSid, body: models.SegmentWhyNotRequest, options?: CallOptions): Promise<models.SegmentWhyNot> {
    return this.client.keyed('POST', at`~/segments/${segmentSid}/why-not`, body, options);
  }
}

/** Several senders that share the contacts of one audience. */
export class SenderPoolsApi extends Api {
  /**
   * List sender pools.
   *
   * The newest first, each with its members. Deleted pools are not listed.
   */
  list(query?: ListSenderPoolsQuery, options?: CallOptions): Pages<models.SenderPool, models.SenderPoolList> {
    return this.client.list('~/sender-pools', query, options);
  }

  /**
   * Let several senders share the work.
   *
   * A message sent to a pool leaves from one of its members that can send: the lowest `priority` first, and
   * there the one that speaks with the fewest contacts for its `weight`. A contact keeps hearing from the
   * member it was given.
   */
  create(body: models.CreateSenderPoolRequest, options?: CallOptions): Promise<models.SenderPool> {
    return this.client.keyed('POST', '~/sender-pools', body, options);
  }

  /**
   * Get a sender pool.
   *
   * Shows the members with their weights and priorities, and how many contacts are assigned to each.
   */
  get(senderPoolSid: models.SenderPoolSid, options?: CallOptions): Promise<models.SenderPool> {
    return this.client.get(at`~/sender-pools/${senderPoolSid}`, undefined, options);
  }

  /**
   * Rename a sender pool.
   *
   * Changes the name only; members are set and removed one by one.
   */
  update(senderPoolSid: models.SenderPoolSid, body: models.UpdateSenderPoolRequest, options?: CallOptions): Promise<models.SenderPool> {
    return this.client.keyed('PATCH', at`~/sender-pools/${senderPoolSid}`, body, options);
  }

  /**
   * Delete a sender pool.
   *
   * Messages that were already given a sender keep it.
   */
  delete(senderPoolSid: models.SenderPoolSid, options?: CallOptions): Promise<models.SenderPool> {
    return this.client.write('DELETE', at`~/sender-pools/${senderPoolSid}`, undefined, options);
  }

  /**
   * Add a sender to a pool, or change its share.
   *
   * `weight` is 1 and `priority` 0 unless given; what is left out of a later call stays as it was.
   */
  setMember(senderPoolSid: models.SenderPoolSid, senderSid: models.SenderSid, body: models.SetSenderPoolMemberRequest = {}, options?: CallOptions): Promise<models.SenderPool> {
    return this.client.keyed('PUT', at`~/sender-pools/${senderPoolSid}/members/${senderSid}`, body, options);
  }

  /**
   * Take a sender out of a pool.
   *
   * The contacts it spoke with are given another member when they are next written to.
   */
  removeMember(senderPoolSid: models.SenderPoolSid, senderSid: models.SenderSid, options?: CallOptions): Promise<models.SenderPool> {
    return this.client.write('DELETE', at`~/sender-pools/${senderPoolSid}/members/${senderSid}`, undefined, options);
  }
}

/** Phone numbers that messages leave from and arrive at. */
export class SendersApi extends Api {
  /**
   * List senders.
   *
   * The newest first. Filter by `status` or by the business messaging account they belong to.
   */
  list(query?: ListSendersQuery, options?: CallOptions): Pages<models.Sender, models.SenderList> {
    return this.client.list('~/senders', query, options);
  }

  /**
   * Connect another number in the sandbox.
   *
   * The sandbox makes up a number and connects it. `wabaSid` may be left out where one business account is
   * connected. Live numbers come with their business account, so a live key is answered
   * ONBOARDING_NOT_PERMITTED.
   */
  create(body: models.CreateSenderRequest, options?: CallOptions): Promise<models.Sender> {
    return this.client.keyed('POST', '~/senders', body, options);
  }

  /**
   * Get a sender.
   *
   * `ready` says whether a message can leave from it now; `status`, `quality` and `restrictions` say why not.
   * The values are those the provider last told.
   */
  get(senderSid: models.SenderSid, options?: CallOptions): Promise<models.Sender> {
    return this.client.get(at`~/senders/${senderSid}`, undefined, options);
  }

  /**
   * Read a sender again at the provider.
   *
   * Asks the provider at once instead of waiting for its next notice, stores what it says and answers with
   * it.
   */
  refresh(senderSid: models.SenderSid, options?: CallOptions): Promise<models.Sender> {
    return this.client.keyed('POST', at`~/senders/${senderSid}/refresh`, undefined, options);
  }

  /**
   * List what a sender was, newest first.
   *
   * Every change of status or quality with its reason and when it happened, by which an outage can be
   * explained afterwards.
   */
  listStatusHistory(senderSid: models.SenderSid, query?: ListSenderStatusHistoryQuery, options?: CallOptions): Pages<models.SenderStatusChange, models.SenderStatusChangeList> {
    return this.client.list(at`~/senders/${senderSid}/status-history`, query, options);
  }

  /**
   * Read a sender's business profile at the provider.
   *
   * Asks the provider at once: the profile is the card people see behind the number, and is not kept here.
   */
  getProfile(senderSid: models.SenderSid, options?: CallOptions): Promise<models.BusinessProfile> {
    return this.client.get(at`~/senders/${senderSid}/profile`, undefined, options);
  }

  /**
   * Write a sender's business profile at the provider.
   *
   * What is left out stays as it is. The answer is the whole profile as the provider has it.
   */
  updateProfile(senderSid: models.SenderSid, body: models.UpdateSenderProfileRequest = {}, options?: CallOptions): Promise<models.BusinessProfile> {
    return this.client.keyed('PUT', at`~/senders/${senderSid}/profile`, body, options);
  }
}

/** Passwords, sessions and signing in through identity providers, for the pages people use. */
export class SignInApi extends Api {
  /**
   * Accept an invitation.
   *
   * With the token from the mail. The person then signs in with the password chosen here.
   */
  acceptInvitation(body: models.AcceptInvitationRequest, options?: CallOptions): Promise<models.User> {
    return this.client.write('POST', '/v1/auth/invitations/accept', body, options);
  }

  /**
   * Change one's own name or language.
   *
   * Changes the signed-in person's display name or the language of mails to them. What is left out stays as
   * it is.
   */
  updateProfile(body: models.UpdateProfileRequest = {}, options?: CallOptions): Promise<models.User> {
    return this.client.write('PATCH', '/v1/auth/profile', body, options);
  }

  /**
   * Sign in with e-mail and password.
   *
   * Answers a session and sets its cookie, or, for a person with a second factor, `second_factor_required`
   * with a `signInToken` for the second step. Writes then carry the `csrfToken` in `X-CSRF-Token`. After 5
   * failures within 15 minutes a solved challenge from `GET /v1/auth/challenge` must come along as `captcha`.
   */
  withPassword(body: models.SignInRequest, options?: CallOptions): Promise<models.SignIn> {
    return this.client.write('POST', '/v1/auth/sign-in', body, options);
  }

  /**
   * Finish a sign-in with a second factor.
   *
   * The `signInToken` works once, for 10 minutes. 5 failures within 15 minutes lock the method.
   */
  withSecondFactor(body: models.SignInSecondFactorRequest, options?: CallOptions): Promise<models.SignIn> {
    return this.client.write('POST', '/v1/auth/sign-in/second-factor', body, options);
  }

  /**
   * Get a challenge to solve for a sign-in.
   *
   * A proof of work in the form of ALTCHA: solve it, and send `{challenge, solution}` as JSON in base64 in
   * `captcha`. It is valid for 10 minutes and works once.
   */
  getChallenge(options?: CallOptions): Promise<models.SignInChallenge> {
    return this.client.get('/v1/auth/challenge', undefined, options);
  }

  /**
   * Sign out of this browser.
   *
   * Ends the session that asks and, where this browser holds one of the other environment too, that one.
   * Their cookies are taken back and work nowhere any more. Sessions in other browsers go on.
   */
  signOut(options?: CallOptions): Promise<void> {
    return this.client.write('POST', '/v1/auth/sign-out', undefined, options);
  }

  /**
   * Get the session that asks, with its CSRF token.
   *
   * For pages that need to know who is signed in. Every write by the session's cookie repeats `csrfToken` in
   * the X-CSRF-Token header.
   */
  getSession(options?: CallOptions): Promise<models.OwnSession> {
    return this.client.get('/v1/auth/session', undefined, options);
  }

  /**
   * Open the other environment.
   *
   * Opens a session of the other environment beside the one that asks, with its own id, cookie and CSRF
   * token, ending when that one ends. What this browser had open there is replaced. For the environment of
   * the session itself, the session gets a new id, cookie and CSRF token, and the old ones end at once.
   */
  updateSession(body: models.UpdateSessionRequest, options?: CallOptions): Promise<models.OwnSession> {
    return this.client.write('PATCH', '/v1/auth/session', body, options);
  }

  /**
   * List one's own open sessions.
   *
   * Sessions of the person who asks, the newest first, each with its address and browser. `current` marks the
   * one that asks.
   */
  listOwnSessions(query?: ListOwnSessionsQuery, options?: CallOptions): Pages<models.Session, models.SessionList> {
    return this.client.list('/v1/auth/sessions', query, options);
  }

  /**
   * End one of one's own sessions.
   *
   * It ends at once, wherever it is open. Ending the session that asks signs out.
   */
  endOwnSession(sessionId: string, options?: CallOptions): Promise<void> {
    return this.client.remove(at`/v1/auth/sessions/${sessionId}`, options);
  }

  /**
   * Change one's password.
   *
   * Every other session ends; this one gets a new cookie and CSRF token.
   */
  changePassword(body: models.ChangePasswordRequest, options?: CallOptions): Promise<models.OwnSession> {
    return this.client.write('POST', '/v1/auth/password/change', body, options);
  }

  /**
   * Ask for a link to choose a new password.
   *
   * The answer is the same whether or not the address belongs to anyone.
   */
  recoverPassword(body: models.RecoverPasswordRequest, options?: CallOptions): Promise<models.PasswordRecovery> {
    return this.client.write('POST', '/v1/auth/password/forgot', body, options);
  }

  /**
   * Choose a new password with the link from the mail.
   *
   * Ends every session of the person. The token works once, for an hour.
   */
  resetPassword(body: models.ResetPasswordRequest, options?: CallOptions): Promise<models.PasswordReset> {
    return this.client.write('POST', '/v1/auth/password/reset', body, options);
  }

  /**
   * What a SAML provider has to know about this service.
   *
   * The provider is named by its id. It is served as soon as the provider is staged.
   */
  getSamlMetadata(providerKey: string, options?: CallOptions): Promise<Response> {
    return this.client.raw(at`/v1/auth/sso/${providerKey}/metadata`, undefined, options);
  }
}

/** Accounts below an account, each with resources of its own. */
export class SubaccountsApi extends Api {
  /**
   * Make an account below this one.
   *
   * It belongs to the same organization and has everything of its own: senders, contacts, keys, webhooks,
   * wallets. Its wallets and its sandbox are opened by a worker within moments. People whose role stands on
   * this account reach it; keys do not. It has the plan of this account, and both are counted together.
   */
  create(body: models.CreateSubaccountRequest, options?: CallOptions): Promise<models.Account> {
    return this.client.keyed('POST', '~/subaccounts', body, options);
  }

  /**
   * List the accounts below this one.
   *
   * The newest first.
   */
  list(query?: ListSubaccountsQuery, options?: CallOptions): Pages<models.Account, models.AccountList> {
    return this.client.list('~/subaccounts', query, options);
  }
}

/** Who must not be written to, why, and until when. */
export class SuppressionsApi extends Api {
  /**
   * List a contact's suppressions.
   *
   * The whole history, newest first; `active` tells which are in force.
   */
  listForContact(contactSid: models.ContactSid, query?: ListContactSuppressionsQuery, options?: CallOptions): Pages<models.Suppression, models.SuppressionList> {
    return this.client.list(at`~/contacts/${contactSid}/suppressions`, query, options);
  }

  /**
   * Suppress a contact.
   *
   * Repeating a suppression in force (same scope, sender and reason) answers with it; it may end later for
   * that, never sooner. Once it is answered, no message it forbids is handed over any more: hand-offs under
   * way are waited for, 2.5 seconds at most.
   */
  createForContact(contactSid: models.ContactSid, body: models.CreateContactSuppressionRequest, options?: CallOptions): Promise<models.Suppression> {
    return this.client.keyed('POST', at`~/contacts/${contactSid}/suppressions`, body, options);
  }

  /**
   * Lift a suppression.
   *
   * The record is kept. Lifting one that is not in force changes nothing.
   */
  deleteForContact(contactSid: models.ContactSid, suppressionSid: models.SuppressionSid, query?: DeleteContactSuppressionQuery, options?: CallOptions): Promise<models.Suppression> {
    return this.client.write('DELETE', at`~/contacts/${contactSid}/suppressions/${suppressionSid}`, undefined, options, query);
  }

  /**
   * List suppressions.
   *
   * Those in force, newest first; `active=false` gives the whole history with lifted and expired ones.
   */
  list(query?: ListSuppressionsQuery, options?: CallOptions): Pages<models.Suppression, models.SuppressionList> {
    return this.client.list('~/suppressions', query, options);
  }

  /**
   * Suppress a contact, or whoever owns an identifier.
   *
   * Exactly one of contactSid and identifier. A contact is created for an identifier nobody has seen. Once it
   * is answered, no message it forbids is handed over any more: hand-offs under way are waited for, 2.5
   * seconds at most.
   */
  create(body: models.CreateSuppressionRequest, options?: CallOptions): Promise<models.Suppression> {
    return this.client.keyed('POST', '~/suppressions', body, options);
  }

  /**
   * Lift suppressions.
   *
   * Names a contact, an identifier or a suppression; `scope` narrows. Answers with those it lifted. The
   * records are kept, and each emits suppression.removed once.
   */
  delete(body: models.DeleteSuppressionsRequest = {}, options?: CallOptions): Promise<models.SuppressionList> {
    return this.client.write('DELETE', '~/suppressions', body, options);
  }

  /**
   * Get a suppression.
   *
   * Also shows suppressions that were lifted or expired; `active` says whether it is in force now.
   */
  get(suppressionSid: models.SuppressionSid, options?: CallOptions): Promise<models.Suppression> {
    return this.client.get(at`~/suppressions/${suppressionSid}`, undefined, options);
  }
}

/** Messages the provider reviews before they may begin a conversation. */
export class TemplatesApi extends Api {
  /**
   * List templates.
   *
   * The newest first, with the status the provider last told. Filter by name and language to find the one a
   * message would use.
   */
  list(query?: ListTemplatesQuery, options?: CallOptions): Pages<models.Template, models.TemplateList> {
    return this.client.list('~/templates', query, options);
  }

  /**
   * Create a template and submit it for review.
   *
   * Answers at once with status DRAFT. The provider is told by a job: the template then is PENDING until it
   * is reviewed. Each variable needs an example. `wabaSid` may be left out where one business account is
   * connected.
   */
  create(body: models.CreateTemplateRequest, options?: CallOptions): Promise<models.Template> {
    return this.client.keyed('POST', '~/templates', body, options);
  }

  /**
   * Read the templates of a business account at the provider.
   *
   * Starts an operation that reads every template of the business account and stores what changed, including
   * templates made elsewhere. `wabaSid` may be left out where one business account is connected.
   */
  sync(body: models.SyncTemplatesRequest = {}, options?: CallOptions): Promise<models.Operation> {
    return this.client.keyed('POST', '~/templates/sync', body, options);
  }

  /**
   * Get a template.
   *
   * Only an APPROVED template can be sent. `rejectedReason` says why the provider refused it, `pendingChange`
   * and `failure` what it has not been told or did not take.
   */
  get(templateSid: models.TemplateSid, options?: CallOptions): Promise<models.Template> {
    return this.client.get(at`~/templates/${templateSid}`, undefined, options);
  }

  /**
   * Edit a template and submit it again.
   *
   * What is left out stays as it is. What was approved stays in use until the provider has taken the edit;
   * then the template is reviewed again.
   */
  update(templateSid: models.TemplateSid, body: models.UpdateTemplateRequest = {}, options?: CallOptions): Promise<models.Template> {
    return this.client.keyed('PATCH', at`~/templates/${templateSid}`, body, options);
  }

  /**
   * Delete a template.
   *
   * It can no longer be sent. Its name cannot be used again for 30 days.
   */
  delete(templateSid: models.TemplateSid, options?: CallOptions): Promise<models.Template> {
    return this.client.write('DELETE', at`~/templates/${templateSid}`, undefined, options);
  }

  /**
   * List what a template was, newest first.
   *
   * Every change of status or category with the provider's reason, and when it happened.
   */
  listStatusHistory(templateSid: models.TemplateSid, query?: ListTemplateStatusHistoryQuery, options?: CallOptions): Pages<models.TemplateStatusChange, models.TemplateStatusChangeList> {
    return this.client.list(at`~/templates/${templateSid}/status-history`, query, options);
  }
}

/** The people of the organization: inviting, deactivating, reactivating. */
export class UsersApi extends Api {
  /**
   * List the users of the organization.
   *
   * Everybody who was invited to the organization or came through an identity provider, the newest first.
   * Filter by `status` to see only those invited, active or deactivated.
   */
  list(query?: ListUsersQuery, options?: CallOptions): Pages<models.User, models.UserList> {
    return this.client.list('~/users', query, options);
  }

  /**
   * Invite a person by e-mail.
   *
   * They choose a password with the link in the mail, which works once, for 7 days. An invitation grants
   * nothing: bind roles to the user, before or after they join.
   */
  invite(body: models.InviteUserRequest, options?: CallOptions): Promise<models.User> {
    return this.client.keyed('POST', '~/users', body, options);
  }

  /**
   * Get a user.
   *
   * Shows the person and, while it waits to be accepted, the invitation.
   */
  get(userSid: models.UserSid, options?: CallOptions): Promise<models.User> {
    return this.client.get(at`~/users/${userSid}`, undefined, options);
  }

  /**
   * Send the invitation again.
   *
   * With a new link; the old one ends. Once a minute at most.
   */
  resendInvitation(userSid: models.UserSid, options?: CallOptions): Promise<models.User> {
    return this.client.keyed('POST', at`~/users/${userSid}/invitation`, undefined, options);
  }

  /**
   * Withdraw an invitation.
   *
   * The link ends, and the user who never joined is removed with the roles prepared for them.
   */
  withdrawInvitation(userSid: models.UserSid, options?: CallOptions): Promise<void> {
    return this.client.remove(at`~/users/${userSid}/invitation`, options);
  }

  /**
   * Deactivate a user.
   *
   * Ends their sessions and revokes their role bindings at once. An owner can be deactivated only by an
   * owner, and the last owner not at all.
   */
  deactivate(userSid: models.UserSid, body: models.DeactivateUserRequest, options?: CallOptions): Promise<models.User> {
    return this.client.keyed('POST', at`~/users/${userSid}/deactivate`, body, options);
  }

  /**
   * Let a deactivated user sign in again.
   *
   * Their former roles do not come back.
   */
  reactivate(userSid: models.UserSid, options?: CallOptions): Promise<models.User> {
    return this.client.keyed('POST', at`~/users/${userSid}/reactivate`, undefined, options);
  }
}

/** Endpoints that are told of events, and what became of each delivery. */
export class WebhooksApi extends Api {
  /**
   * List webhook endpoints.
   *
   * The newest first, with status and failures. Secrets and the values of headers are never shown.
   */
  list(query?: ListWebhooksQuery, options?: CallOptions): Pages<models.WebhookEndpoint, models.WebhookEndpointList> {
    return this.client.list('~/webhooks', query, options);
  }

  /**
   * Add a webhook endpoint.
   *
   * The URL must be public HTTPS. The signing secret is shown this once. Nothing is sent before the endpoint
   * is verified. `eventFilters` are exact names, `prefix.*` or `*`; an empty list receives everything; one
   * that matches no type known today is accepted and answered with a warning. Always needs a step-up token of
   * a signed-in person (WEBHOOK_ENDPOINT_CREATE), which an API key may present.
   */
  create(body: models.CreateWebhookRequest, options?: CallOptions): Promise<models.WebhookEndpointWithSecret> {
    return this.client.keyed('POST', '~/webhooks', body, options);
  }

  /**
   * Get a webhook endpoint.
   *
   * Shows the status, which events it hears of, and since when deliveries fail. The secret and the values of
   * headers are never shown.
   */
  get(endpointSid: models.WebhookEndpointSid, options?: CallOptions): Promise<models.WebhookEndpoint> {
    return this.client.get(at`~/webhooks/${endpointSid}`, undefined, options);
  }

  /**
   * Change a webhook endpoint.
   *
   * What is left out stays as it was. A new URL must be verified before anything is sent to it; what happens
   * until then waits. A signed-in person needs a step-up token (WEBHOOK_URL_CHANGE) to change the URL; an API
   * key does not.
   */
  update(endpointSid: models.WebhookEndpointSid, body: models.UpdateWebhookRequest = {}, options?: CallOptions): Promise<models.WebhookEndpoint> {
    return this.client.keyed('PATCH', at`~/webhooks/${endpointSid}`, body, options);
  }

  /**
   * Disable a webhook endpoint for good.
   *
   * Its log stays. What still waited for it ends as failed.
   */
  delete(endpointSid: models.WebhookEndpointSid, options?: CallOptions): Promise<void> {
    return this.client.remove(at`~/webhooks/${endpointSid}`, options);
  }

  /**
   * Set the headers of your own that every request to an endpoint carries.
   *
   * In the place of all there were; an empty list removes them. At most 20, of 8 KiB in all. Values are
   * sealed and never shown again: answers have `********` in their place. Refused are headers of the
   * connection, of proxies (`Forwarded`, `X-Forwarded-*`, `Via`, `Proxy-*`) and those we set (`X-Service-*`,
   * `Content-Type`, `User-Agent`). They go when the endpoint moves to another host. A signed-in person needs
   * a step-up token (WEBHOOK_URL_CHANGE); an API key does not.
   */
  setHeaders(endpointSid: models.WebhookEndpointSid, body: models.SetWebhookHeadersRequest, options?: CallOptions): Promise<models.WebhookEndpoint> {
    return this.client.keyed('PUT', at`~/webhooks/${endpointSid}/headers`, body, options);
  }

  /**
   * Pause deliveries.
   *
   * Events that happen during a pause are kept and flow on resume.
   */
  pause(endpointSid: models.WebhookEndpointSid, options?: CallOptions): Promise<models.WebhookEndpoint> {
    return this.client.keyed('POST', at`~/webhooks/${endpointSid}/pause`, undefined, options);
  }

  /**
   * Resume deliveries after a pause or a suspension.
   *
   * What waited flows. Events that happened while the endpoint was suspended stand in its log as failed; ask
   * for them with `POST …/deliveries/retry` and `{"state":"failed"}`. A signed-in person needs a step-up
   * token (WEBHOOK_ENDPOINT_REENABLE, in the header X-Step-Up-Token) to resume a suspended endpoint, not a
   * paused one; an API key does not.
   */
  resume(endpointSid: models.WebhookEndpointSid, options?: CallOptions): Promise<models.WebhookEndpoint> {
    return this.client.keyed('POST', at`~/webhooks/${endpointSid}/resume`, undefined, options);
  }

  /**
   * Make a new signing secret.
   *
   * Shown this once. Until `expiresAt` (24 hours from now, unless given; at most 30 days) both secrets sign:
   * each delivery carries two `v1=` values. A signed-in person needs a step-up token (WEBHOOK_SECRET_ROTATE).
   */
  rotateSecret(endpointSid: models.WebhookEndpointSid, body: models.RotateWebhookSecretRequest = {}, options?: CallOptions): Promise<models.WebhookEndpointWithSecret> {
    return this.client.keyed('POST', at`~/webhooks/${endpointSid}/secret/rotate`, body, options);
  }

  /**
   * Let the old signing secret expire now.
   *
   * Deliveries carry only the signature of the new secret from now on. Without an overlap nothing changes.
   */
  endSecretOverlap(endpointSid: models.WebhookEndpointSid, options?: CallOptions): Promise<models.WebhookEndpoint> {
    return this.client.keyed('POST', at`~/webhooks/${endpointSid}/secret/end-overlap`, undefined, options);
  }

  /**
   * Verify an endpoint by a challenge.
   *
   * Sends a signed test.ping whose `data.challenge` is a random string. The endpoint must answer 200 with
   * that string as the whole body, or as member `challenge` of a JSON object. Otherwise the answer is
   * WEBHOOK_DELIVERY_ERROR, which says what was wrong.
   */
  verifyEndpoint(endpointSid: models.WebhookEndpointSid, options?: CallOptions): Promise<models.WebhookEndpoint> {
    return this.client.keyed('POST', at`~/webhooks/${endpointSid}/verify`, undefined, options);
  }

  /**
   * Send a signed test.ping and tell how the endpoint answered.
   *
   * The request is made at once and the answer tells how it went: status, duration, TLS and what was wrong.
   * The endpoint's status and statistics do not change.
   */
  test(endpointSid: models.WebhookEndpointSid, options?: CallOptions): Promise<models.WebhookTestReport> {
    return this.client.keyed('POST', at`~/webhooks/${endpointSid}/test`, undefined, options);
  }

  /**
   * Send an example of an event type and tell how the endpoint answered.
   *
   * To this endpoint alone, which must be verified, whatever it subscribes to. The body is signed, has the
   * type and data of `GET …/webhook-event-types` and `"sample": true` beside them. Nothing happened: the log
   * of events has a test.ping that carries the example.
   */
  sendSample(endpointSid: models.WebhookEndpointSid, body: models.SendWebhookSampleRequest, options?: CallOptions): Promise<models.WebhookTestReport> {
    return this.client.keyed('POST', at`~/webhooks/${endpointSid}/samples`, body, options);
  }

  /**
   * List the deliveries about one resource, such as a message.
   *
   * To all endpoints, the newest first: the answer to whether and when somebody was told of a resource.
   */
  listResourceDeliveries(query: ListResourceDeliveriesQuery, options?: CallOptions): Pages<models.WebhookDelivery, models.WebhookDeliveryList> {
    return this.client.list('~/webhook-deliveries', query, options);
  }

  /**
   * List the deliveries to an endpoint.
   *
   * The newest first unless `sort` says otherwise. Filter by event or by the resource the event is about.
   */
  listDeliveries(endpointSid: models.WebhookEndpointSid, query?: ListWebhookDeliveriesQuery, options?: CallOptions): Pages<models.WebhookDelivery, models.WebhookDeliveryList> {
    return this.client.list(at`~/webhooks/${endpointSid}/deliveries`, query, options);
  }

  /**
   * Get a delivery: what is sent, and every attempt with its answer.
   *
   * The attempts come newest first, at most 100. Signatures are shown per attempt, because each is made anew.
   */
  getDelivery(endpointSid: models.WebhookEndpointSid, deliverySid: models.WebhookDeliverySid, options?: CallOptions): Promise<models.WebhookDeliveryWithHistory> {
    return this.client.get(at`~/webhooks/${endpointSid}/deliveries/${deliverySid}`, undefined, options);
  }

  /**
   * Try deliveries again, the oldest first.
   *
   * Names deliveries (at most 1,000), or a state, or both. At most 10,000 are taken up at once: `hasMore`
   * says whether to ask again. Their schedule starts anew.
   */
  retryDeliveries(endpointSid: models.WebhookEndpointSid, body: models.RetryWebhookDeliveriesRequest = {}, options?: CallOptions): Promise<models.WebhookRedelivery> {
    return this.client.keyed('POST', at`~/webhooks/${endpointSid}/deliveries/retry`, body, options);
  }

  /**
   * Try a delivery again now.
   *
   * The delivery becomes due now, with the body it had. Its further attempts follow the usual schedule.
   */
  retryDelivery(endpointSid: models.WebhookEndpointSid, deliverySid: models.WebhookDeliverySid, options?: CallOptions): Promise<models.WebhookRedelivery> {
    return this.client.keyed('POST', at`~/webhooks/${endpointSid}/deliveries/${deliverySid}/retry`, undefined, options);
  }

  /**
   * Send events again.
   *
   * To the endpoint named, whatever it subscribes to, or else to every endpoint they are for: by what it
   * subscribes to, or as the status callback of a message. A test.ping goes to no endpoint but its own. At
   * most 1,000 events.
   */
  redeliverEvents(body: models.RedeliverEventsRequest, options?: CallOptions): Promise<models.WebhookRedelivery> {
    return this.client.keyed('POST', '~/events/redeliver', body, options);
  }

  /**
   * Send an endpoint the events of a range of sequence numbers.
   *
   * Those it subscribes to and the statuses of messages that name it, also from before it was verified; with
   * `unacknowledgedOnly` its gaps, which are those it never acknowledged. At most 10,000 at once: `hasMore`
   * says whether to ask again.
   */
  replayEvents(body: models.ReplayEventsRequest, options?: CallOptions): Promise<models.WebhookRedelivery> {
    return this.client.keyed('POST', '~/events/replay', body, options);
  }

  /**
   * Send an event again.
   *
   * To the endpoint named, or to every endpoint it is for. A test.ping goes to no endpoint but its own.
   */
  redeliverEvent(eventSid: models.EventSid, body: models.RedeliverEventRequest = {}, options?: CallOptions): Promise<models.WebhookRedelivery> {
    return this.client.keyed('POST', at`~/events/${eventSid}/redeliver`, body, options);
  }

  /**
   * Tell how the attempts at an endpoint went, day by day.
   *
   * From `from` to `to`, days in UTC that both count; without them the last 7 days, at most 90. Pings and
   * samples count too. p50 and p95 are of all attempts, and right to a third.
   */
  getStatistics(endpointSid: models.WebhookEndpointSid, query?: GetWebhookStatisticsQuery, options?: CallOptions): Promise<models.WebhookStatistics> {
    return this.client.get(at`~/webhooks/${endpointSid}/statistics`, query, options);
  }

  /**
   * List the events of a range that an endpoint never acknowledged, oldest first.
   *
   * Without a range: of the last 100,000 events. Ask for them with `POST …/events/replay`.
   */
  listGaps(endpointSid: models.WebhookEndpointSid, query?: ListWebhookGapsQuery, options?: CallOptions): Pages<models.WebhookGap, models.WebhookGapList> {
    return this.client.list(at`~/webhooks/${endpointSid}/gaps`, query, options);
  }
}

/** What happens by itself when something happens: messages, waits, decisions. */
export class WorkflowsApi extends Api {
  /**
   * List workflows.
   *
   * The newest first, without their definitions.
   */
  list(query?: ListWorkflowsQuery, options?: CallOptions): Pages<models.Workflow, models.WorkflowList> {
    return this.client.list('~/workflows', query, options);
  }

  /**
   * Write a workflow.
   *
   * A draft: nothing of it runs before it is published. Everything that is wrong with the definition is told
   * at once, each at its path below `definition`. What it names (templates, SIDs) is looked up when it is
   * published. `issues` tell of messages that can only, or may, be reached more than 24 hours after the
   * contact wrote.
   */
  create(body: models.CreateWorkflowRequest, options?: CallOptions): Promise<models.DefinedWorkflow> {
    return this.client.keyed('POST', '~/workflows', body, options);
  }

  /**
   * Get a workflow.
   *
   * With the definition of its latest version and what is questionable in it.
   */
  get(workflowSid: models.WorkflowSid, options?: CallOptions): Promise<models.DefinedWorkflow> {
    return this.client.get(at`~/workflows/${workflowSid}`, undefined, options);
  }

  /**
   * Delete a workflow.
   *
   * With its versions and finished runs. A published workflow must be stopped first, and runs that are under
   * way must be stopped too: CONFLICT tells how many there are.
   */
  delete(workflowSid: models.WorkflowSid, options?: CallOptions): Promise<void> {
    return this.client.remove(at`~/workflows/${workflowSid}`, options);
  }

  /**
   * Write a new version of a workflow.
   *
   * A version never changes. It is in force once it is published; runs keep the version they began with.
   * Everything that is wrong with it is told at once, each at its path.
   */
  createVersion(workflowSid: models.WorkflowSid, body: models.WorkflowDefinition, options?: CallOptions): Promise<models.WorkflowVersion> {
    return this.client.keyed('POST', at`~/workflows/${workflowSid}/versions`, body, options);
  }

  /**
   * Publish the latest version of a workflow.
   *
   * Events from now on start runs of it. Everything it names must be there and usable: templates approved,
   * endpoints verified, SIDs of this account; what is not is told at once, each at its path. Whoever
   * publishes must hold every scope its actions need: runs act with exactly those. A stopped workflow goes
   * on, except runs whose moment passed more than 24 hours ago, which end as `stale`. Published already in
   * its latest version, it stays as it is.
   */
  publish(workflowSid: models.WorkflowSid, options?: CallOptions): Promise<models.Workflow> {
    return this.client.keyed('POST', at`~/workflows/${workflowSid}/publish`, undefined, options);
  }

  /**
   * Stop a workflow.
   *
   * Once this is answered nothing of it happens any more: no run begins and none goes on. Runs that are under
   * way are held where they stand until it is published again; `POST …/runs/stop` ends them. A draft cannot
   * be stopped.
   */
  stop(workflowSid: models.WorkflowSid, options?: CallOptions): Promise<models.Workflow> {
    return this.client.keyed('POST', at`~/workflows/${workflowSid}/stop`, undefined, options);
  }

  /**
   * Stop all runs of a workflow that are under way.
   *
   * They end as STOPPED; the workflow itself stays as it is. Beyond 1,000 the rest is stopped one after the
   * other: `remaining` tells how many those are.
   */
  stopRuns(workflowSid: models.WorkflowSid, options?: CallOptions): Promise<models.StoppedWorkflowRuns> {
    return this.client.keyed('POST', at`~/workflows/${workflowSid}/runs/stop`, undefined, options);
  }

  /**
   * Stop a workflow for one contact.
   *
   * Ends the run it has for the contact, and lets none begin until it is resumed. For everybody else it goes
   * on. Stopped already, it stays so as it was.
   */
  stopContact(workflowSid: models.WorkflowSid, contactSid: models.ContactSid, body: models.StopWorkflowContactRequest = {}, options?: CallOptions): Promise<models.WorkflowContactStop> {
    return this.client.keyed('POST', at`~/workflows/${workflowSid}/contacts/${contactSid}/stop`, body, options);
  }

  /**
   * Let a workflow begin again for a contact.
   *
   * A run that was ended does not come back. Where nothing was stopped, nothing changes.
   */
  resumeContact(workflowSid: models.WorkflowSid, contactSid: models.ContactSid, options?: CallOptions): Promise<void> {
    return this.client.remove(at`~/workflows/${workflowSid}/contacts/${contactSid}/stop`, options);
  }

  /**
   * Tell of something that happened to a contact.
   *
   * A `custom.event`, which workflows hear under its `eventType` and webhook endpoints under its own name.
   * `payload` takes 16 KiB.
   */
  createEvent(body: models.CreateWorkflowEventRequest, options?: CallOptions): Promise<models.CustomEvent> {
    return this.client.keyed('POST', '~/workflow-events', body, options);
  }

  /**
   * List the runs of a workflow, newest first.
   *
   * Those of all versions: under way, and for 90 days after their end.
   */
  listRuns(workflowSid: models.WorkflowSid, query?: ListWorkflowRunsQuery, options?: CallOptions): Pages<models.WorkflowRun, models.WorkflowRunList> {
    return this.client.list(at`~/workflows/${workflowSid}/runs`, query, options);
  }

  /**
   * Get a run of a workflow.
   *
   * Shows what it waits for and until when, or how it ended and why.
   */
  getRun(workflowSid: models.WorkflowSid, runSid: models.WorkflowRunSid, options?: CallOptions): Promise<models.WorkflowRun> {
    return this.client.get(at`~/workflows/${workflowSid}/runs/${runSid}`, undefined, options);
  }

  /**
   * See what a run did, step by step.
   *
   * Each step with its instant, what became of it, what it made, and what its conditions looked at; the
   * values they saw for whoever holds contacts:read.
   */
  getRunTimeline(workflowSid: models.WorkflowSid, runSid: models.WorkflowRunSid, query?: GetWorkflowRunTimelineQuery, options?: CallOptions): Pages<models.WorkflowRunStep, models.WorkflowRunStepList> {
    return this.client.list(at`~/workflows/${workflowSid}/runs/${runSid}/timeline`, query, options);
  }

  /**
   * Stop a run.
   *
   * Once answered, nothing of it happens any more; the workflow goes on. Refused with CONFLICT when the run
   * has ended.
   */
  stopRun(workflowSid: models.WorkflowSid, runSid: models.WorkflowRunSid, options?: CallOptions): Promise<models.WorkflowRun> {
    return this.client.keyed('POST', at`~/workflows/${workflowSid}/runs/${runSid}/stop`, undefined, options);
  }

  /**
   * See why events started a workflow, or did not.
   *
   * The last 1,000 events of a type that starts it, newest first: `started` with its run, or `condition`,
   * `reentry`, `stopped_contact`, `restricted_contact`, `caused_by_self`, `limit`, `no_subject`. The values
   * conditions saw are for whoever holds contacts:read.
   */
  listDecisions(workflowSid: models.WorkflowSid, query?: ListWorkflowDecisionsQuery, options?: CallOptions): Pages<models.WorkflowDecision, models.WorkflowDecisionList> {
    return this.client.list(at`~/workflows/${workflowSid}/decisions`, query, options);
  }

  /**
   * Ask why an event starts a workflow, or does not.
   *
   * Judges an event that is still kept again, by what holds now: `reentry` is the answer for a contact who
   * has been in the workflow meanwhile. Nothing is started. The values conditions saw are for whoever holds
   * contacts:read.
   */
  explain(workflowSid: models.WorkflowSid, body: models.ExplainWorkflowRequest, options?: CallOptions): Promise<models.WorkflowDecision> {
    return this.client.keyed('POST', at`~/workflows/${workflowSid}/explain`, body, options);
  }

  /**
   * See what a workflow would do.
   *
   * Plays the latest version, published or not, from an event that did not happen: nothing is sent, changed,
   * counted or told. Messages are judged as a preflight does, waits end at once by a clock of their own, and
   * the answer tells every step. `payload` stands in the place of what the sample of the event says;
   * `payload.simulate` has `startAt`, `replies` `[{text, afterSeconds}]`, `events` `[{eventType, data,
   * afterSeconds}]` and `answers`: facts by name (`window`, `suppressed`, `consent:MARKETING`, `segment:SG…`)
   * and what endpoints answer by the id or path of the step (`{status, body}` or `{failure}`). Whoever names
   * a contact, a conversation or a message must be allowed to read them. Kept for 7 days.
   */
  test(workflowSid: models.WorkflowSid, body: models.TestWorkflowRequest, options?: CallOptions): Promise<models.WorkflowTest> {
    return this.client.keyed('POST', at`~/workflows/${workflowSid}/test`, body, options);
  }

  /**
   * Get a test run of a workflow.
   *
   * What it answered, for 7 days. What it saw of a contact is shown to whoever holds contacts:read.
   */
  getTest(workflowSid: models.WorkflowSid, testSid: models.WorkflowRunSid, options?: CallOptions): Promise<models.WorkflowTest> {
    return this.client.get(at`~/workflows/${workflowSid}/tests/${testSid}`, undefined, options);
  }
}

/** Every operation of the API, by heading. */
export class Apis {
  /** The account itself, and whether it may act. */
  readonly accounts: AccountsApi;
  /** How many messages there were, what became of them and what they cost. */
  readonly analytics: AnalyticsApi;
  /** Credentials for programs, each with its scopes and limits. */
  readonly apiKeys: ApiKeysApi;
  /** Actions that wait until a second person agrees. */
  readonly approvals: ApprovalsApi;
  /** Who did what and when, in a chain of hashes that shows any change. */
  readonly audit: AuditApi;
  /** Instructions by which a customer lets the platform act in their name at the provider. */
  readonly authorizations: AuthorizationsApi;
  /** Prices, quotes, wallets and charges. */
  readonly billing: BillingApi;
  /** Who pays the provider for the messages of a business account. */
  readonly billingMode: BillingModeApi;
  /** The same message to many: drafted, launched, paced, paused, and what became of each recipient. */
  readonly campaigns: CampaignsApi;
  /** What people agreed to, recorded in a chain and never changed. */
  readonly consent: ConsentApi;
  /** Contacts imported from files and exported to them. */
  readonly contactFiles: ContactFilesApi;
  /** People and their identifiers, merged where two turn out to be one. */
  readonly contacts: ContactsApi;
  /** What is said between a sender and a contact, assigned to people and inboxes. */
  readonly conversations: ConversationsApi;
  /** The errors this API can answer with. */
  readonly errors: ErrorsApi;
  /** Everything that happened, in order, for as long as history is kept. */
  readonly events: EventsApi;
  /** Forms made at the provider and sent in messages. */
  readonly flows: FlowsApi;
  /** Second factors, step-up tokens, the authentication policy and who is asking. */
  readonly identity: IdentityApi;
  /** Sign-in by OpenID Connect or SAML, directories by SCIM, and the second factors that are allowed. */
  readonly identityProviders: IdentityProvidersApi;
  /** Where teams find the conversations they answer. */
  readonly inboxes: InboxesApi;
  /**
   * Billing periods and what comes of them: statements, invoices, credit notes, and how invoices are
   * collected.
   */
  readonly invoices: InvoicesApi;
  /** What is under a legal hold is removed by nobody until it is released. */
  readonly legalHolds: LegalHoldsApi;
  /** What happens in an account, told the moment it happens. */
  readonly live: LiveApi;
  /** Being set up by the operator: an application, its quote, and what becomes of it. */
  readonly managedOnboarding: ManagedOnboardingApi;
  /** Files to send and files received: checked, kept for a while, and served again. */
  readonly media: MediaApi;
  /** Sending, checking and following messages. */
  readonly messages: MessagesApi;
  /** What people should know of, and how each of them wants to be told. */
  readonly notifications: NotificationsApi;
  /** Moving a number to another business account, with its sender and all that belongs to it. */
  readonly numberMigrations: NumberMigrationsApi;
  /** Work that takes longer than a request: its progress, its results and its retries. */
  readonly operations: OperationsApi;
  /** Hosted forms on which people agree to be written to, and receipts for it. */
  readonly optInLinks: OptInLinksApi;
  /** Money that is paid in: top-ups, payments of invoices and their receipts. */
  readonly payments: PaymentsApi;
  /** What the operator lets an account use, and what it has used of it. */
  readonly plans: PlansApi;
  /** What people ask for about their data: to know, take along, correct, restrict or end it. */
  readonly privacyRequests: PrivacyRequestsApi;
  /** Business messaging accounts and portfolios at the provider, with their limits. */
  readonly providerAccounts: ProviderAccountsApi;
  /** What the provider's API offers here, which version of it is spoken, and what is going to change. */
  readonly providerVersions: ProviderVersionsApi;
  /** Where our records and those of the provider differ about messages and their prices. */
  readonly reconciliation: ReconciliationApi;
  /** Money that goes back to whoever paid it. */
  readonly refunds: RefundsApi;
  /** How long messages and analytics are kept, and what goes when. */
  readonly retention: RetentionApi;
  /** Stored contents with variables, sent by name instead of written out. */
  readonly reusableContents: ReusableContentsApi;
  /** What people and keys may do, and where. */
  readonly roles: RolesApi;
  /** The phones of simulated customers: what they show, and what is done on them. */
  readonly sandboxPhones: SandboxPhonesApi;
  /** Audiences cut from the contacts by filters. */
  readonly segments: SegmentsApi;
  /** Several senders that share the contacts of one audience. */
  readonly senderPools: SenderPoolsApi;
  /** Phone numbers that messages leave from and arrive at. */
  readonly senders: SendersApi;
  /** Passwords, sessions and signing in through identity providers, for the pages people use. */
  readonly signIn: SignInApi;
  /** Accounts below an account, each with resources of its own. */
  readonly subaccounts: SubaccountsApi;
  /** Who must not be written to, why, and until when. */
  readonly suppressions: SuppressionsApi;
  /** Messages the provider reviews before they may begin a conversation. */
  readonly templates: TemplatesApi;
  /** The people of the organization: inviting, deactivating, reactivating. */
  readonly users: UsersApi;
  /** Endpoints that are told of events, and what became of each delivery. */
  readonly webhooks: WebhooksApi;
  /** What happens by itself when something happens: messages, waits, decisions. */
  readonly workflows: WorkflowsApi;

  constructor(client: Client) {
    this.accounts = new AccountsApi(client);
    this.analytics = new AnalyticsApi(client);
    this.apiKeys = new ApiKeysApi(client);
    this.approvals = new ApprovalsApi(client);
    this.audit = new AuditApi(client);
    this.authorizations = new AuthorizationsApi(client);
    this.billing = new BillingApi(client);
    this.billingMode = new BillingModeApi(client);
    this.campaigns = new CampaignsApi(client);
    this.consent = new ConsentApi(client);
    this.contactFiles = new ContactFilesApi(client);
    this.contacts = new ContactsApi(client);
    this.conversations = new ConversationsApi(client);
    this.errors = new ErrorsApi(client);
    this.events = new EventsApi(client);
    this.flows = new FlowsApi(client);
    this.identity = new IdentityApi(client);
    this.identityProviders = new IdentityProvidersApi(client);
    this.inboxes = new InboxesApi(client);
    this.invoices = new InvoicesApi(client);
    this.legalHolds = new LegalHoldsApi(client);
    this.live = new LiveApi(client);
    this.managedOnboarding = new ManagedOnboardingApi(client);
    this.media = new MediaApi(client);
    this.messages = new MessagesApi(client);
    this.notifications = new NotificationsApi(client);
    this.numberMigrations = new NumberMigrationsApi(client);
    this.operations = new OperationsApi(client);
    this.optInLinks = new OptInLinksApi(client);
    this.payments = new PaymentsApi(client);
    this.plans = new PlansApi(client);
    this.privacyRequests = new PrivacyRequestsApi(client);
    this.providerAccounts = new ProviderAccountsApi(client);
    this.providerVersions = new ProviderVersionsApi(client);
    this.reconciliation = new ReconciliationApi(client);
    this.refunds = new RefundsApi(client);
    this.retention = new RetentionApi(client);
    this.reusableContents = new ReusableContentsApi(client);
    this.roles = new RolesApi(client);
    this.sandboxPhones = new SandboxPhonesApi(client);
    this.segments = new SegmentsApi(client);
    this.senderPools = new SenderPoolsApi(client);
    this.senders = new SendersApi(client);
    this.signIn = new SignInApi(client);
    this.subaccounts = new SubaccountsApi(client);
    this.suppressions = new SuppressionsApi(client);
    this.templates = new TemplatesApi(client);
    this.users = new UsersApi(client);
    this.webhooks = new WebhooksApi(client);
    this.workflows = new WorkflowsApi(client);
  }
}
