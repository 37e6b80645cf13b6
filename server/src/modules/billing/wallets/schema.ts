import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  ListOf,
  Money,
  NamedObject,
  Nullable,
  named,
  pageQuery,
  Sid,
  sample,
  Text,
  Uuid,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleTimes, sampleUuid } from '../../../platform/samples.ts';

const { currency } = Money.properties;

export const commercialModes = ['prepaid', 'postpaid', 'credit_line', 'invoice', 'hybrid'] as const;
const commercialMode = named('WalletCommercialMode', Word(...commercialModes));
export type CommercialMode = Static<typeof commercialMode>;

/** Suspended: nothing is sent on credit. */
export const billingStatuses = ['active', 'suspended'] as const;
export type BillingStatus = (typeof billingStatuses)[number];

/** How far collecting an unpaid invoice has come. */
export const dunningStates = ['none', 'retrying', 'action_required', 'exhausted', 'written_off'] as const;
export type DunningState = (typeof dunningStates)[number];

export const WalletQuery = Closed({
  currency: Type.Optional(currency),
  commercialMode: Type.Optional(commercialMode),
  billingStatus: Type.Optional(Text(64)),
  dunningState: Type.Optional(Text(64)),
  ...pageQuery,
});
export type WalletQuery = Static<typeof WalletQuery>;

export const WalletResource = NamedObject('Wallet', {
  object: Word('wallet'),
  id: Uuid,
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  currency,
  commercialMode,
  billingStatus: Type.String(),
  dunningState: Type.String(),
  available: Money,
  held: Money,
  creditLimit: Money,
  spendable: Money,
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type WalletResource = Static<typeof WalletResource>;
export const WalletList = ListOf(WalletResource);

// As people write amounts: commas, where there are any, group thousands.
const writtenAmount = Type.String({ pattern: '^[0-9][0-9,]*(\\.[0-9]+)?$', maxLength: 24 });

export const SetLowBalanceAlert = NamedObject('SetLowBalanceAlertRequest', {
  threshold: Nullable(writtenAmount),
});

export const LowBalanceAlert = NamedObject('LowBalanceAlert', {
  object: Word('low_balance_alert'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  currency,
  threshold: Nullable(Money),
  armed: Type.Boolean(),
  lastFiredAt: Nullable(DateTime),
});
export type LowBalanceAlert = Static<typeof LowBalanceAlert>;
export const LowBalanceAlertList = ListOf(LowBalanceAlert);

export const SetBudget = NamedObject('SetBudgetRequest', { monthly: Nullable(writtenAmount) });

export const BudgetResource = NamedObject('Budget', {
  object: Word('budget'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  currency,
  monthly: Nullable(Money),
  spent: Nullable(Money),
  left: Nullable(Money),
});
export type BudgetResource = Static<typeof BudgetResource>;
export const BudgetList = ListOf(BudgetResource);

const dollars = (amountMinor: string) => ({ amountMinor, currency: 'USD', scale: 6 });
sample(LowBalanceAlert, {
  object: 'low_balance_alert',
  ...sampleOwner,
  currency: 'USD',
  threshold: dollars('50000000'),
  armed: true,
  lastFiredAt: null,
});
sample(BudgetResource, {
  object: 'budget',
  ...sampleOwner,
  currency: 'USD',
  monthly: dollars('1000000000'),
  spent: dollars('250000000'),
  left: dollars('750000000'),
});

const euros = (amountMinor: string) => ({ amountMinor, currency: 'EUR', scale: 4 });

export const walletSample: WalletResource = {
  object: 'wallet',
  id: sampleUuid,
  ...sampleOwner,
  currency: 'EUR',
  commercialMode: 'prepaid',
  billingStatus: 'active',
  dunningState: 'none',
  available: euros('999700'),
  held: euros('300'),
  creditLimit: euros('0'),
  spendable: euros('999700'),
  ...sampleTimes,
};
sample(WalletResource, walletSample);
