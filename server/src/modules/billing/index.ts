import type { Module } from '../../platform/module.ts';
import { keepChargesMonths } from './charges/crons.ts';
import { operations as chargeOperations } from './charges/routes.ts';
import { operations as pricingOperations } from './pricing/routes.ts';
import { walletEvents } from './wallets/events.ts';
import { walletNotifications } from './wallets/notifications.ts';
import { operations as walletOperations } from './wallets/routes.ts';

export { type Adjustment, addAdjustment } from './charges/adjust.ts';
export {
  adjustedPassThrough,
  adjustmentsOf,
  type Charge,
  chargeOf,
  type Group,
  type GroupIn,
  listChargesIn,
  listChargesOf,
  type PassedOn,
  passedOnBetween,
  type Usage,
  usageBetween,
} from './charges/charges.ts';
export { explainCharge } from './charges/explain.ts';
export { ChargeExplanation, ChargeList } from './charges/schema.ts';
export {
  type AccountType,
  accountTypes,
  type FreeKind,
  type TransferKind,
  transferKinds,
} from './ledger/kinds.ts';
export {
  type MovedByKind,
  type Movement,
  movedFor,
  movementsBetween,
  movementsOf,
} from './ledger/transfers.ts';
export { type Discrepancy, verifyLedger, verifyWallet } from './ledger/verify-ledger.ts';
export {
  addPeriod,
  closeUntil,
  lastPeriod,
  type NewPeriod,
  nameInvoice,
  nameStatement,
  type Period,
  periodsOf,
  positionAt,
} from './periods/periods.ts';
export { openSince, type WalletToClose, walletsToClose } from './periods/wallets-to-close.ts';
export {
  expectedPricingType,
  isFreeAt,
  marketOf,
  type Occasion,
  type PricedAs,
  pricedAs,
} from './pricing/pricing-rules.ts';
export {
  type Category,
  type ChargedKind,
  categories,
  chargedKinds,
  defaultMarket,
  hasPassThrough,
  highestPriceOf,
  loadRateCards,
  loadRates,
  type Priced,
  type PricingType,
  priceOf,
  providerCostOf,
  type Quote,
  type RateCard,
  type Transport,
  transports,
} from './pricing/rates.ts';
export { pricingType as PricingTypeWord } from './pricing/schema.ts';
export { isoScale, narrow, widen } from './wallets/currencies.ts';
export { isUnsettled, releasedAmong } from './wallets/hold-states.ts';
export {
  hold,
  type MessageAmount,
  type NewHold,
  type OpenHolds,
  openHolds,
  release,
  type StretchOfHolds,
  stretchOfHolds,
} from './wallets/holds.ts';
export { balancesOf, type Moves, moveMoney } from './wallets/move-money.ts';
export {
  type BillingStatus,
  type CommercialMode,
  commercialModes,
  type DunningState,
} from './wallets/schema.ts';
export { type FinalPrice, type Reported, settle } from './wallets/settle.ts';
export { setBillingStatus, setDunningState } from './wallets/status.ts';
export { changeTerms, creditWallet, openWallet, type Terms } from './wallets/terms.ts';
export {
  type Budget,
  budgetOf,
  getWallet,
  lockWallet,
  lockWalletById,
  lockWalletOf,
  readWallet,
  spendable,
  type Wallet,
  walletOf,
  walletsOf,
} from './wallets/wallets.ts';

export const billingModule: Module = {
  name: 'billing',
  tables: [
    'rate_cards',
    'rate_markets',
    'rates',
    'wallets',
    'ledger_account_types',
    'ledger_transfer_kinds',
    'ledger_accounts',
    'ledger_transfers',
    'message_holds',
    'billing_periods',
    'charges',
  ],
  tags: {
    Billing: 'Prices, quotes, wallets and charges.',
  },
  operations: [...pricingOperations, ...walletOperations, ...chargeOperations],
  events: Object.values(walletEvents),
  notifications: walletNotifications,
  jobs: [],
  crons: [keepChargesMonths],
};
