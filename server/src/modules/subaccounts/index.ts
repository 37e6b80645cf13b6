import type { Module } from '../../platform/module.ts';
import type { WabaHooks } from '../wabas/index.ts';
import { subaccountEvents } from './events.ts';
import { openSubaccountWith } from './jobs.ts';
import { operations } from './routes.ts';

export const subaccountsModule = (hooks: WabaHooks): Module => {
  const openSubaccount = openSubaccountWith(hooks);
  return {
    name: 'subaccounts',
    tables: [],
    tags: {
      Subaccounts: 'Accounts below an account, each with resources of its own.',
    },
    operations: operations(openSubaccount),
    events: Object.values(subaccountEvents),
    jobs: [openSubaccount],
    crons: [],
  };
};
