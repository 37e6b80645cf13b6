import type { Module } from '../../platform/module.ts';
import { operations } from './routes.ts';

export type * from './ports.ts';

export const sandboxPhonesModule: Module = {
  name: 'sandbox-phones',
  tables: [],
  tags: { 'Sandbox phones': 'The phones of simulated customers: what they show, and what is done on them.' },
  operations,
  jobs: [],
  crons: [],
};
