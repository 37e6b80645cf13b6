// The pages before which there was a form, and those that stand in for one.
import type { ApiError } from '../../../platform/errors/errors.ts';
import type { PageLanguage } from '../../../platform/http/operations/html-answer.ts';
import type { FormLink } from '../find-link.ts';
import type { OptInReceipt } from '../schema.ts';
import { layOut, text } from './layout.ts';
import { texts } from './texts.ts';

/** Without an answer it is what a program sees that filled in what people cannot see. */
export function thanksPage(link: FormLink, language: PageLanguage, answer: OptInReceipt | null): string {
  const say = texts[language];
  const recorded = answer
    ? `<p>${text(say.recorded(answer.organizationName, answer.phone))}</p>
<p id="agreed-to">${text(say.agreedTo)}</p>
<blockquote class="wording" aria-labelledby="agreed-to" dir="auto">${text(link.consentText)}</blockquote>
${confirmation(language, answer)}<h2 id="receipt-title">${text(say.receipt)}</h2>
<p>${text(say.receiptHint)}</p>
<p><code id="receipt" aria-labelledby="receipt-title">${text(answer.receipt)}</code></p>
`
    : '';
  const body = `<h1>${text(say.thanks)}</h1>
${recorded}<p><a href="?">${text(say.another)}</a></p>`;
  return layOut({ language, title: `${say.thanks}: ${say.title(link.organizationName)}`, body });
}

function confirmation(language: PageLanguage, { confirmation }: OptInReceipt): string {
  if (!confirmation) return '';
  const say = texts[language];
  return `<p>${text(say.confirm)}</p>
<p><a id="confirm" class="button" href="${text(confirmation.url)}" rel="noreferrer">${text(say.confirmBy(confirmation.text))}</a></p>
`;
}

/** Why there is no form: for links that lead nowhere always the same. */
export function refusal(language: PageLanguage, { code }: ApiError): string {
  const say = texts[language];
  const title = code === 'NOT_FOUND' ? say.missing : say.wrong;
  const why =
    code === 'NOT_FOUND'
      ? say.missingHint
      : code === 'RATE_LIMITED'
        ? say.notices.limited
        : code === 'VALIDATION_ERROR'
          ? say.notices.stale
          : say.notices.failed;
  return layOut({ language, title, body: `<h1>${text(title)}</h1>\n<p>${text(why)}</p>` });
}
