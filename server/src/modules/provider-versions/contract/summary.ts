import type { ContractRun } from './runs.ts';

/** One line of what a run found. */
export function summaryOf({ version, livemode, against, passed, failed, leftOut }: ContractRun): string {
  const environment = livemode ? 'live' : 'sandbox';
  const rest = leftOut > 0 ? `, ${leftOut} left out because they would change something` : '';
  return `${version} for ${environment}, answered by the ${against}: ${passed} passed, ${failed.length} failed${rest}.`;
}
