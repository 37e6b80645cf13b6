// Pages that people are sent to: plain HTML, no script. What comes from outside is text in them.
import type { FastifyReply } from 'fastify';
import { asHtml } from './html.ts';

const headers = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const style = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
main{max-width:28rem;margin:2rem auto;padding:0 1rem}
.note{border-left:.25rem solid #8888;padding-left:.75rem}
.error{border:2px solid #c62828;border-radius:.25rem;padding:.5rem .75rem}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.25rem 0}td:last-child,th:last-child{text-align:right}
label{display:block;margin-top:1rem;font-weight:600}
input{font:inherit;width:100%;box-sizing:border-box;padding:.5rem}
input[type=radio]{width:auto}
.row{display:flex;gap:1rem}.row>div{flex:1}
.mistake{color:#c62828;margin:.25rem 0 0}
@media (prefers-color-scheme:dark){.mistake{color:#ff8a80}}
button{font:inherit;font-weight:600;padding:.6rem 1.2rem;margin-top:1.25rem}
:focus-visible{outline:3px solid #1565c0;outline-offset:2px}`;

/** `note` says that all this is simulated. */
export const hostedPage = (title: string, body: string, note: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${asHtml(title)}</title><style>${style}</style></head>
<body><main>
${body}
<p class="note">${asHtml(note)}</p>
</main></body></html>
`;

export const showPage = (reply: FastifyReply, status: number, page: string) =>
  reply.code(status).headers(headers).type('text/html; charset=utf-8').send(page);

export const goTo = (reply: FastifyReply, url: string) => reply.headers(headers).redirect(url, 303);
