import { declareEvents } from '../../../platform/events.ts';
import { WalletResource, walletSample } from './schema.ts';

export const walletEvents = declareEvents('wallet', WalletResource, walletSample, {
  low_balance: {
    since: '2026-08-21',
    description: 'What a wallet can spend fell below the threshold that was set for it.',
  },
  status_changed: {
    since: '2026-08-21',
    description:
      'A wallet was suspended or made active again, or collecting what it owes came to another state.',
    sample: { billingStatus: 'suspended', dunningState: 'exhausted' },
  },
});
