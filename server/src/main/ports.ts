// Connects the outside world to the features that need it.
import { createMailer } from '../adapters/email/mailer.ts';
import { readCallback } from '../adapters/whatsapp/from-wire/read-callback.ts';
import { createProvider } from '../adapters/whatsapp/provider.ts';
import type { Config } from '../platform/config.ts';
import { createOutbound } from '../platform/outbound.ts';
import type { Ports } from '../platform/ports.ts';
import type { Sealer } from '../platform/sealing.ts';
import { simulatorSecrets } from './simulator-secrets.ts';

export function connectPorts(config: Config, sealer: Sealer): Ports {
  return {
    outbound: createOutbound({ allowPrivate: config.allowPrivateWebhooks }),
    liveOutbound: createOutbound(),
    mailer: createMailer(config),
    provider: createProvider(),
    providerCallbacks: {
      secrets: { live: liveSecrets(config), sandbox: simulatorSecrets(sealer) },
      read: readCallback,
    },
  };
}

function liveSecrets({ providerAppSecret: appSecret, providerVerifyToken: verifyToken }: Config) {
  return appSecret !== null && verifyToken !== null ? { appSecret, verifyToken } : null;
}
