// How much is on its way, and the end of it.

export type InFlight = {
  fly(work: () => Promise<void>): Promise<void>;
  isIdle(): boolean;
  /** Resolves once nothing is on its way. */
  idle(): Promise<void>;
};

export function createInFlight(): InFlight {
  let inFlight = 0;
  let onIdle: (() => void)[] = [];
  return {
    async fly(work) {
      inFlight += 1;
      try {
        await work();
      } finally {
        inFlight -= 1;
        if (inFlight === 0) {
          const woken = onIdle;
          onIdle = [];
          for (const wake of woken) wake();
        }
      }
    },
    isIdle: () => inFlight === 0,
    async idle() {
      if (inFlight > 0) await new Promise<void>((wake) => onIdle.push(wake));
    },
  };
}
