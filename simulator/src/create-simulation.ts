import type { Update } from './callbacks/callback-body.ts';
import { sendFaultily } from './callbacks/callback-faults.ts';
import { createCallbacks } from './callbacks/callbacks.ts';
import { createLinks } from './media/link-media.ts';
import { createAnalytics } from './messages/analytics.ts';
import { createPacing } from './messages/pacing.ts';
import { createRates } from './messages/rates.ts';
import { createPeople } from './numbers/people.ts';
import { createRandom } from './random.ts';
import { createRecords } from './record.ts';
import { createRules } from './rules.ts';
import { defaultSettings } from './settings.ts';
import type { Simulation, SimulationOptions } from './simulation.ts';
import { openState } from './state.ts';
import { finishDeletions } from './templates/template-deletion.ts';
import { createTimeline } from './timeline.ts';

export async function createSimulation(options: SimulationOptions): Promise<Simulation> {
  const timeline = createTimeline(options.clock, options.instant);
  // On a clock that stands still, or at once: one after the other, so that the same calls give the same order.
  const steady = options.clock || options.instant ? { callbackConcurrency: 1, callbackBatch: 1 } : {};
  const settings = { ...defaultSettings, ...steady, ...options.settings };
  const random = createRandom(options.seed);
  const state = await openState(options.stateFile, options.log);
  const simulation: Simulation = {
    options,
    settings,
    random,
    dice: createRandom(diceSeed(options.seed)),
    timeline,
    state,
    world: state.world,
    people: createPeople(),
    rates: createRates(),
    analytics: createAnalytics(),
    rules: createRules(random),
    records: createRecords(options.recordLimit),
    callbacks: createCallbacks({ appSecret: options.appSecret, settings, timeline, log: options.log }),
    pacing: createPacing({ settings, timeline }),
    links: createLinks(options.links, timeline),
    undelivered: new Map(),
    appCallbackUrl: null,
    signupCodes: new Map(),
    notify(update) {
      const url = addressFor(simulation, update);
      if (url === null) return;
      sendFaultily(
        simulation,
        2 * settings.readMs,
        () => simulation.callbacks.send(url, update),
        update.onLost,
      );
    },
  };
  finishDeletions(simulation);
  return simulation;
}

export const diceSeed = (seed: string) => `${seed}/callbacks`;

function addressFor({ world, options, appCallbackUrl }: Simulation, update: Update): string | null {
  const waba = world.wabas.get(update.wabaId);
  if (!waba?.subscribed) return null;
  const app = appCallbackUrl ?? options.callbackUrl();
  // Only messages follow an override; what concerns the account always goes to the app.
  if (update.kind === 'value') return app;
  return world.numbers.get(update.number.id)?.overrideUrl ?? waba.overrideUrl ?? app;
}
