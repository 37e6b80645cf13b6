// What the form says beside the text people agree to, in every language it knows.
import type { PageLanguage } from '../../../platform/http/operations/html-answer.ts';

export type FieldName = 'phone' | 'name' | 'agreed';
export type Notice = 'early' | 'stale' | 'challenge' | 'limited' | 'failed';

export type Texts = {
  title(organization: string): string;
  intro: string;
  phone: string;
  phoneHint: string;
  /** For links that take numbers without a country code. */
  phoneHintAt(country: string): string;
  name: string;
  send: string;
  trap: string;
  problem: string;
  errors: Record<FieldName, string>;
  notices: Record<Notice, string>;
  noScript: string;
  solving: string;
  solved: string;
  thanks: string;
  recorded(organization: string, phone: string): string;
  agreedTo: string;
  confirm: string;
  confirmBy(text: string): string;
  receipt: string;
  receiptHint: string;
  another: string;
  missing: string;
  missingHint: string;
  wrong: string;
};

export const texts: Record<PageLanguage, Texts> = {
  en: {
    title: (organization) => `Messages from ${organization} on WhatsApp`,
    intro: 'Tell us your number to agree. To stop the messages at any time, answer one of them with STOP.',
    phone: 'WhatsApp number',
    phoneHint: 'With its country code, such as +33 6 12 34 56 78',
    phoneHintAt: (country) =>
      `As you dial it in ${country}, or with its country code, such as +33 6 12 34 56 78`,
    name: 'Your name (optional)',
    send: 'Agree and send',
    trap: 'Leave this field empty',
    problem: 'There is a problem',
    errors: {
      phone: 'Enter a phone number that exists, such as +33 6 12 34 56 78',
      name: 'Enter your name without special characters, in at most 200 letters',
      agreed: 'Tick the box if you agree; nothing is recorded otherwise',
    },
    notices: {
      early: 'That was faster than people usually are. Please send the form once more.',
      stale: 'This form was open for too long. Please check what you entered and send it again.',
      challenge:
        'Many forms were sent from your network. Your browser has to do a small calculation first; then send the form again.',
      limited: 'Too many forms were sent. Please try again later.',
      failed: 'The form could not be recorded right now. Please send it again in a moment.',
    },
    noScript: 'That needs JavaScript. Where it is switched off, please try again in 10 minutes.',
    solving: 'Calculating…',
    solved: 'Done. You can send the form now.',
    thanks: 'Thank you',
    recorded: (organization, phone) => `It is recorded that ${organization} may write to ${phone}.`,
    agreedTo: 'You agreed to this:',
    confirm:
      'Did you once ask us to stop writing to you? Then we only write again when you confirm it from your own phone:',
    confirmBy: (text) => `Send “${text}” by WhatsApp`,
    receipt: 'Your receipt',
    receiptHint: 'Keep this text: it proves what you agreed to, and when.',
    another: 'Fill in the form again',
    missing: 'This form is not available',
    missingHint: 'The address may be incomplete, or the form is closed.',
    wrong: 'That did not work',
  },
  fr: {
    title: (organization) => `Messages de ${organization} sur WhatsApp`,
    intro:
      'Indiquez votre numéro pour donner votre accord. Pour arrêter les messages à tout moment, répondez STOP à l’un d’eux.',
    phone: 'Numéro WhatsApp',
    phoneHint: 'Avec l’indicatif du pays, par exemple +33 6 12 34 56 78',
    phoneHintAt: (country) =>
      `Tel qu’on le compose en ${country}, ou avec l’indicatif du pays, par exemple +33 6 12 34 56 78`,
    name: 'Votre nom (facultatif)',
    send: 'Accepter et envoyer',
    trap: 'Laissez ce champ vide',
    problem: 'Il y a un problème',
    errors: {
      phone: 'Indiquez un numéro de téléphone qui existe, par exemple +33 6 12 34 56 78',
      name: 'Indiquez votre nom sans caractères spéciaux, en 200 lettres au plus',
      agreed: 'Cochez la case si vous êtes d’accord ; sans cela, rien n’est enregistré',
    },
    notices: {
      early: 'C’était plus rapide que d’habitude. Veuillez envoyer le formulaire encore une fois.',
      stale: 'Ce formulaire est resté ouvert trop longtemps. Vérifiez vos réponses et envoyez-le à nouveau.',
      challenge:
        'De nombreux formulaires ont été envoyés depuis votre réseau. Votre navigateur doit d’abord faire un petit calcul ; envoyez ensuite le formulaire à nouveau.',
      limited: 'Trop de formulaires ont été envoyés. Veuillez réessayer plus tard.',
      failed: 'Le formulaire n’a pas pu être enregistré. Veuillez l’envoyer à nouveau dans un instant.',
    },
    noScript: 'Cela demande JavaScript. S’il est désactivé, veuillez réessayer dans 10 minutes.',
    solving: 'Calcul en cours…',
    solved: 'Terminé. Vous pouvez envoyer le formulaire.',
    thanks: 'Merci',
    recorded: (organization, phone) => `Il est enregistré que ${organization} peut écrire au ${phone}.`,
    agreedTo: 'Vous avez accepté ceci :',
    confirm:
      'Nous aviez-vous demandé d’arrêter de vous écrire ? Nous ne reprendrons que si vous le confirmez depuis votre téléphone :',
    confirmBy: (text) => `Envoyer « ${text} » par WhatsApp`,
    receipt: 'Votre reçu',
    receiptHint: 'Conservez ce texte : il prouve ce que vous avez accepté, et quand.',
    another: 'Remplir le formulaire à nouveau',
    missing: 'Ce formulaire n’est pas disponible',
    missingHint: 'L’adresse est peut-être incomplète, ou le formulaire est fermé.',
    wrong: 'Cela n’a pas fonctionné',
  },
};
