// The form. What people agree to stands beside the box exactly as it is recorded; everything entered stays when it is shown
// again, and what is wrong is told first, with the way to the field.

import type { PageLanguage } from '../../../platform/http/operations/html-answer.ts';
import type { FormLink } from '../find-link.ts';
import { layOut, text } from './layout.ts';
import { type FieldName, type Notice, type Texts, texts } from './texts.ts';

export type FormState = {
  ticket: string;
  values?: { phone: string; name: string; agreed: boolean };
  errors?: FieldName[];
  notice?: Notice;
  /** What to solve before the form is taken again. */
  challenge?: object;
};

export function formPage(link: FormLink, language: PageLanguage, state: FormState): string {
  const say = texts[language];
  const { errors = [], notice, challenge } = state;
  const title = say.title(link.organizationName);
  const troubled = errors.length > 0 || notice !== undefined;
  // Posted to the address without what follows the #: with it, the browser would look at that place of the next page and not at
  // what is wrong.
  const body = `<h1>${text(title)}</h1>
${summary(say, state)}<p>${text(say.intro)}</p>
<form method="post" action="?" novalidate${challenge ? challengeOf(say, challenge) : ''}>
${fields(link, say, state)}
<div><button>${text(say.send)}</button></div>
</form>`;
  const hasScript = challenge !== undefined;
  return layOut({ language, title: troubled ? `${say.problem}: ${title}` : title, body, hasScript });
}

// The first thing in the page that takes the focus: with it, readers begin to read aloud what is wrong.
function summary(say: Texts, { errors = [], notice, challenge }: FormState): string {
  if (errors.length === 0 && notice === undefined) return '';
  const items = errors.map((name) => `<li><a href="#${name}">${text(say.errors[name])}</a></li>`).join('\n');
  // Replaced by the script as soon as it runs.
  const solving = challenge ? `\n<p id="solving" role="status">${text(say.noScript)}</p>` : '';
  return `<div id="problem" class="notice" role="alert" aria-labelledby="problem-title" tabindex="-1" autofocus>
<h2 id="problem-title">${text(say.problem)}</h2>
${notice ? `<p>${text(say.notices[notice])}</p>${solving}` : ''}${items && `<ul>\n${items}\n</ul>`}
</div>
`;
}

const challengeOf = (say: Texts, challenge: object) =>
  ` data-challenge="${text(JSON.stringify(challenge))}" data-solving="${text(say.solving)}" data-solved="${text(say.solved)}"`;

function fields(link: FormLink, say: Texts, { ticket, values, errors = [], challenge }: FormState): string {
  const { phone = '', name = '', agreed = false } = values ?? {};
  const bad = (field: FieldName) => errors.includes(field);
  const error = (field: FieldName) =>
    bad(field) ? `<p class="error" id="${field}-error">${text(say.errors[field])}</p>\n` : '';
  const described = (field: FieldName, ...others: string[]) => {
    const ids = [...others, ...(bad(field) ? [`${field}-error`] : [])];
    return `${ids.length > 0 ? ` aria-describedby="${ids.join(' ')}"` : ''}${bad(field) ? ' aria-invalid="true"' : ''}`;
  };
  const hint = link.defaultCountry === null ? say.phoneHint : say.phoneHintAt(link.defaultCountry);
  return `<div class="field">
<label for="phone">${text(say.phone)}</label>
<p class="hint" id="phone-hint">${text(hint)}</p>
${error('phone')}<input id="phone" name="phone" type="tel" autocomplete="tel" maxlength="32" aria-required="true" value="${text(phone)}"${described('phone', 'phone-hint')}>
</div>
<div class="field">
<label for="name">${text(say.name)}</label>
${error('name')}<input id="name" name="name" autocomplete="name" maxlength="200" value="${text(name)}"${described('name')}>
</div>
<div>
${error('agreed')}<div class="tick">
<input id="agreed" name="agreed" type="checkbox" value="yes" aria-required="true"${agreed ? ' checked' : ''}${described('agreed')}>
<label class="wording" for="agreed" dir="auto">${text(link.consentText)}</label>
</div>
</div>
<div class="trap" aria-hidden="true">
<label for="website">${text(say.trap)}</label>
<input id="website" name="website" tabindex="-1" autocomplete="off">
</div>
<input type="hidden" name="ticket" value="${text(ticket)}">${challenge ? '\n<input type="hidden" name="solution">' : ''}`;
}

const placeOfTicket = '{ticket}';
const blank = new WeakMap<FormLink, Map<PageLanguage, [before: string, after: string]>>();

/** The form as it is first shown. It differs in nothing but its ticket, so the rest is written once. */
export function blankFormPage(link: FormLink, language: PageLanguage, ticket: string): string {
  const byLanguage = blank.get(link) ?? new Map();
  blank.set(link, byLanguage);
  const parts = byLanguage.get(language) ?? partsOf(link, language);
  byLanguage.set(language, parts);
  return parts[0] + ticket + parts[1];
}

function partsOf(link: FormLink, language: PageLanguage): [string, string] {
  const page = formPage(link, language, { ticket: placeOfTicket });
  const sign = `name="ticket" value="${placeOfTicket}"`;
  const at = page.lastIndexOf(sign) + sign.length - placeOfTicket.length - 1;
  return [page.slice(0, at), page.slice(at + placeOfTicket.length)];
}
