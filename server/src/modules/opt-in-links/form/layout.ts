// What all pages of the form have in common. They are whole without script and load nothing but one script of ours, on the page
// that asks for a proof of work.
import { readFileSync } from 'node:fs';
import { escapeHtml } from '../../../platform/http/html.ts';
import { htmlAnswer, type PageLanguage } from '../../../platform/http/operations/html-answer.ts';
import type { Answer } from '../../../platform/http/operations/operation.ts';
import { type Page, pageHead } from '../../../platform/http/pages.ts';

export const solvePath = '/opt-in/solve.js';

export const optInPages: Page[] = [
  { path: solvePath, script: readFileSync(new URL('solve.js', import.meta.url), 'utf8') },
];

const style = `
:root { color-scheme: light dark; --line: #767d7a; --quiet: #4f5653; --accent: #0f766e; --on-accent: #fff; --bad: #a32020; --ink: #1a1d1c; --paper: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --line: #8b9490; --quiet: #b4bcb8; --accent: #4fd1c1; --on-accent: #06231f; --bad: #ff9c9c; --ink: #eceeed; --paper: #161a19; }
}
*, ::before, ::after { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); }
body { max-width: 34rem; margin: 0 auto; padding: 1.5rem 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 0; font-size: 1.1rem; }
form { display: grid; gap: 1.25rem; }
.field label { display: block; font-weight: 600; }
.hint { margin: 0; color: var(--quiet); }
.field input { width: 100%; min-height: 2.75rem; padding: 0.5rem 0.7rem; border: 1px solid var(--line); border-radius: 6px; font: inherit; }
[aria-invalid=true] { border: 2px solid var(--bad); outline-color: var(--bad); }
.tick { display: grid; grid-template-columns: auto 1fr; gap: 0.75rem; align-items: start; }
.tick input { width: 1.5rem; height: 1.5rem; margin: 0; }
.wording { white-space: pre-wrap; }
.error { margin: 0; color: var(--bad); font-weight: 600; }
.trap { position: absolute; left: -10000px; }
button, .button { display: inline-block; min-height: 2.75rem; padding: 0.6rem 1.2rem; border: 0; border-radius: 6px; background: var(--accent);
  color: var(--on-accent); font: inherit; font-weight: 600; text-decoration: none; cursor: pointer; }
.notice { margin: 0 0 1.25rem; padding: 0.75rem 1rem; border: 2px solid var(--bad); border-radius: 6px; }
.notice p, .notice ul { margin: 0.25rem 0; }
.notice a { color: var(--bad); }
blockquote { margin: 0 0 1rem; padding-left: 1rem; border-left: 4px solid var(--accent); }
a { color: var(--accent); }
.button:where(a) { color: var(--on-accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;

type Layout = { language: PageLanguage; title: string; body: string; hasScript?: boolean };

export const layOut = ({ language, title, body, hasScript = false }: Layout): string => `<!doctype html>
<html lang="${language}">
<head>
${pageHead(title)}
<style>${style}</style>${hasScript ? `\n<script src="${solvePath}" defer></script>` : ''}
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;

/** A page as it is answered. */
export const answerWith = (
  status: number,
  language: PageLanguage,
  html: string,
  hasScript = false,
): Answer<string> => htmlAnswer(status, { language, html, style, hasScript });

export const text = escapeHtml;
