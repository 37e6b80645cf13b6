// The simulated provider and payment service beside the service: their addresses, their secrets, where they keep what they
// must not forget.
import { join } from 'node:path';
import { type Simulator, type SimulatorOptions, startSimulator } from '@godwit/simulator';
import {
  type PaymentSimulator,
  type PaymentSimulatorOptions,
  startPaymentSimulator,
} from '@godwit/simulator/payments';
import type { Log } from '../../platform/observability/logging.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Config } from '../settings.ts';
import { paymentSimulatorPort, simulatorPort } from './core.ts';
import { explainListen } from './listening.ts';
import { paymentSimulatorSecrets, simulatorSecrets } from './simulator-secrets.ts';

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
  return listening(start, {
    config,
    port,
    chosen: config.simulatorPort !== null,
    variable: 'SIMULATOR_PORT',
  });
}

export const sandboxPaymentCallbacks = '/payments/callbacks/sandbox';

export async function startSandboxPayments(
  { config, sealer, log, apiUrl }: Parts,
  options: Partial<PaymentSimulatorOptions> = {},
): Promise<PaymentSimulator> {
  const { secretKey, webhookSecrets } = paymentSimulatorSecrets(sealer);
  const start = (port: number) =>
    startPaymentSimulator({
      port,
      host: config.host,
      apiKeys: [secretKey],
      webhooks: [{ url: () => apiUrl() + sandboxPaymentCallbacks, secrets: webhookSecrets }],
      stateFile: join(config.dataDir, 'payment-simulator.json'),
      log: (level, message, facts) => log[level]({ ...facts }, `payment simulator: ${message}`),
      ...options,
    });
  const port = paymentSimulatorPort(config);
  const chosen = config.paymentSimulatorPort !== null;
  return listening(start, { config, port, chosen, variable: 'PAYMENT_SIMULATOR_PORT' });
}

type Port = { config: Config; port: number; chosen: boolean; variable: string };

async function listening<T>(
  start: (port: number) => Promise<T>,
  { config: { host }, port, chosen, variable }: Port,
): Promise<T> {
  try {
    return await start(port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Nobody asked for this port: another will do, and everything in this process learns which.
    if (code === 'EADDRINUSE' && !chosen) return start(0);
    throw explainListen(error as NodeJS.ErrnoException, { host, port, variable });
  }
}

/** The provider asks before it calls back; here a refusal is told and keeps nothing from working. */
export async function greetCallbacks(simulator: Simulator, log: Log): Promise<void> {
  if (!(await simulator.control.verifyCallback()))
    log.warn('simulator: nobody at the callback address knows the verify token');
}
