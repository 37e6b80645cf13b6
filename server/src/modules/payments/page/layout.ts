// What somebody sees who follows a link that leads to no form: paid, too late, called off. Whole without script.
import { escapeHtml, plainPage } from '../../../platform/http/html.ts';
import { htmlAnswer, type PageLanguage } from '../../../platform/http/operations/html-answer.ts';
import type { Answer } from '../../../platform/http/operations/operation.ts';
import { type PageName, texts } from './texts.ts';

const style = `
:root { color-scheme: light dark; --accent: #0f766e; --on-accent: #fff; --ink: #1a1d1c; --paper: #fff; }
@media (prefers-color-scheme: dark) { :root { --accent: #4fd1c1; --on-accent: #06231f; --ink: #eceeed; --paper: #161a19; } }
html { background: var(--paper); color: var(--ink); }
body { max-width: 34rem; margin: 0 auto; padding: 1.5rem 1rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; }
.amount { font-size: 1.25rem; font-weight: 600; }
a { display: inline-block; padding: 0.6rem 1.2rem; border-radius: 6px; background: var(--accent); color: var(--on-accent); font-weight: 600; text-decoration: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;

type Shown = { amount?: string; link?: { href: string; says: 'pay' | 'again' } };

export function payPage(
  status: number,
  language: PageLanguage,
  name: PageName,
  { amount, link }: Shown = {},
): Answer<string> {
  const say = texts[language];
  const { title, text } = say[name];
  const body = [
    ...(amount ? [`<p class="amount">${escapeHtml(amount)}</p>`] : []),
    `<p id="${name}">${escapeHtml(text)}</p>`,
    ...(link
      ? [`<p><a href="${escapeHtml(link.href)}" rel="noreferrer">${escapeHtml(say[link.says])}</a></p>`]
      : []),
  ].join('\n');
  return htmlAnswer(status, { language, html: plainPage({ language, title, style, body }), style });
}
