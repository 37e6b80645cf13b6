// What the operator does about versions of the provider's API from the command line.
import { NotTried, runContract, summaryOf } from '../../../modules/provider-versions/index.ts';
import { ConfigError } from '../../../platform/config.ts';
import type { Core } from '../../process/core.ts';
import type { CommandContext } from '../../process/keys.ts';
import { connectPorts } from '../../process/ports.ts';
import { sandbox } from '../../sandbox.ts';
import type { Config } from '../../settings.ts';

type Where = { context: CommandContext; config: Config; core: Core };
type Asked = { environment: 'live' | 'sandbox'; version: string; json?: boolean };

/** Whether every check passed. */
export async function tryVersion(
  { context: { database, clock, log }, config, core }: Where,
  { environment, version, json = false }: Asked,
  print: (line: string) => void,
): Promise<boolean> {
  const ports = connectPorts(config, core.sealer);
  const context = { database, now: () => clock.now(), log, site: core.site(), ports, sandbox };
  try {
    const run = await runContract(context, { livemode: environment === 'live', version });
    if (json) print(JSON.stringify(run));
    else {
      for (const { check, expected, got } of run.failed)
        print(`✗ ${check}: expected ${expected}, got ${got}`);
      print(summaryOf(run));
    }
    return run.failed.length === 0;
  } catch (error) {
    throw error instanceof NotTried ? new ConfigError(error.message) : error;
  } finally {
    await Promise.all([
      ports.outbound.close(),
      ports.mailer.close(),
      ports.provider.close?.(),
      ports.payments.close(),
    ]);
  }
}
