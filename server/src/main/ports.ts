// Connects the outside world to the features that need it.
import { createMailer } from '../adapters/email/mailer.ts';
import { createProvider } from '../adapters/whatsapp/provider.ts';
import type { Config } from '../platform/config.ts';
import { createOutbound } from '../platform/outbound.ts';
import type { Ports } from '../platform/ports.ts';

export function connectPorts(config: Config): Ports {
  return {
    outbound: createOutbound({ allowPrivate: config.allowPrivateWebhooks }),
    mailer: createMailer(config),
    provider: createProvider(),
  };
}
