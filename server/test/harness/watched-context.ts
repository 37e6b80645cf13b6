// What a job works with when a test runs it by hand: the real database and the real ways to the outside, with somebody who watches.
import type { NumberVendor } from '../../src/modules/managed-onboarding/index.ts';
import type { Tenant } from '../../src/platform/db/database.ts';
import type { TenantJobContext } from '../../src/platform/jobs/jobs.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import type { Site } from '../../src/platform/ports.ts';
import { systemPrincipal } from '../../src/platform/principal.ts';
import type { TestApp } from './app.ts';

/** Told of every step a run takes to the outside: a test may end the process there, by throwing. */
export type Watch = (step: string) => void | Promise<void>;

function watched<T extends object>(target: T, watch: Watch): T {
  return new Proxy(target, {
    get(of, name) {
      const call = of[name as keyof T] as (...given: unknown[]) => Promise<unknown>;
      return async (...given: unknown[]) => {
        await watch(`before ${String(name)}`);
        const answer = await call.apply(of, given);
        await watch(`after ${String(name)}`);
        return answer;
      };
    },
  });
}

export function watchedContext(
  app: TestApp,
  tenant: Tenant,
  watch: Watch = () => {},
  site: Site = app.site(),
): TenantJobContext {
  const request = () => ({
    principal: systemPrincipal('test', tenant.livemode),
    now: app.clock.now(),
    requestId: 'test',
    log: silentLog,
  });
  const vendor = (one: NumberVendor) => watched(one, watch);
  const { live, sandbox } = app.ports.numberVendors;
  return {
    database: app.database,
    now: () => app.clock.now(),
    log: silentLog,
    ports: {
      ...app.ports,
      provider: watched(app.ports.provider, watch),
      numberVendors: { live: vendor(live), sandbox: vendor(sandbox) },
    },
    site,
    sealer: app.sealer,
    processId: '00000000-0000-7000-8000-000000000000',
    signal: new AbortController().signal,
    async write(work) {
      await watch('before commit');
      const result = await app.database.write(tenant, request(), work);
      await watch('after commit');
      return result;
    },
    read: (work) => app.database.read(tenant, request(), work),
  };
}
