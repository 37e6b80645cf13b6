import type { PageLanguage } from '../../../platform/http/operations/html-answer.ts';

export type PageName =
  | 'open'
  | 'processing'
  | 'paid'
  | 'expired'
  | 'canceled'
  | 'failed'
  | 'unavailable'
  | 'missing';
type Words = { title: string; text: string };
type Texts = Record<PageName, Words> & { pay: string; again: string };

export const texts: Record<PageLanguage, Texts> = {
  en: {
    open: { title: 'Not paid yet', text: 'Nothing was charged. You can still pay.' },
    processing: {
      title: 'Payment on its way',
      text: 'You have done everything. Your bank needs a little longer; there is no need to pay again.',
    },
    paid: {
      title: 'Paid',
      text: 'Thank you. The payment has arrived, and nobody can be charged by this link again.',
    },
    expired: { title: 'This link has expired', text: 'Nothing was charged. Ask for a new link to pay.' },
    canceled: {
      title: 'This payment was called off',
      text: 'Nothing was charged, and nothing is to be paid here.',
    },
    failed: { title: 'The payment failed', text: 'Nothing was charged. Ask for a new link to pay.' },
    unavailable: {
      title: 'The payment page is not ready',
      text: 'Nothing was charged. Try again in a moment.',
    },
    missing: {
      title: 'There is nothing here',
      text: 'The link is not one of ours, or was not copied whole.',
    },
    pay: 'Pay now',
    again: 'Try again',
  },
  fr: {
    open: { title: 'Pas encore payé', text: "Rien n'a été débité. Vous pouvez encore payer." },
    processing: {
      title: 'Paiement en cours',
      text: 'Tout est fait de votre côté. Votre banque a besoin de quelques instants ; inutile de payer à nouveau.',
    },
    paid: { title: 'Payé', text: 'Merci. Le paiement est arrivé, et ce lien ne peut plus débiter personne.' },
    expired: { title: 'Ce lien a expiré', text: "Rien n'a été débité. Demandez un nouveau lien pour payer." },
    canceled: {
      title: 'Ce paiement a été annulé',
      text: "Rien n'a été débité, et il n'y a rien à payer ici.",
    },
    failed: {
      title: 'Le paiement a échoué',
      text: "Rien n'a été débité. Demandez un nouveau lien pour payer.",
    },
    unavailable: {
      title: "La page de paiement n'est pas prête",
      text: "Rien n'a été débité. Réessayez dans un instant.",
    },
    missing: {
      title: "Il n'y a rien ici",
      text: "Ce lien n'est pas des nôtres, ou n'a pas été copié en entier.",
    },
    pay: 'Payer maintenant',
    again: 'Réessayer',
  },
};
