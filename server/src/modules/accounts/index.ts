import type { Module } from '../../platform/module.ts';
import { operations } from './routes.ts';

export {
  type AccountPlace,
  accountExists,
  createOrganization,
  findAccount,
  hasAccounts,
  homeAccount,
  type NewAccount,
} from './accounts.ts';
export const accountsModule: Module = {
  name: 'accounts',
  tables: ['organizations', 'accounts'],
  operations,
  jobs: [],
  crons: [],
};
