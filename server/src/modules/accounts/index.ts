import type { Module } from '../../platform/module.ts';

export {
  type AccountPlace,
  type AccountSummary,
  accountExists,
  accountStatus,
  accountsOf,
  createOrganization,
  describeAccount,
  findAccount,
  hasAccounts,
  homeAccount,
  homeAccounts,
  type NewAccount,
  organizationName,
  organizationOf,
} from './accounts.ts';
export {
  isOperator,
  nameOperator,
  operatorParty,
  type Party,
  partyOf,
  setLegalDetails,
} from './organizations.ts';
export const accountsModule: Module = {
  name: 'accounts',
  tables: ['organizations', 'accounts'],
  operations: [],
  jobs: [],
  crons: [],
};
