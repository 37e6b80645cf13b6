// How a mail looks: plain words, laid out as text and as HTML. What it says is written by the module that sends it.
import { escapeHtml } from '../../platform/http/html.ts';

export type MailLocale = 'en' | 'fr';
export type MailText = { subject: string; lines: string[]; action?: string; after?: string[] };
export type Composed = { subject: string; text: string; html: string };

const greeting = (locale: MailLocale, name: string | null) => {
  const hello = locale === 'fr' ? 'Bonjour' : 'Hello';
  return name === null ? `${hello},` : `${hello} ${name},`;
};

/** Plain words as a letter: greeted, and dressed for those who read HTML. */
export function layOutMail(
  locale: MailLocale,
  name: string | null,
  { subject, lines, action, after = [] }: MailText,
  url: string | null = null,
): Composed {
  const hello = greeting(locale, name);
  const link = url && action ? { url, label: action } : null;
  const text = [hello, ...lines, ...(link ? [`${link.label}:\n${link.url}`] : []), ...after].join('\n\n');
  const paragraphs = [
    ...[hello, ...lines].map(escapeHtml),
    ...(link ? [`<a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a>`] : []),
    ...after.map(escapeHtml),
  ];
  const html = `<!doctype html><html lang="${locale}"><meta charset="utf-8"><title>${escapeHtml(subject)}</title>\n${paragraphs
    .map((paragraph) => `<p>${paragraph}</p>`)
    .join('\n')}\n</html>\n`;
  return { subject: oneLine(subject), text: `${text}\n`, html };
}

/** What stands in a header stays one line, whatever an organization or a person calls itself. */
export const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
