// A development switch: what sandboxes call may be on this machine or a private network, also over http. Never live.
import { type Variable, words } from '../../platform/config.ts';

export const webhookVariables = {
  allowPrivateWebhooks: {
    name: 'ALLOW_PRIVATE_WEBHOOKS',
    fallback: 'false',
    means:
      'true lets what sandboxes call (webhooks, media, identity providers) reach loopback, private addresses and http; never live; for development',
    read: (text) => words('true', 'false')(text) === 'true',
  },
} satisfies Record<string, Variable<unknown>>;
