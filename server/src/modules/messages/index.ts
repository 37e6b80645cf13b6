import type { Module } from '../../platform/module.ts';

export { getMessage, readMessages } from './messages.ts';
export type { Message } from './schema.ts';
export const messagesModule: Module = {
  name: 'messages',
  tables: [
    'messages',
    'message_states',
    'message_attempts',
    'provider_messages',
    'dispatch_lanes',
    'pair_rates',
    'marketing_caps',
    'portfolio_reach',
  ],
  operations: [],
  jobs: [],
  crons: [],
};
