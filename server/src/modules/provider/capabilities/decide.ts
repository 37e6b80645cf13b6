// The one decision: a version that knows the capability, and facts that allow it.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { compareVersions, servedVersion } from '../versions/versions.ts';
import { type CapabilityName, capabilities, type FactSource, type FactsOf } from './catalogue.ts';
import { planned, unavailable, type Verdict } from './verdicts.ts';

type Spoken = { apiVersion: string; now: Date };
type Place = Pick<TenantTx, 'livemode' | 'site' | 'now'>;

/** What every decision needs to know of where it is made. */
export const spokenIn = ({ livemode, site, now }: Place): Spoken => ({
  apiVersion: site.provider[livemode ? 'live' : 'sandbox'].apiVersion,
  now,
});

/** As it is declared: the compiler does not follow a name through the table. */
type Declared<Name extends CapabilityName> = {
  since?: string;
  until?: string;
  source: FactSource;
  judge(facts: FactsOf<Name>): Verdict;
};
const declared = <Name extends CapabilityName>(name: Name) => capabilities[name] as Declared<Name>;

export function decideCapability<Name extends CapabilityName>(
  name: Name,
  facts: FactsOf<Name> & Spoken,
): Verdict {
  const { since, until, judge } = declared(name);
  return ((since || until) && refusedByVersion(facts, since, until)) || judge(facts);
}

/** An ended version is served by the oldest living one without a word, so it is that one which counts. */
function refusedByVersion(
  { apiVersion, now }: Spoken,
  since: string | undefined,
  until: string | undefined,
): Verdict | null {
  const served = servedVersion(apiVersion, now);
  if (since && compareVersions(served, since) < 0)
    return planned(`Comes with ${since} of the provider's API; ${served} is served here.`);
  if (until && compareVersions(served, until) > 0)
    return unavailable(`Ended with ${until} of the provider's API; ${served} is served here.`);
  return null;
}

/** Throws what a capability that cannot be used is answered with. */
export function refuseWithout<Name extends CapabilityName>(name: Name, facts: FactsOf<Name> & Spoken): void {
  refuse(decideCapability(name, facts));
}

export function refuse({ errorCode, reason }: Verdict): void {
  if (errorCode !== null) throw new ApiError(errorCode, { message: reason! });
}

export function versionsOf(name: CapabilityName): { since: string | null; until: string | null } {
  const { since = null, until = null } = declared(name);
  return { since, until };
}
