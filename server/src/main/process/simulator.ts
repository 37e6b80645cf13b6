// The simulated provider beside the service: its address, its secrets, where it keeps what it must not forget.
import { join } from 'node:path';
import { type Simulator, type SimulatorOptions, startSimulator } from '@godwit/simulator';
import type { Log } from '../../platform/observability/logging.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Config } from '../settings.ts';
import { simulatorPort } from './core.ts';
import { explainListen } from './listening.ts';
import { simulatorSecrets } from './simulator-secrets.ts';

export const sandboxCallbacks = '/provider/callbacks/sandbox';

type Parts = { config: Config; sealer: Sealer; log: Log; apiUrl: () => string };

export async function startSandboxProvider(
  { config, sealer, log, apiUrl }: Parts,
  options: Partial<SimulatorOptions> = {},
): Promise<Simulator> {
  const start = (port: number) =>
    startSimulator({
      port,
      host: config.host,
      ...simulatorSecrets(sealer),
      callbackUrl: () => apiUrl() + sandboxCallbacks,
      stateFile: join(config.dataDir, 'simulator.json'),
      links: config.allowPrivateWebhooks ? 'loopback' : 'public',
      log: (level, message, facts) => log[level]({ ...facts }, `simulator: ${message}`),
      ...options,
    });
  const port = simulatorPort(config);
  try {
    return await start(port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Nobody asked for this port: another will do, and everything in this process learns which.
    if (code === 'EADDRINUSE' && config.simulatorPort === null) return start(0);
    throw explainListen(error as NodeJS.ErrnoException, {
      host: config.host,
      port,
      variable: 'SIMULATOR_PORT',
    });
  }
}

/** The provider asks before it calls back; here a refusal is told and keeps nothing from working. */
export async function greetCallbacks(simulator: Simulator, log: Log): Promise<void> {
  if (!(await simulator.control.verifyCallback()))
    log.warn('simulator: nobody at the callback address knows the verify token');
}
