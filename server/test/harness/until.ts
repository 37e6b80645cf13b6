// Waiting for something that happens elsewhere: for the thing itself, never for a time in which it should have happened.
import { setTimeout as sleep } from 'node:timers/promises';

// A test may hold or move `performance.now`.
const realMs = performance.now.bind(performance);

/**
 * Asks again until the condition holds; what it returns is handed on. What is said to be enough time is enough on the
 * busiest machine, so that only what never happens fails by it.
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  withinMs = 60_000,
): Promise<NonNullable<T>> {
  const deadline = realMs() + withinMs;
  for (let restMs = 2; ; restMs = Math.min(2 * restMs, 25)) {
    const found = await condition();
    if (found) return found;
    if (realMs() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await sleep(restMs);
  }
}
