import type { Module } from '../../platform/module.ts';
import { operations as pricingOperations } from './pricing/routes.ts';
import { operations as walletOperations } from './wallets/routes.ts';

export { type Movement, movementsOf } from './ledger/transfers.ts';
export { type Discrepancy, verifyLedger } from './ledger/verify-ledger.ts';
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
  defaultMarket,
  loadRateCards,
  loadRates,
  type Priced,
  type PricingType,
  priceOf,
  providerCostOf,
  type Quote,
  type RateCard,
  type Transport,
} from './pricing/rates.ts';
export {
  hold,
  type MessageAmount,
  type OpenHolds,
  openHolds,
  release,
  type StretchOfHolds,
  settle,
  stretchOfHolds,
} from './wallets/holds.ts';
export { type CommercialMode, commercialModes } from './wallets/schema.ts';
export {
  changeTerms,
  creditWallet,
  lockWallet,
  openWallet,
  readWallet,
  spendable,
  type Terms,
  type Wallet,
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
  ],
  tags: {
    Billing: 'Prices, quotes and wallets.',
  },
  operations: [...pricingOperations, ...walletOperations],
  jobs: [],
  crons: [],
};
