import type { Module } from '../../platform/module.ts';
import { places } from './follow.ts';
import { observeLive } from './metrics.ts';
import { operations } from './routes.ts';

export { knowListeners, listenersOf } from './listeners.ts';

export const liveModule: Module = {
  name: 'live',
  tables: [],
  tags: { Live: 'What happens in an account, told the moment it happens.' },
  operations,
  jobs: [],
  crons: [],
  observe: ({ registry }) => observeLive(registry, places),
};
