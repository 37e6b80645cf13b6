// What is wrong with a submission, field by field, whoever asks: a program or the form.
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import { readPhone } from '../../contacts/index.ts';
import type { FormLink } from '../find-link.ts';
import { controlIssue, hasControls } from '../links.ts';
import type { OptInSubmission } from '../schema.ts';

/** What is recorded: the number in its one form, and the name as far as a contact can have it. */
export type Agreed = { phone: string; name: string | null };

type CountryCode = Parameters<typeof readPhone>[1];

export function judgeSubmission(
  { defaultCountry }: FormLink,
  { agreed, phone, name = '' }: OptInSubmission,
): { agreed: Agreed; details: ErrorDetail[] } {
  const number = readPhone(phone, (defaultCountry ?? undefined) as CountryCode);
  const details: ErrorDetail[] = [];
  if (number.issue !== undefined) details.push({ path: 'phone', issue: number.issue });
  if (hasControls(name)) details.push({ path: 'name', issue: controlIssue });
  if (!agreed) details.push({ path: 'agreed', issue: 'must be true: nothing is recorded without it' });
  return { agreed: { phone: number.value?.number ?? '', name: shorten(name.trim()) || null }, details };
}

/** Contacts have shorter names than forms take. */
const shorten = (name: string) =>
  name
    .slice(0, 128)
    .toWellFormed()
    .replace(/\uFFFD$/, '');
