/** The people of the sandbox, who are simulated: nobody else would forget them when they are erased. */
export interface SimulatedPeople {
  /** Forgets what these accounts at the simulated provider know of a person; somebody it does not know is forgotten. */
  forget(
    place: { baseUrl: string },
    person: {
      /** A phone number, or the id the provider gave them. */
      from: string;
      wabaIds: readonly string[];
    },
  ): Promise<{ ok: true } | { ok: false; reason: string }>;
}

declare module '../../platform/ports.ts' {
  interface Ports {
    simulatedPeople: SimulatedPeople;
  }
}
