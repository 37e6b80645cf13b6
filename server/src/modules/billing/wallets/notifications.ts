// What people are told of wallets: that little is left, and that nothing is sent on credit any more.
import { type NotificationType, notifyOf } from '../../../platform/notifications.ts';
import { walletEvents } from './events.ts';

const category = 'billing';
const to = { scope: 'billing:read' };

export const walletNotifications: NotificationType[] = [
  notifyOf(walletEvents.low_balance, {
    category,
    texts: {
      en: ({ resource }) => ({
        title: 'Little is left in a wallet',
        body: `What the wallet ${resource} can spend fell below the threshold that was set for it. Messages are refused when nothing is left.`,
      }),
      fr: ({ resource }) => ({
        title: 'Le solde d’un portefeuille est bas',
        body: `Ce que le portefeuille ${resource} peut dépenser est passé sous le seuil fixé. Les messages sont refusés lorsqu’il ne reste rien.`,
      }),
    },
    notice: ({ id }) => ({ to, resource: id }),
  }),
  notifyOf(walletEvents.status_changed, {
    category,
    name: 'wallet.suspended',
    texts: {
      en: ({ resource }) => ({
        title: 'A wallet was suspended',
        body: `An invoice was not paid. The wallet ${resource} spends what it holds, and nothing on credit.`,
      }),
      fr: ({ resource }) => ({
        title: 'Un portefeuille a été suspendu',
        body: `Une facture n’a pas été payée. Le portefeuille ${resource} dépense ce qu’il contient, et rien à crédit.`,
      }),
    },
    notice: ({ id, billingStatus }) => (billingStatus === 'active' ? null : { to, resource: id }),
  }),
];
