import type { Module } from '../../platform/module.ts';
import { operations } from './routes.ts';

export { type StretchOfHolds, stretchOfHolds } from './holds.ts';
export {
  hold,
  type MessageAmount,
  type Movement,
  movementsOf,
  type OpenHolds,
  openHolds,
  release,
  settle,
} from './ledger.ts';
export {
  expectedPricingType,
  isFreeAt,
  marketOf,
  type Occasion,
  type PricedAs,
  pricedAs,
} from './pricing-rules.ts';
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
} from './rates.ts';
export { type CommercialMode, commercialModes } from './schema.ts';
export { type Discrepancy, verifyLedger } from './verify-ledger.ts';
export {
  changeTerms,
  creditWallet,
  lockWallet,
  openWallet,
  readWallet,
  spendable,
  type Terms,
  type Wallet,
} from './wallets.ts';

export const billingModule: Module = {
  name: 'billing',
  tables: [
    'rate_cards',
    'rate_markets',
    'rates',
    'wallets',
    'ledger_accounts',
    'ledger_transfers',
    'message_holds',
  ],
  operations,
  jobs: [],
  crons: [],
};
