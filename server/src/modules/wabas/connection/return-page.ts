// What people see who come back from the provider's signup: one page of text, without script, that names nobody and nothing.
import { escapeHtml, plainPage } from '../../../platform/http/html.ts';
import { htmlAnswer, type PageLanguage } from '../../../platform/http/operations/html-answer.ts';
import type { Outcome } from './return.ts';

type Words = { status: number; title: string; text: string };

const again = {
  en: 'Nothing has changed. The operation shows a new link, with which it can be tried again.',
  fr: "Rien n'a changé. L'opération montre un nouveau lien, avec lequel on peut réessayer.",
};

const words: Record<PageLanguage, Record<Outcome, Words>> = {
  en: {
    connected: {
      status: 200,
      title: 'The account is being connected',
      text: 'Thank you. You can close this page: the operation tells when the account is connected.',
    },
    canceled: { status: 200, title: 'You left the signup', text: again.en },
    late: { status: 409, title: 'That took too long', text: again.en },
    other_account: {
      status: 409,
      title: 'You chose another account',
      text: `This link is for one business account, and you chose another. It was not connected, and the access you gave was dropped. ${again.en}`,
    },
    failed: { status: 502, title: 'The signup did not work', text: again.en },
    unknown: {
      status: 400,
      title: 'This link does not work',
      text: 'It was used already, has expired, or never was one. Nothing has changed.',
    },
  },
  fr: {
    connected: {
      status: 200,
      title: 'Le compte est en cours de connexion',
      text: "Merci. Vous pouvez fermer cette page : l'opération dira quand le compte est connecté.",
    },
    canceled: { status: 200, title: "Vous avez quitté l'inscription", text: again.fr },
    late: { status: 409, title: 'Cela a pris trop de temps', text: again.fr },
    other_account: {
      status: 409,
      title: 'Vous avez choisi un autre compte',
      text: `Ce lien est fait pour un seul compte professionnel, et vous en avez choisi un autre. Il n'a pas été connecté, et l'accès donné a été abandonné. ${again.fr}`,
    },
    failed: { status: 502, title: "L'inscription n'a pas fonctionné", text: again.fr },
    unknown: {
      status: 400,
      title: 'Ce lien ne fonctionne pas',
      text: "Il a déjà servi, a expiré, ou n'en a jamais été un. Rien n'a changé.",
    },
  },
};

const style = `
:root { color-scheme: light dark; }
body { max-width: 34rem; margin: 3rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
`;

export function returnPage(language: PageLanguage, outcome: Outcome) {
  const { status, title, text } = words[language][outcome];
  const html = plainPage({ language, title, style, body: `<p>${escapeHtml(text)}</p>` });
  return htmlAnswer(status, { language, html, style });
}
