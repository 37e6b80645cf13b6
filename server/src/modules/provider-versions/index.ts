import type { Module } from '../../platform/module.ts';
import type { Sandbox } from '../wabas/index.ts';
import { tryNextVersion } from './contract/crons.ts';
import { observeVersions } from './metrics.ts';
import { operations } from './routes.ts';

export { capabilityOf, requireCapability } from './capabilities/require-capability.ts';
export { NotTried, runContract } from './contract/contract.ts';
export type { ContractRun } from './contract/runs.ts';
export { summaryOf } from './contract/summary.ts';
export type { AnsweredBy, ByHand, Probe } from './ports.ts';

export const providerVersionsModule = (sandbox: Sandbox): Module => ({
  name: 'provider-versions',
  tables: ['provider_contract_runs'],
  tags: {
    'Provider versions':
      "What the provider's API offers here, which version of it is spoken, and what is going to change.",
  },
  operations,
  jobs: [],
  crons: [tryNextVersion(sandbox)],
  observe: observeVersions,
});
