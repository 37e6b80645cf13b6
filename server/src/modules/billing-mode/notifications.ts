// What people are told of billing modes: that terms wait for an owner, and who pays the provider from now on.
import { type NotificationType, notifyOf } from '../../platform/notifications.ts';
import { billingModeEvents } from './events.ts';
import type { BillingModeResource } from './schema.ts';

const about = (scope: string) => (data: BillingModeResource) => ({ to: { scope }, resource: data.wabaSid });

export const billingModeNotifications: NotificationType[] = [
  notifyOf(billingModeEvents.acceptance_required, {
    category: 'action_required',
    texts: {
      en: ({ resource }) => ({
        title: 'Billing terms wait for an owner',
        body: `An owner can accept the terms under which the messages of the business account ${resource} are billed through this platform. Nothing changes until then.`,
      }),
      fr: ({ resource }) => ({
        title: 'Des conditions de facturation attendent un propriétaire',
        body: `Un propriétaire peut accepter les conditions selon lesquelles les messages du compte professionnel ${resource} sont facturés par cette plateforme. Rien ne change d'ici là.`,
      }),
    },
    notice: about('billing_mode:accept'),
  }),
  notifyOf(billingModeEvents.activated, {
    category: 'billing',
    texts: {
      en: ({ resource }) => ({
        title: 'A business account is billed through this platform',
        body: `What the provider bills for the business account ${resource} is now charged to the wallet.`,
      }),
      fr: ({ resource }) => ({
        title: 'Un compte professionnel est facturé par cette plateforme',
        body: `Ce que le fournisseur facture pour le compte professionnel ${resource} est désormais débité du portefeuille.`,
      }),
    },
    notice: about('billing:read'),
  }),
  notifyOf(billingModeEvents.switch_failed, {
    category: 'billing',
    texts: {
      en: ({ resource }) => ({
        title: 'A change of billing mode failed',
        body: `The billing mode of the business account ${resource} stays as it was. Its switch says why.`,
      }),
      fr: ({ resource }) => ({
        title: 'Un changement de mode de facturation a échoué',
        body: `Le mode de facturation du compte professionnel ${resource} reste le même. Le changement dit pourquoi.`,
      }),
    },
    notice: about('billing:read'),
  }),
  notifyOf(billingModeEvents.revert_failed, {
    category: 'billing',
    texts: {
      en: ({ resource }) => ({
        title: 'A billing mode could not be taken back',
        body: `The provider refused to take the credit line from the business account ${resource}. It is still billed through this platform.`,
      }),
      fr: ({ resource }) => ({
        title: "Un mode de facturation n'a pas pu être annulé",
        body: `Le fournisseur a refusé de retirer la ligne de crédit au compte professionnel ${resource}. Il reste facturé par cette plateforme.`,
      }),
    },
    notice: about('billing:read'),
  }),
  notifyOf(billingModeEvents.reverted, {
    category: 'billing',
    texts: {
      en: ({ resource }) => ({
        title: 'A business account pays the provider itself',
        body: `The credit line was taken from the business account ${resource}: the provider bills the business itself. Without a payment method there its messages fail.`,
      }),
      fr: ({ resource }) => ({
        title: 'Un compte professionnel paie lui-même le fournisseur',
        body: `La ligne de crédit a été retirée au compte professionnel ${resource} : le fournisseur facture l'entreprise elle-même. Sans moyen de paiement, ses messages échouent.`,
      }),
    },
    notice: about('billing:read'),
  }),
];
