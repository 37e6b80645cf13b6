import type { Module } from '../../platform/module.ts';

export {
  countedRecipients,
  countRecipients,
  findOrCreatePortfolio,
  type MessagingLimit,
  type NewPortfolio,
  type PortfolioRoom,
  portfolioRooms,
  readMessagingLimit,
  updateLimits,
} from './portfolios.ts';
export {
  anyConnection,
  connectionOf,
  holdWaba,
  inForce,
  insertWaba,
  loadWabas,
  onlyConnectedWaba,
  type Restriction,
  requireWaba,
  type Waba,
  wabaByProviderId,
} from './wabas.ts';
export const wabasModule: Module = {
  name: 'wabas',
  tables: ['portfolios', 'portfolio_recipients', 'wabas'],
  operations: [],
  jobs: [],
  crons: [],
};
