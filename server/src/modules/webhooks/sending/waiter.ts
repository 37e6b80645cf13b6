/** A rest that can be cut short. A call that comes before the rest begins is not lost: the rest is then skipped. */
export function createWaiter() {
  let woken = false;
  let resume: (() => void) | null = null;
  return {
    wake(): void {
      woken = true;
      resume?.();
    },
    async wait(restMs: number): Promise<void> {
      if (!woken) {
        await new Promise<void>((done) => {
          const timer = setTimeout(done, restMs);
          resume = () => {
            clearTimeout(timer);
            done();
          };
        });
      }
      resume = null;
      woken = false;
    },
  };
}
