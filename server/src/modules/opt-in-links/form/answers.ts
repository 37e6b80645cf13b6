// What the two operations of the form answer: pages to browsers, JSON to programs.
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { newChallenge, solutionHeader } from '../../../platform/http/limits/proof-of-work.ts';
import { languageOf, type PageLanguage, wantsHtml } from '../../../platform/http/operations/html-answer.ts';
import { Answer, type Input, type Open } from '../../../platform/http/operations/operation.ts';
import { type FormLink, findLink } from '../find-link.ts';
import type { OptInForm, OptInSubmission } from '../schema.ts';
import { judgeSubmission } from '../submissions/judge-submission.ts';
import { submit } from '../submissions/submit.ts';
import { newTicket, readTicket } from '../submissions/tickets.ts';
import { blankFormPage, type FormState, formPage } from './form-page.ts';
import { answerWith } from './layout.ts';
import { refusal, thanksPage } from './other-pages.ts';
import type { FieldName, Notice } from './texts.ts';

const noStore = { 'cache-control': 'no-store', vary: 'accept, accept-language' };

type Asked = Input<{ token: string }, unknown, unknown>;

export async function showForm(call: Open, { params, header }: Asked): Promise<Answer> {
  const link = await findLink(call, params.token);
  const language = languageOf(header('accept-language'));
  if (!wantsHtml(header('accept'))) return new Answer(200, formOf(link, language), noStore);
  return answerWith(200, language, blankFormPage(link, language, newTicket(call, link.sid, language)));
}

function formOf(link: FormLink, locale: PageLanguage): OptInForm {
  const { organizationName, purpose, consentText, defaultCountry } = link;
  const wordingVersion = `${link.wordingVersion}:${locale}`;
  return {
    object: 'opt_in_form',
    organizationName,
    purpose,
    consentText,
    wordingVersion,
    locale,
    defaultCountry,
  };
}

/** What is wrong with the fields of the form is told in the form itself; this is for everything else. */
export function refusalPage(
  error: ApiError,
  headers: Record<string, string | string[] | undefined>,
): Answer<string> {
  const language = languageOf(String(headers['accept-language'] ?? ''));
  return answerWith(error.status, language, refusal(language, error));
}

type Submitted = Input<{ token: string }, unknown, OptInSubmission>;

export async function submitForm(call: Open, input: Submitted): Promise<Answer> {
  const link = await findLink(call, input.params.token);
  if (input.form) return submitByBrowser(call, link, input, input.form);
  const { agreed, details } = judgeSubmission(link, input.body);
  if (details.length > 0) throw invalid(...details);
  const language = languageOf(input.header('accept-language'));
  const from = { address: input.address, solution: input.header(solutionHeader) };
  return new Answer(200, await submit(call, { link, agreed, language, ticketHash: null }, from), noStore);
}

type Fields = Record<string, string>;

async function submitByBrowser(
  call: Open,
  link: FormLink,
  input: Submitted,
  fields: Fields,
): Promise<Answer> {
  const ticket = readTicket(call, link.sid, fields.ticket ?? '');
  const language = ticket.state === 'good' ? ticket.language : languageOf(input.header('accept-language'));
  // Only programs fill in what people cannot see. They are told what they want to hear.
  if (fields.website) return answerWith(200, language, thanksPage(link, language, null));
  // A ticket that is good for another try goes out again, so that nobody has to wait for a new one.
  const kept = ticket.state === 'stale' ? newTicket(call, link.sid, language) : fields.ticket!;
  const again = (status: number, state: Partial<FormState>) => {
    const html = formPage(link, language, { ticket: kept, values: valuesOf(fields), ...state });
    return answerWith(status, language, html, state.challenge !== undefined);
  };
  const { agreed, errors } = judgeFields(link, fields);
  if (errors.length > 0) return again(400, { errors });
  if (ticket.state !== 'good') return again(400, { notice: ticket.state });
  const from = { address: input.address, solution: fields.solution || undefined };
  try {
    const answer = await submit(call, { link, agreed, language, ticketHash: ticket.hash }, from);
    return answerWith(200, language, thanksPage(link, language, answer));
  } catch (error) {
    const notice = error instanceof ApiError ? notices[error.code] : undefined;
    if (!notice) throw error;
    const challenge = notice === 'challenge' ? await newChallenge(call.sealer, call.now) : undefined;
    return withRetry(again((error as ApiError).status, { notice, challenge }), error as ApiError);
  }
}

const notices: Partial<Record<ApiError['code'], Notice>> = {
  CAPTCHA_REQUIRED: 'challenge',
  CAPTCHA_INVALID: 'challenge',
  RATE_LIMITED: 'limited',
};

function withRetry({ status, body, headers }: Answer, { retryAfterSeconds, facts }: ApiError): Answer {
  if (retryAfterSeconds === null) return new Answer(status, body, headers);
  const retry = { ...facts.headers, 'retry-after': String(retryAfterSeconds) };
  return new Answer(status, body, { ...headers, ...retry });
}

const valuesOf = ({ phone = '', name = '', agreed }: Fields) => ({ phone, name, agreed: agreed === 'yes' });

function judgeFields(link: FormLink, fields: Fields) {
  const values = valuesOf(fields);
  const { agreed, details } = judgeSubmission(link, values);
  const wrong = new Set(details.map(({ path }) => path));
  // What the schema of the body says to programs.
  if ([...values.phone].length > 32) wrong.add('phone');
  if ([...values.name].length > 200) wrong.add('name');
  const errors = (['phone', 'name', 'agreed'] satisfies FieldName[]).filter((field) => wrong.has(field));
  return { agreed, errors };
}
