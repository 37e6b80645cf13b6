// The end of what a test file shares: registered once, run when its last test is over.
import { after } from 'node:test';
import { throwTogether } from '../../src/platform/errors/throw-together.ts';

/** What has an end: a test's context, or a whole file. */
export type Lifetime = { after(work: () => Promise<void>): void };

/**
 * What the tests of a file, or of a suite, share. The last thing begun ends first, and one that fails to end does not keep
 * the others alive: a service left running would keep the whole run from ending.
 */
export function sharedLifetime(): Lifetime {
  const endings: (() => Promise<void>)[] = [];
  after(async () => {
    const failures: unknown[] = [];
    for (const end of endings.reverse()) await end().catch((error) => failures.push(error));
    throwTogether('not everything of this file could be ended', failures);
  });
  return { after: (work) => endings.push(work) };
}
