// Pages for people, made of text: whatever is put in is shown as it is, never read as markup.

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const asHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (one) => entities[one]!);
export const row = (...cells: string[]): string =>
  `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
export const code = (text: string): string => `<code>${asHtml(text)}</code>`;

/** The page that shows what a simulator can do. */
export const overview = (title: string, body: string): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>body{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}td{border-top:1px solid #8884;padding:.25rem .75rem .25rem 0;vertical-align:top}
h2{margin-top:2rem}</style>
${body}
</html>
`;
