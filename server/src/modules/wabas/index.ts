import type { Module } from '../../platform/module.ts';
import { forgetRecipients } from './crons.ts';
import { portfolioEvents, wabaEvents } from './events.ts';
import type { WabaHooks } from './hooks.ts';
import { unsubscribeWaba } from './jobs.ts';
import { wabaNotifications } from './notifications.ts';
import { observeReadings, readAgainJob, readDueAgain } from './read-again.ts';
import { readWabaWith } from './read-waba.ts';
import { reconnectWabaWith } from './reconnect-waba.ts';
import { operations } from './routes.ts';

export { type AdoptedWaba, addSandboxNumber, adoptWaba, openSandboxWaba } from './connect-waba.ts';
export type { Sandbox, SenderState, SimulatedWaba, WabaHooks } from './hooks.ts';
export { applyNumberLimits } from './limits.ts';
export {
  countedRecipients,
  countRecipients,
  findOrCreatePortfolio,
  lockPortfolioOf,
  type MessagingLimit,
  type PortfolioRoom,
  portfolioRooms,
} from './portfolios.ts';
export { applyAccountUpdate, applyAccountUpdates } from './provider-updates.ts';
export { requestWabaFacts } from './read-waba.ts';
export { ProviderRestriction } from './schema.ts';
export {
  anyConnection,
  type BillingMode,
  type ConnectedWaba,
  connectedWabas,
  connectedWabasOf,
  connectionOf,
  connectionWith,
  findLiveWaba,
  hasPartnerBilled,
  insertWaba,
  loadWabas,
  lockWaba,
  onlyConnectedWaba,
  portfoliosOf,
  providerBusinessOf,
  type ReadWaba,
  requireWaba,
  setBillingMode,
  type Waba,
  type WabaFacts,
  wabaByProviderId,
  wabasFrom,
} from './wabas.ts';
export const wabasModule = (hooks: WabaHooks): Module => {
  const readAgain = readAgainJob(hooks);
  return {
    name: 'wabas',
    tables: ['portfolios', 'portfolio_recipients', 'wabas'],
    tags: {
      'Provider accounts': 'Business messaging accounts and portfolios at the provider, with their limits.',
    },
    operations: operations(hooks),
    events: [...Object.values(wabaEvents), ...Object.values(portfolioEvents)],
    notifications: wabaNotifications,
    jobs: [unsubscribeWaba, readAgain, readWabaWith(hooks), reconnectWabaWith(hooks)],
    crons: [forgetRecipients, readDueAgain(readAgain)],
    observe: observeReadings,
  };
};
