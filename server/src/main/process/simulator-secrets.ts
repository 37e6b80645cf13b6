// What the sandbox's provider and this service must agree on. Both follow from the master key: nothing is configured and
// nothing stored, and every process of an installation knows the same.
import { simulatorAppId } from '@godwit/simulator';
import type { Sealer } from '../../platform/sealing.ts';
import type { Config } from '../settings.ts';
import { existingSealer } from './master-key.ts';

export type SimulatorSecrets = { appSecret: string; verifyToken: string };

export function simulatorSecrets(sealer: Sealer): SimulatorSecrets {
  return {
    appSecret: sealer.derive('simulator app secret').toString('hex'),
    verifyToken: sealer.derive('simulator verify token').toString('hex'),
  };
}

export type PaymentSimulatorSecrets = { secretKey: string; webhookSecrets: string[] };

export function paymentSimulatorSecrets(sealer: Sealer): PaymentSimulatorSecrets {
  return {
    secretKey: `sk_test_${sealer.derive('payment simulator key').toString('hex')}`,
    webhookSecrets: [`whsec_${sealer.derive('payment simulator webhooks').toString('hex')}`],
  };
}

/** For whoever has the master key: with these a receiver of one's own verifies the sandbox's callbacks. */
export async function sandboxSecrets({ masterKey, dataDir }: Config, json: boolean): Promise<string> {
  const secrets = {
    appId: simulatorAppId,
    ...simulatorSecrets(await existingSealer(masterKey, dataDir)),
  };
  if (json) return JSON.stringify(secrets);
  const rows = [
    ['App id', secrets.appId],
    ['App secret', secrets.appSecret],
    ['Verify token', secrets.verifyToken],
  ];
  return rows.map(([name, value]) => `${name!.padEnd(14)}${value}`).join('\n');
}
