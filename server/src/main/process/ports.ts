// Connects the outside world to the features that need it.

import { join } from 'node:path';
import { sandboxPartner, simulatorAppId } from '@godwit/simulator';
import { createMailer } from '../../adapters/email/mailer.ts';
import { manualVendor } from '../../adapters/numbers/manual-vendor.ts';
import { simulatedVendor } from '../../adapters/numbers/simulated-vendor.ts';
import { createMediaScanner } from '../../adapters/scanner/media-scanner.ts';
import { simulatedPhones } from '../../adapters/simulator/phones.ts';
import { simulatedPeople } from '../../adapters/simulator/simulated-people.ts';
import { createMediaStore } from '../../adapters/storage/media-store.ts';
import { createPayments } from '../../adapters/stripe/payments.ts';
import { readCallback } from '../../adapters/whatsapp/from-wire/read-callback.ts';
import { openProbe } from '../../adapters/whatsapp/probe.ts';
import { createProvider } from '../../adapters/whatsapp/provider.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import type { Ports } from '../../platform/ports.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { createSpool } from '../../platform/spool.ts';
import type { Config } from '../settings.ts';
import { paymentSimulatorSecrets, simulatorSecrets } from './simulator-secrets.ts';

export function connectPorts(config: Config, sealer: Sealer): Ports {
  // Beside the default store, so that keeping a file is a rename.
  const spool = createSpool(join(config.dataDir, 'spool'));
  return {
    outbound: createOutbound({ allowPrivateAddresses: config.allowPrivateWebhooks }),
    mailer: createMailer(config),
    spool,
    mediaStore: createMediaStore(config, spool),
    mediaScanner: createMediaScanner(config),
    provider: createProvider(),
    openProbe,
    providerPartner: { live: livePartner(config), sandbox: sandboxPartner },
    sandboxPhones: simulatedPhones,
    numberVendors: { live: manualVendor, sandbox: simulatedVendor },
    simulatedPeople,
    providerCallbacks: {
      secrets: { live: liveSecrets(config), sandbox: simulatorSecrets(sealer) },
      read: readCallback,
    },
    providerApp: {
      live: liveApp(config),
      sandbox: { appId: simulatorAppId, appSecret: simulatorSecrets(sealer).appSecret },
    },
    payments: createPayments({
      live: { secretKey: config.paymentSecretKey, webhookSecrets: config.paymentWebhookSecrets },
      sandbox: paymentSimulatorSecrets(sealer),
    }),
  };
}

function livePartner({ partnerBusinessId: businessId, partnerAccessToken: accessToken }: Config) {
  return businessId !== null && accessToken !== null ? { businessId, accessToken } : null;
}

function liveApp({ providerAppId: appId, providerAppSecret: appSecret }: Config) {
  return appId !== null && appSecret !== null ? { appId, appSecret } : null;
}

function liveSecrets({ providerAppSecret: appSecret, providerVerifyToken: verifyToken }: Config) {
  return appSecret !== null && verifyToken !== null ? { appSecret, verifyToken } : null;
}
