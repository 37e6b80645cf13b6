import type { Module } from '../../platform/module.ts';
import { callbackMount } from './callback-mount.ts';
import type { CallbackHooks } from './hooks.ts';
import { channelOf } from './store-callbacks.ts';
import { sweepCallbacks } from './sweeps.ts';
import { nextCallback, workOnCallbacks } from './work-callbacks.ts';

export { answerOf } from './answer-of.ts';
export {
  type AccountFacts,
  type CapabilityName,
  capabilities,
  type FactSource,
  factSources,
  isOf,
  type NamesOf,
  namesOf,
} from './capabilities/catalogue.ts';
export { decideCapability, refuse, refuseWithout, spokenIn, versionsOf } from './capabilities/decide.ts';
export { inForce, type Restriction } from './capabilities/restrictions.ts';
export { capabilityStatuses, type Verdict } from './capabilities/verdicts.ts';
export type * from './changes.ts';
export * from './content.ts';
export { eraseParkedCallbacks } from './erase-callbacks.ts';
export type { ProviderFailure } from './failure.ts';
export type * from './hooks.ts';
export { findCallbacks, retryCallbacks, showCallback, type WaitingCallback } from './operator.ts';
export { answered, goOnWith, Later, Refused } from './outcomes.ts';
export type * from './ports.ts';
export { isNews, saidAtOf, withSaidAt } from './said-at.ts';
export {
  compareVersions,
  type DatePrecision,
  daysUntil,
  findVersion,
  hasEnded,
  type KnownDate,
  nextVersion,
  type ProviderVersion,
  providerVersions,
  servedVersion,
  versionsRevisedAt,
} from './versions/versions.ts';

/** Asked for the hooks when it works, long after every module was listed: those below may need this one first. */
export const providerModule = (hooks: () => CallbackHooks): Module => ({
  name: 'provider',
  tables: ['provider_callbacks', 'provider_callback_work', 'provider_changes'],
  operations: [],
  jobs: [],
  crons: [sweepCallbacks],
  mounts: [callbackMount(hooks)],
  loops: [
    {
      name: 'provider-callbacks',
      toldOn: [channelOf(false)],
      nextDue: () => nextCallback('others'),
      apartMs: 40,
      begin: (context) => ({ turn: () => workOnCallbacks(context, hooks()) }),
    },
    {
      name: 'provider-opt-outs',
      toldOn: [channelOf(true)],
      nextDue: () => nextCallback('opt-outs'),
      apartMs: 5,
      begin: (context) => ({ turn: () => workOnCallbacks(context, hooks(), 'opt-outs') }),
    },
  ],
});
