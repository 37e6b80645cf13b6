// What the sandbox's provider and this service must agree on. Both follow from the master key: nothing is configured and
// nothing stored, and every process of an installation knows the same.
import type { Sealer } from '../platform/sealing.ts';

export type SimulatorSecrets = { appSecret: string; verifyToken: string };

export function simulatorSecrets(sealer: Sealer): SimulatorSecrets {
  return {
    appSecret: sealer.derive('simulator app secret').toString('hex'),
    verifyToken: sealer.derive('simulator verify token').toString('hex'),
  };
}
