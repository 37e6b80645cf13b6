export type Waiter = ReturnType<typeof createWaiter>;

/** A rest that can be cut short: by new work, by being asked to stop. */
export function createWaiter() {
  let woken = false;
  let resume: (() => void) | null = null;

  const rest = async (restMs: number): Promise<void> => {
    await new Promise<void>((done) => {
      const timer = Number.isFinite(restMs) ? setTimeout(done, restMs) : undefined;
      resume = () => {
        clearTimeout(timer);
        done();
      };
    });
    resume = null;
    woken = false;
  };

  return {
    wake(): void {
      woken = true;
      resume?.();
    },
    /** For those who are about to look at everything a call could tell them. */
    forget(): void {
      woken = false;
    },
    /** Rests, for ever if it is told so. A call that came since the last rest is not lost: this one is then skipped. */
    async wait(restMs: number): Promise<void> {
      if (!woken) return rest(restMs);
      woken = false;
    },
    /** Rests whatever came before: for those who have just looked at everything a call could tell them. */
    waitAnew: rest,
  };
}
