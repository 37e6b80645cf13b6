// Everything that is going on, in one hand: what the calls of the wire and of the control API work on.

import type { Update } from './callbacks/callback-body.ts';
import type { Callbacks } from './callbacks/callbacks.ts';
import type { Log } from './log.ts';
import type { LinkMode, Links } from './media/link-media.ts';
import type { Analytics } from './messages/analytics.ts';
import type { Pacing } from './messages/pacing.ts';
import type { Rates } from './messages/rates.ts';
import type { People } from './numbers/people.ts';
import type { Random } from './random.ts';
import type { Records } from './record.ts';
import type { Rules } from './rules.ts';
import type { Settings } from './settings.ts';
import type { State } from './state.ts';
import type { Clock, Timeline } from './timeline.ts';
import type { World } from './world.ts';

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

export type SignupCode = {
  token: string;
  madeMs: number;
  /** Where the code was sent to, which whoever exchanges it must know; null for one that was sent nowhere. */
  redirectUri: string | null;
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
  analytics: Analytics;
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
  signupCodes: Map<string, SignupCode>;
  /** Sends an update to whoever is to hear it: the number's address, else the WABA's, else the app's. */
  notify(update: Update): void;
};
