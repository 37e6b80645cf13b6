// What somebody typed into the form for a card.
import { cardWith, isCardNumber } from '../objects/cards.ts';
import type { CardInput } from '../objects/new-method.ts';

export type CardForm = { number: string; expiry: string; cvc: string; name: string };
export type CardMistakes = Partial<Record<keyof CardForm, string>>;

export const emptyCard: CardForm = { number: '', expiry: '', cvc: '', name: '' };

export function readCard(text: string): CardForm {
  const fields = new URLSearchParams(text);
  const field = (name: string) => (fields.get(name) ?? '').trim().slice(0, 200);
  return { number: field('number'), expiry: field('expiry'), cvc: field('cvc'), name: field('name') };
}

/** The card, or what is wrong with what was typed. */
export function checkCard(form: CardForm, now: Date): { card: CardInput } | { mistakes: CardMistakes } {
  const number = form.number.replaceAll(/[\s-]/g, '');
  const expiry = expiryOf(form.expiry);
  const mistakes: CardMistakes = {
    ...(!isCardNumber(number) && { number: 'Your card number is invalid.' }),
    ...(!expiry && { expiry: "Your card's expiration date is incomplete." }),
    ...(expiry && isPast(expiry, now) && { expiry: "Your card's expiration date is in the past." }),
    ...(!isSecurityCode(form.cvc, number) && { cvc: "Your card's security code is incomplete." }),
    ...(form.name === '' && { name: 'Enter the name on the card.' }),
  };
  if (!expiry || Object.keys(mistakes).length > 0) return { mistakes };
  return { card: { number, expMonth: expiry.month, expYear: expiry.year, name: form.name } };
}

type Expiry = { month: number; year: number };

function expiryOf(text: string): Expiry | null {
  const match = /^(\d{1,2})\s*\/\s*(\d{4}|\d{2})$/.exec(text);
  if (!match) return null;
  const [month, year] = [Number(match[1]), Number(match[2])];
  if (month < 1 || month > 12) return null;
  return { month, year: year < 100 ? 2000 + year : year };
}

/** A card is good to the last day of its month. */
const isPast = ({ month, year }: Expiry, now: Date): boolean => Date.UTC(year, month, 1) <= now.getTime();

const isSecurityCode = (text: string, number: string): boolean =>
  (cardWith(number).brand === 'amex' ? /^\d{4}$/ : /^\d{3}$/).test(text);
