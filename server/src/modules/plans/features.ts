// What a plan can leave out. A plan that names no features has all of them, also those that are added later.
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { planOf } from './plans.ts';

export const features = ['campaigns', 'subaccounts', 'workflows'] as const;
export type Feature = (typeof features)[number];

/** Refuses what the plan of the account leaves out. */
export async function refuseWithoutFeature(t: TenantTx, feature: Feature): Promise<void> {
  const plan = await planOf(t);
  if (plan === null || plan.features === null || plan.features.includes(feature)) return;
  throw new ApiError('CAPABILITY_UNAVAILABLE', {
    message: `The plan of this account does not include ${feature}.`,
    details: [{ path: 'plan', issue: `${plan.name} does not include ${feature}` }],
  });
}
