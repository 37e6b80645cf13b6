// Makes the checks one after the other through the adapter that messages leave by, with the version that is tried, and says who
// answered. A version that has ended is served by another without a word: so each check also looks at who served it.
import type { Probe } from '../ports.ts';
import { brief, type Check, Differs, type Stage } from './check.ts';

export type Failure = { check: string; expected: string; got: string };

export type Results = {
  /** The simulator, as soon as one answer was its own. */
  against: 'simulator' | 'provider';
  passed: number;
  /** How many were not made, because they would have changed something. */
  leftOut: number;
  failed: Failure[];
};

type Tried = { checks: readonly Check[]; probe: Probe; stage: Stage; readOnly: boolean };

export async function runChecks({ checks, probe, stage, readOnly }: Tried): Promise<Results> {
  const made = readOnly ? checks.filter(({ reads }) => reads) : checks;
  const failed: Failure[] = [];
  let simulated = false;
  probe.takeAnswers();
  for (const { name, run } of made) {
    const differs = await run(stage).then(() => null, differenceOf);
    const answers = probe.takeAnswers();
    simulated ||= answers.some((answer) => answer.simulated);
    const wrong = differs ?? servedOtherwise(stage.connection.apiVersion, answers);
    if (wrong) failed.push({ check: name, expected: wrong.expected, got: wrong.got });
  }
  return {
    against: simulated ? 'simulator' : 'provider',
    passed: made.length - failed.length,
    leftOut: checks.length - made.length,
    failed,
  };
}

/** A check that breaks has failed; what it says about it is no difference we expected. */
const differenceOf = (error: unknown): Differs =>
  error instanceof Differs ? error : new Differs('a check that ends', brief((error as Error).message));

function servedOtherwise(version: string, answers: ReturnType<Probe['takeAnswers']>): Differs | null {
  const named = answers.flatMap((answer) => answer.version ?? []);
  const other = named.find((served) => served !== version);
  if (other !== undefined) return new Differs(`${version} to serve the call`, `${other} did`);
  // An answer cut off on the way tells nothing; one that arrived tells its version.
  return answers.length > 0 && named.length === 0
    ? new Differs(`${version} to serve the call`, 'no version was told')
    : null;
}
