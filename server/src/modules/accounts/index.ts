import type { Module } from '../../platform/module.ts';
import { accountEvents } from './events.ts';
import { accountNotifications } from './notifications.ts';
import { operations } from './routes.ts';

export {
  type AccountPlace,
  type AccountSummary,
  accountExists,
  accountStanding,
  accountsByPlan,
  accountsOf,
  changePlan,
  createOrganization,
  describeAccount,
  findAccount,
  hasAccounts,
  homeAccount,
  homeAccounts,
  type NewAccount,
  organizationName,
  organizationOf,
  planNameOf,
  type Standing,
} from './accounts.ts';
export {
  isOperator,
  nameOperator,
  operatorParty,
  type Party,
  partyOf,
  setLegalDetails,
} from './organizations.ts';
export { Account, accountSample } from './schema.ts';
export { countSubaccounts, insertSubaccount, listSubaccounts, subaccountSidOf } from './subaccounts.ts';
export { resumeAccount, suspendAccount } from './suspension.ts';
export const accountsModule: Module = {
  name: 'accounts',
  tables: ['organizations', 'accounts'],
  tags: {
    Accounts: 'The account itself, and whether it may act.',
  },
  operations,
  events: Object.values(accountEvents),
  notifications: accountNotifications,
  jobs: [],
  crons: [],
};
