// What operators watch of versions: how long the one that is spoken lasts, and whether the later ones that were tried passed.
import { Gauge } from 'prom-client';
import type { Observing } from '../../platform/module.ts';
import { askedOnce } from '../../platform/observability/metrics.ts';
import { daysUntil, findVersion } from '../provider/index.ts';
import { newestRuns } from './contract/runs.ts';

export function observeVersions({ registry, database, now, site }: Observing): void {
  new Gauge({
    name: 'godwit_provider_version_days_left',
    help: "Days until the version of the provider's API that is spoken ends; none where no end is announced",
    labelNames: ['environment', 'version'],
    registers: [registry],
    collect() {
      this.reset();
      for (const environment of ['live', 'sandbox'] as const) {
        const version = site().provider[environment].apiVersion;
        const endsOn = findVersion(version)?.endsOn;
        if (endsOn) this.set({ environment, version }, daysUntil(endsOn, now()));
      }
    },
  });
  const ask = askedOnce(() => database.system(newestRuns));
  new Gauge({
    name: 'godwit_provider_contract_failures',
    help: "Checks of the contract that failed when a version of the provider's API was last tried, by who answered",
    labelNames: ['environment', 'version', 'against'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const { livemode, version, against, failed } of (await ask()) ?? [])
        this.set({ environment: livemode ? 'live' : 'sandbox', version, against }, failed.length);
    },
  });
}
