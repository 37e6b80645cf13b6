// What people are told of business accounts: that the provider restricts, disables or has let go of one.
import type { TenantTx } from '../../platform/db/database.ts';
import { type NotificationType, notifyBy, notifyOf } from '../../platform/notifications.ts';
import { notify } from '../notifications/index.ts';
import type { Seen } from './connection-states.ts';
import { wabaEvents } from './events.ts';

const category = 'sender_health';
const to = { scope: 'wabas:write' };

const restricted = notifyBy('waba.restricted', {
  category,
  texts: {
    en: ({ resource }) => ({
      title: 'A business account was restricted',
      body: `The provider restricts what the business account ${resource} may send. Its restrictions say what, and until when.`,
    }),
    fr: ({ resource }) => ({
      title: 'Un compte professionnel a été restreint',
      body: `Le fournisseur restreint ce que le compte professionnel ${resource} peut envoyer. Ses restrictions disent quoi, et jusqu'à quand.`,
    }),
  },
});

const banScheduled = notifyBy('waba.ban_scheduled', {
  category,
  texts: {
    en: ({ resource }) => ({
      title: 'A business account is about to be disabled',
      body: `The provider announced that it will disable the business account ${resource}. Ask it for a review before that.`,
    }),
    fr: ({ resource }) => ({
      title: 'Un compte professionnel va être désactivé',
      body: `Le fournisseur a annoncé qu'il désactivera le compte professionnel ${resource}. Demandez-lui un réexamen avant.`,
    }),
  },
});

const disabled = notifyBy('waba.disabled', {
  category,
  texts: {
    en: ({ resource }) => ({
      title: 'A business account was disabled',
      body: `The provider disabled the business account ${resource}: none of its senders can send.`,
    }),
    fr: ({ resource }) => ({
      title: 'Un compte professionnel a été désactivé',
      body: `Le fournisseur a désactivé le compte professionnel ${resource} : aucun de ses expéditeurs ne peut envoyer.`,
    }),
  },
});

const reviewRejected = notifyBy('waba.review_rejected', {
  category,
  texts: {
    en: ({ resource }) => ({
      title: 'A business account was rejected',
      body: `The provider reviewed the business account ${resource} and rejected it.`,
    }),
    fr: ({ resource }) => ({
      title: 'Un compte professionnel a été refusé',
      body: `Le fournisseur a examiné le compte professionnel ${resource} et l'a refusé.`,
    }),
  },
});

const disconnected = notifyOf(wabaEvents.disconnected, {
  category,
  texts: {
    en: ({ resource }) => ({
      title: 'A business account was disconnected',
      body: `The connection to the business account ${resource} ended: nothing can be sent from it.`,
    }),
    fr: ({ resource }) => ({
      title: 'Un compte professionnel a été déconnecté',
      body: `La connexion au compte professionnel ${resource} a pris fin : rien ne peut en être envoyé.`,
    }),
  },
  notice: ({ sid }) => ({ to, resource: sid }),
});

const tokenRefused = notifyBy('waba.token_refused', {
  category,
  texts: {
    en: ({ resource }) => ({
      title: 'A business account must be connected anew',
      body: `The provider refuses the token of the business account ${resource}: nothing can be sent from it until it is connected anew.`,
    }),
    fr: ({ resource }) => ({
      title: 'Un compte professionnel doit être reconnecté',
      body: `Le fournisseur refuse le jeton du compte professionnel ${resource} : rien ne peut en être envoyé tant qu'il n'est pas reconnecté.`,
    }),
  },
});

const subscriptionMissing = notifyBy('waba.subscription_missing', {
  category,
  texts: {
    en: ({ resource }) => ({
      title: 'Events of a business account do not come',
      body: `The provider does not tell us of the business account ${resource}: answers and delivery reports are missing. Reconcile its subscription.`,
    }),
    fr: ({ resource }) => ({
      title: "Les événements d'un compte professionnel n'arrivent pas",
      body: `Le fournisseur ne nous dit rien du compte professionnel ${resource} : réponses et accusés manquent. Rétablissez son abonnement.`,
    }),
  },
});

export const wabaNotifications: NotificationType[] = [
  tokenRefused,
  subscriptionMissing,
  restricted,
  banScheduled,
  disabled,
  reviewRejected,
  disconnected,
];

/** What was last seen of a connection became worse. */
export function tellOfConnection(t: TenantTx, resource: string, before: Seen, after: Seen): void {
  if (after.token === 'INVALID' && before.token !== 'INVALID') notify(t, tokenRefused, { to, resource });
  if (after.subscription === 'MISSING' && before.subscription !== 'MISSING')
    notify(t, subscriptionMissing, { to, resource });
}

type Standing = {
  sid: string;
  banState: string;
  reviewStatus: string | null;
  restrictions: readonly { type: string }[];
};

/** The worst of what the provider said at once. */
export function tellIfWorse(t: TenantTx, before: Standing, after: Standing): void {
  const known = new Set(before.restrictions.map(({ type }) => type));
  const became = (banState: string) => after.banState === banState && before.banState !== banState;
  const happened: [boolean, NotificationType][] = [
    [became('DISABLED'), disabled],
    [became('SCHEDULED') && before.banState === 'NONE', banScheduled],
    [after.restrictions.some(({ type }) => !known.has(type)), restricted],
    [after.reviewStatus === 'REJECTED' && before.reviewStatus !== 'REJECTED', reviewRejected],
  ];
  const worst = happened.find(([is]) => is)?.[1];
  if (worst) notify(t, worst, { to, resource: after.sid });
}
