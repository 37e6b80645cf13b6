// What pages of ours have in common.

/** What every page and file of ours says: it is what it claims to be, and its address is told to nobody. */
export const safeHeaders = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

/** What every page with scripts of ours says of itself. */
export const pageHeaders = (policy: string) => ({
  ...safeHeaders,
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'publickey-credentials-create=(self), publickey-credentials-get=(self)',
  'cache-control': 'no-store',
});

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character]!);

const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0f766e"/><path d="M3 9q3-5 7-4l3-1-2 3q0 4-5 5l-1-2z" fill="#fff"/></svg>',
)}`;

export const head = (title: string) => `<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${icon}">`;

type PlainPage = { language: string; title: string; style: string; body: string };

/** A page of a heading and some text, without script; `body` is HTML. */
export const plainPage = ({ language, title, style, body }: PlainPage): string => `<!doctype html>
<html lang="${language}">
<head>
${head(title)}
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;
