// Everything that is going on, in one hand: what the calls of the wire and of the control API work on.

import type { Update } from './callbacks/callback-body.ts';
import { sendFaultily } from './callbacks/callback-faults.ts';
import { type Callbacks, createCallbacks } from './callbacks/callbacks.ts';
import { createLinks, type LinkMode, type Links } from './media/link-media.ts';
import { createPacing, type Pacing } from './messages/pacing.ts';
import { createRates, type Rates } from './messages/rates.ts';
import { createPeople, type People } from './numbers/people.ts';
import { createRandom, type Random } from './random.ts';
import { createRecords, type Records } from './record.ts';
import { createRules, type Rules } from './rules.ts';
import { defaultSettings, type Settings } from './settings.ts';
import { openState, type State } from './state.ts';
import { finishDeletions } from './templates/template-deletion.ts';
import { type Clock, createTimeline, type Timeline } from './timeline.ts';
import type { World } from './world.ts';

export type Log = (level: 'info' | 'warn', message: string, facts?: object) => void;

export type SimulationOptions = {
  appId: string;
  appSecret: string;
  verifyToken: string;
  callbackUrl: () => string | null;
  seed: string;
  stateFile?: string;
  clock?: Clock;
  instant: boolean;
  settings: Partial<Settings>;
  links: LinkMode;
  recordLimit?: number;
  log: Log;
};

export type Simulation = {
  options: SimulationOptions;
  settings: Settings;
  random: Random;
  /** Decides which callbacks go wrong. */
  dice: Random;
  timeline: Timeline;
  state: State;
  world: World;
  people: People;
  rates: Rates;
  rules: Rules;
  records: Records;
  callbacks: Callbacks;
  pacing: Pacing;
  links: Links;
  /** By template: how many of its messages are on their way. */
  undelivered: Map<string, number>;
  /** Where the app has its callbacks sent, when it chose another address by `subscriptions`. */
  appCallbackUrl: string | null;
  /** Codes of Embedded Signup that wait to be exchanged for a token. */
  signupCodes: Map<string, { token: string; madeMs: number }>;
  /** Sends an update to whoever is to hear it: the number's address, else the WABA's, else the app's. */
  notify(update: Update): void;
};

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
      sendFaultily(simulation, () => simulation.callbacks.send(url, update), update.onLost);
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
