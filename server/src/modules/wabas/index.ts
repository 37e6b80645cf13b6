import type { Module } from '../../platform/module.ts';
import { readWabaWith } from './connection/look.ts';
import { reconcileType } from './connection/reconcile.ts';
import { reconnectType } from './connection/reconnect.ts';
import { returnMount } from './connection/return-mount.ts';
import { forgetRecipients } from './crons.ts';
import { portfolioEvents, wabaEvents } from './events.ts';
import type { WabaHooks } from './hooks.ts';
import { unsubscribeWaba } from './jobs.ts';
import { wabaNotifications } from './notifications.ts';
import { observeReadings, readAgainJob, readDueAgain } from './read-again.ts';
import { reconnectWabaWith } from './reconnect-waba.ts';
import { operations } from './routes.ts';

export { type AdoptedWaba, addSandboxNumber, adoptWaba, openSandboxWaba } from './connect-waba.ts';
export type { Sandbox, SenderState, SimulatedWaba, WabaHooks } from './hooks.ts';
export { applyNumberLimits } from './limits.ts';
export { listNumbers } from './list-numbers.ts';
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
  providerWabaIds,
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
  const types = { reconcile: reconcileType(hooks), reconnect: reconnectType(hooks) };
  return {
    name: 'wabas',
    tables: ['portfolios', 'portfolio_recipients', 'wabas', 'waba_connections', 'waba_signups'],
    tags: {
      'Provider accounts': 'Business messaging accounts and portfolios at the provider, with their limits.',
    },
    operations: operations(hooks, types),
    events: [...Object.values(wabaEvents), ...Object.values(portfolioEvents)],
    notifications: wabaNotifications,
    jobs: [
      unsubscribeWaba,
      readAgain,
      readWabaWith(hooks),
      reconnectWabaWith(hooks),
      types.reconcile.job,
      types.reconnect.job,
    ],
    mounts: [returnMount],
    crons: [forgetRecipients, readDueAgain(readAgain)],
    observe: observeReadings,
  };
};
