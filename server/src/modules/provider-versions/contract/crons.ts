import { defineCron, OthersNotReady } from '../../../platform/jobs/jobs.ts';
import { nextVersion } from '../../provider/index.ts';
import type { Sandbox } from '../../wabas/index.ts';
import { NotTried, runContract } from './contract.ts';
import { summaryOf } from './summary.ts';

/** Every night the sandbox tries the version that comes after the one it speaks. */
export const tryNextVersion = (sandbox: Sandbox) =>
  defineCron({
    name: 'provider-versions.try-next',
    schedule: '41 3 * * *',
    async run({ database, now, log, site, ports }) {
      const next = nextVersion(site.provider.sandbox.apiVersion, now());
      if (!next) return;
      const context = { database, now, log, site, ports, sandbox };
      const tried = { livemode: false, version: next.version };
      const run = await runContract(context, tried).catch((error: unknown) => {
        throw error instanceof NotTried ? new OthersNotReady(error.message) : error;
      });
      const facts = { version: run.version, passed: run.passed, failed: run.failed };
      if (run.failed.length > 0)
        log.warn(facts, 'the next version of the provider fails checks of the contract');
      else log.info(facts, summaryOf(run));
    },
  });
