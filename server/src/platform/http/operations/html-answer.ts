// Pages that an operation answers browsers with: made for the one who asks, in their language. Nothing is loaded from elsewhere, nobody may frame them, no search engine lists them, and their forms post to this service only.
import { createHash } from 'node:crypto';
import { safeHeaders } from '../html.ts';
import type { AnswerHeaders } from './answer-headers.ts';
import { Answer } from './operation.ts';

export type PageLanguage = 'en' | 'fr';

type HtmlPage = {
  language: PageLanguage;
  /** The whole document. */
  html: string;
  /** The text of its one style element. */
  style: string;
  /** Whether it has a script, which is a page of ours too. Others run none. */
  hasScript?: boolean;
};

const htmlType = 'text/html';

// There are few styles, and each is shown many times.
const digests = new Map<string, string>();

function digestOf(style: string): string {
  const digest = digests.get(style) ?? createHash('sha256').update(style).digest('base64');
  digests.set(style, digest);
  return digest;
}

export function htmlAnswer(
  status: number,
  { language, html, style, hasScript = false }: HtmlPage,
): Answer<string> {
  const digest = digestOf(style);
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${digest}'`,
    ...(hasScript ? ["script-src 'self'"] : []),
    'img-src data:',
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
  return new Answer(status, html, {
    ...safeHeaders,
    'content-type': `${htmlType}; charset=utf-8`,
    'content-language': language,
    'content-security-policy': policy,
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
    vary: 'accept, accept-language',
  });
}

export const isHtml = ({ headers }: { headers: AnswerHeaders }): boolean =>
  String(headers['content-type'] ?? '').startsWith(htmlType);

/** Browsers say so first of all; programs take anything or ask for JSON. */
export const wantsHtml = (accept: string | undefined): boolean => accept?.includes(htmlType) ?? false;

type Asking = { method: string; headers: Record<string, string | string[] | undefined> };

/** Whoever posts a form is a browser, whatever it says it accepts; whoever posts anything else is none. */
export const wantsPage = ({ method, headers }: Asking): boolean =>
  method === 'GET' || method === 'HEAD' ? wantsHtml(String(headers.accept ?? '')) : postsForm(headers);

export const formType = 'application/x-www-form-urlencoded';

export const postsForm = (headers: Asking['headers']): boolean =>
  String(headers['content-type'] ?? '')
    .split(';')[0]!
    .trim()
    .toLowerCase() === formType;

/** The one of our languages that a browser likes best, by the order and weights of Accept-Language; English without any. */
export function languageOf(acceptLanguage: string | undefined): PageLanguage {
  const liked = (acceptLanguage ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const weight = parameters.find((text) => text.startsWith('q='))?.slice(2);
      return { tag: tag.split('-')[0], weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ tag, weight }) => (tag === 'en' || tag === 'fr') && weight > 0)
    .sort((a, b) => b.weight - a.weight);
  return liked[0]?.tag === 'fr' ? 'fr' : 'en';
}
