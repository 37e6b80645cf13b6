import type { Module } from '../../platform/module.ts';
import { operations } from './routes.ts';

export { capabilityOf, requireCapability } from './capabilities/require-capability.ts';

export const providerVersionsModule: Module = {
  name: 'provider-versions',
  tables: [],
  tags: {
    'Provider versions':
      "What the provider's API offers here, which version of it is spoken, and what is going to change.",
  },
  operations,
  jobs: [],
  crons: [],
};
