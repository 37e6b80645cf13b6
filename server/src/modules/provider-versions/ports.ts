import type { Connection, Provider } from '../provider/index.ts';

/** What an answer says of who gave it. */
export type AnsweredBy = {
  /** The version that served the call; null where the answer does not say. */
  version: string | null;
  simulated: boolean;
};

/** What people do at the provider and no call of ours does. Only the simulator does it for whoever asks. */
export type ByHand = {
  /** Signs up with the account a token opens, and brings the code. */
  signUp(connection: Connection): Promise<string>;
  /** Makes and publishes a flow, and tells its id. */
  publishFlow(connection: Connection, wabaId: string): Promise<string>;
};

/** The adapter that messages leave by, with its answers looked at. */
export type Probe = {
  provider: Provider;
  byHand: ByHand;
  /** Who answered since this was last asked. */
  takeAnswers(): AnsweredBy[];
  close(): Promise<void>;
};

declare module '../../platform/ports.ts' {
  interface Ports {
    openProbe(): Probe;
  }
  interface Site {
    /** The live business account that contract checks may read; null where there is none. */
    providerCanary: string | null;
    /** Names the revision of this service; null where nobody knows it. */
    commit: string | null;
  }
}
