import { declareEvents } from '../../../platform/events.ts';
import { WalletResource, walletSample } from './schema.ts';

export const walletEvents = declareEvents('wallet', WalletResource, walletSample, {
  status_changed: {
    since: '2026-08-21',
    description:
      'A wallet was suspended or made active again, or collecting what it owes came to another state.',
    sample: { billingStatus: 'suspended', dunningState: 'exhausted' },
  },
});
