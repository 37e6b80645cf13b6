// What people are told by mail about their sign-in. Each text stands once per language, as lines of plain words.
import { type Composed, layOutMail, type MailLocale, type MailText } from '../../mails/index.ts';

export type MailKind = 'invitation' | 'password-reset' | 'password-changed' | 'mfa-removed';

export type MailFacts = {
  name: string | null;
  organization: string;
  /** Null where there is nothing to open. */
  link: string | null;
};

type Say = (facts: MailFacts) => MailText;

const texts: Record<MailLocale, Record<MailKind, Say>> = {
  en: {
    invitation: ({ organization }) => ({
      subject: `You are invited to ${organization}`,
      lines: [`You have been invited to ${organization} on Godwit.`],
      action: 'Accept the invitation and choose a password',
      after: ['The link works once, for 7 days. If you expected no invitation, ignore this mail.'],
    }),
    'password-reset': ({ organization }) => ({
      subject: 'Choose a new password',
      lines: [`Someone asked for a new password for your user at ${organization}.`],
      action: 'Choose a new password',
      after: ['The link works once, for one hour. If it was not you, ignore this mail: nothing has changed.'],
    }),
    'password-changed': ({ organization }) => ({
      subject: 'Your password was changed',
      lines: [
        `The password of your user at ${organization} was changed, and your other sessions were ended.`,
        'If it was not you, ask an administrator of your organization for help at once.',
      ],
    }),
    'mfa-removed': ({ organization }) => ({
      subject: 'Your second factors were removed',
      lines: [
        `The second factors of your user at ${organization} were removed with the recovery of your password.`,
        'Add a new one after you sign in. If it was not you, ask an administrator for help at once.',
      ],
    }),
  },
  fr: {
    invitation: ({ organization }) => ({
      subject: `Vous êtes invité à rejoindre ${organization}`,
      lines: [`Vous avez été invité à rejoindre ${organization} sur Godwit.`],
      action: "Accepter l'invitation et choisir un mot de passe",
      after: [
        "Le lien fonctionne une seule fois, pendant 7 jours. Si vous n'attendiez pas d'invitation, ignorez ce message.",
      ],
    }),
    'password-reset': ({ organization }) => ({
      subject: 'Choisissez un nouveau mot de passe',
      lines: [`Quelqu'un a demandé un nouveau mot de passe pour votre compte chez ${organization}.`],
      action: 'Choisir un nouveau mot de passe',
      after: [
        "Le lien fonctionne une seule fois, pendant une heure. Si ce n'était pas vous, ignorez ce message : rien n'a changé.",
      ],
    }),
    'password-changed': ({ organization }) => ({
      subject: 'Votre mot de passe a été modifié',
      lines: [
        `Le mot de passe de votre compte chez ${organization} a été modifié, et vos autres sessions ont été fermées.`,
        "Si ce n'était pas vous, demandez aussitôt l'aide d'un administrateur de votre organisation.",
      ],
    }),
    'mfa-removed': ({ organization }) => ({
      subject: 'Vos seconds facteurs ont été supprimés',
      lines: [
        `Les seconds facteurs de votre compte chez ${organization} ont été supprimés lors de la récupération du mot de passe.`,
        "Ajoutez-en un nouveau après votre connexion. Si ce n'était pas vous, demandez aussitôt l'aide d'un administrateur.",
      ],
    }),
  },
};

export function composeMail(kind: MailKind, locale: MailLocale, facts: MailFacts): Composed {
  return layOutMail(locale, facts.name, texts[locale][kind](facts), facts.link);
}
