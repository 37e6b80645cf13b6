import type { Module } from '../../platform/module.ts';

export { requireSender, type Sender } from './senders.ts';
export const sendersModule: Module = {
  name: 'senders',
  tables: ['senders'],
  operations: [],
  jobs: [],
  crons: [],
};
