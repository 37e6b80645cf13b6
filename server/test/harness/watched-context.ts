// What a job works with when a test runs it by hand: the real database and the real way to the provider, with somebody who watches.
import type { Provider } from '../../src/modules/provider/index.ts';
import type { Tenant } from '../../src/platform/db/database.ts';
import type { TenantJobContext } from '../../src/platform/jobs/jobs.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import { systemPrincipal } from '../../src/platform/principal.ts';
import type { TestApp } from './app.ts';

/** Told of every step a run takes to the outside: a test may end the process there, by throwing. */
export type Watch = (step: string) => void | Promise<void>;

export function watchedContext(app: TestApp, tenant: Tenant, watch: Watch = () => {}): TenantJobContext {
  const request = () => ({
    principal: systemPrincipal('test', tenant.livemode),
    now: app.clock.now(),
    requestId: 'test',
    log: silentLog,
  });
  const provider = new Proxy(app.ports.provider, {
    get(target, name) {
      const call = target[name as keyof Provider] as (...given: unknown[]) => Promise<unknown>;
      return async (...given: unknown[]) => {
        await watch(`before ${String(name)}`);
        const answer = await call.apply(target, given);
        await watch(`after ${String(name)}`);
        return answer;
      };
    },
  });
  return {
    database: app.database,
    now: () => app.clock.now(),
    log: silentLog,
    ports: { ...app.ports, provider },
    site: app.site(),
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
