// One subscriber, several ways to write the number. Numbering plans changed, and the provider keeps to a way of its own, so
// that a person may write from other digits than those that were dialled. Only what the plans make certain stands here; the
// rest is learned from the provider's answers.
import type { Identifier } from '../schema.ts';

type Rule = { form: RegExp; other: string };

const rules: Rule[] = [
  // Brazil put a 9 before its mobile numbers. Only those that began with 6 to 9 were mobile: shorter ones are landlines.
  { form: /^\+55(?<area>[1-9][1-9])9(?<mobile>[6-9]\d{7})$/, other: '+55$<area>$<mobile>' },
  { form: /^\+55(?<area>[1-9][1-9])(?<mobile>[6-9]\d{7})$/, other: '+55$<area>9$<mobile>' },
  // Argentina writes a 9 before mobile numbers called from abroad. No landline has the ten digits of a mobile.
  { form: /^\+549(?<number>[1-3]\d{9})$/, other: '+54$<number>' },
  { form: /^\+54(?<number>[1-3]\d{9})$/, other: '+549$<number>' },
];

/** The other ways in which this number is written: none for most. */
export const otherForms = (e164: string): string[] =>
  rules.flatMap(({ form, other }) => (form.test(e164) ? [e164.replace(form, other)] : []));

/** Mexico dropped the 1 after its country code in 2019; the provider and old address books still write it. */
export const withoutMexicanOne = (number: string): string => {
  const digits = number.replaceAll(/\D/g, '');
  return number.startsWith('+') && /^521[2-9]\d{9}$/.test(digits) ? `+52${digits.slice(3)}` : number;
};

export const withOtherForms = (identifiers: readonly Identifier[]): Identifier[] =>
  identifiers.flatMap((identifier) => {
    if (identifier.identifierType !== 'phone_e164') return [identifier];
    return [identifier.value, ...otherForms(identifier.value)].map((value) => ({ ...identifier, value }));
  });
