import type { Module } from '../../platform/module.ts';
import { operations } from './routes.ts';

export { accountExists, createOrganization, hasAccounts, type NewAccount } from './accounts.ts';
export const accountsModule: Module = {
  name: 'accounts',
  tables: ['organizations', 'accounts'],
  operations,
  jobs: [],
  crons: [],
};
