import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  ListOf,
  Money,
  NamedObject,
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
