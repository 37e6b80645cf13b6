// The pages behind the links in mails: what would be turned off and the button that does it, that it is off, and that the link is
// none of ours. They need no script.
import { escapeHtml, plainPage } from '../../../platform/http/html.ts';
import type { NotificationCategory } from '../../../platform/notification-categories.ts';
import type { NotificationLocale } from '../../../platform/notifications.ts';
import { categoryNames } from '../category-names.ts';

type Texts = { title: string; lines: string[]; button?: string };

const style = `
:root { color-scheme: light dark; --accent: #0f766e; }
@media (prefers-color-scheme: dark) { :root { --accent: #4fd1c1; } }
body { max-width: 34rem; margin: 3rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
button { padding: 0.6rem 1rem; border: 2px solid var(--accent); border-radius: 6px; color: inherit; background: none; font: inherit; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
`;

/** The form posts to the address of the page itself, as a mail program would. */
function page(language: NotificationLocale, { title, lines, button }: Texts) {
  const form = button
    ? [
        `<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>${escapeHtml(button)}</button></form>`,
      ]
    : [];
  const body = [...lines.map((line) => `<p>${escapeHtml(line)}</p>`), ...form].join('\n');
  return { language, html: plainPage({ language, title, style, body }), style };
}

export function endPage(language: NotificationLocale, categories: readonly NotificationCategory[]) {
  const about = categoryNames(language, categories);
  return page(
    language,
    language === 'fr'
      ? {
          title: 'Ne plus recevoir ces e-mails',
          lines: [
            `Les e-mails concernés sont ceux sur ${about}. Rien ne change tant que vous n'appuyez pas sur le bouton.`,
          ],
          button: 'Ne plus recevoir ces e-mails',
        }
      : {
          title: 'Stop these mails',
          lines: [`This is about mail on ${about}. Nothing changes until you press the button.`],
          button: 'Stop these mails',
        },
  );
}

export function endedPage(language: NotificationLocale, categories: readonly NotificationCategory[]) {
  const about = categoryNames(language, categories);
  return page(
    language,
    language === 'fr'
      ? {
          title: 'Vous ne recevrez plus ces e-mails',
          lines: [
            `Les e-mails sur ${about} sont désactivés.`,
            'Les notifications elles-mêmes restent visibles ; vos préférences de notification permettent de réactiver les e-mails.',
          ],
        }
      : {
          title: 'You get no more of these mails',
          lines: [
            `Mail on ${about} is off.`,
            'The notifications themselves stay where they are; your notification preferences turn the mail on again.',
          ],
        },
  );
}

export const unknownPage = (language: NotificationLocale) =>
  page(
    language,
    language === 'fr'
      ? {
          title: 'Lien inconnu',
          lines: ["Ce lien n'existe pas. Peut-être est-il incomplet : copiez-le en entier."],
        }
      : {
          title: 'Unknown link',
          lines: ['There is no such link. Perhaps it is incomplete: copy all of it.'],
        },
  );
