// What may be called on behalf of a provider. Providers stand in both environments, so it is not enough to ask who calls.
import type { Place } from '../../../platform/outbound/reachable.ts';
import type { Environment } from './role-grants.ts';

/** A sandbox's only where a sandbox calls and the provider decides about sandbox roles alone; live in every other case. */
export const placeOf = (
  { livemode, site }: Place,
  { roleEnvironment }: { roleEnvironment: Environment },
): Place => ({ site, livemode: livemode || roleEnvironment !== 'sandbox' });
