// Which version of the provider's API each environment speaks, how long it may, what comes next and what is known of that.
import type { TenantTx } from '../../../platform/db/database.ts';
import {
  compareVersions,
  daysUntil,
  findVersion,
  hasEnded,
  nextVersion,
  type ProviderVersion,
  providerVersions,
  servedVersion,
  versionsRevisedAt,
} from '../../provider/index.ts';
import { type ContractRun, newestRuns } from '../contract/runs.ts';
import type { EnvironmentVersions, ProviderVersionCalendar } from './schema.ts';

type Evidence = EnvironmentVersions['pinned']['evidence'];

export async function getCalendar(t: TenantTx): Promise<ProviderVersionCalendar> {
  const { accountSid, livemode, now } = t;
  const runs = await newestRuns(t);
  const environments = (['live', 'sandbox'] as const).map((environment) => {
    const ofThis = runs.filter((run) => run.livemode === (environment === 'live'));
    return versionsOf(environment, t.site.provider[environment].apiVersion, ofThis, now);
  });
  return {
    object: 'provider_version_calendar',
    accountSid,
    livemode,
    environments,
    calendar: providerVersions.map((known) => ({
      version: known.version,
      releaseDate: known.releasedOn.date,
      releaseDatePrecision: known.releasedOn.precision,
      ...endOf(known, now),
      ended: hasEnded(known, now),
    })),
    revisedAt: versionsRevisedAt,
  };
}

function versionsOf(
  environment: EnvironmentVersions['environment'],
  version: string,
  runs: readonly ContractRun[],
  now: Date,
): EnvironmentVersions {
  const next = nextVersion(version, now);
  return {
    environment,
    pinned: {
      version,
      ...endOf(findVersion(version), now),
      servedVersion: servedVersion(version, now),
      evidence: evidenceOf(runs.find((run) => run.version === version)),
    },
    next: next && { version: next.version, ...endOf(next, now) },
    canary: canaryOf(version, next, runs),
  };
}

function endOf(known: ProviderVersion | undefined, now: Date) {
  const endsOn = known?.endsOn ?? null;
  return {
    deprecationDate: endsOn?.date ?? null,
    datePrecision: endsOn?.precision ?? null,
    daysLeft: endsOn && daysUntil(endsOn, now),
  };
}

function canaryOf(
  pinned: string,
  next: ProviderVersion | null,
  runs: readonly ContractRun[],
): EnvironmentVersions['canary'] {
  const newest = runs
    .filter((run) => compareVersions(run.version, pinned) > 0)
    .reduce<ContractRun | null>(
      (last, run) => (last && last.finishedAt >= run.finishedAt ? last : run),
      null,
    );
  if (newest) {
    const state = newest.failed.length > 0 ? 'FAILED' : 'PASSED';
    return { version: newest.version, state, evidence: evidenceOf(newest) };
  }
  return next && { version: next.version, state: 'UNTESTED', evidence: null };
}

function evidenceOf(run: ContractRun | undefined): Evidence {
  if (!run) return null;
  const { livemode: _, ...evidence } = run;
  return evidence;
}
