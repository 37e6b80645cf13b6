// What `q` looks in, and how: names and identifiers in one text, folded so that case and accents do not matter.
import { type GivenFields, searchedNames } from './fields.ts';

type Searched = GivenFields & { identifiers: { value: string }[] };

const fold = (text: string) =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll(/\s+/g, ' ').trim();

/** A space stands before every word, so that the beginning of a word can be asked for. */
export function searchText({ identifiers, ...fields }: Searched): string {
  const words = [
    ...searchedNames.map((name) => fold(fields[name] ?? '')),
    ...identifiers.map(({ value }) => fold(value)),
  ];
  return words.map((word) => ` ${word}`).join('');
}

/**
 * The LIKE pattern of a question. From three characters on they may stand anywhere; one or two are the beginning of a
 * word, since nearly everybody has them somewhere. Null asks nothing.
 */
export function searchPattern(q: string | undefined): string | null {
  const text = asPhone(q ?? '') ?? fold(q ?? '');
  if (text === '') return null;
  const escaped = text.replaceAll(/[\\%_]/g, '\\$&');
  const anywhere = text.length >= 3 && !text.startsWith('+');
  return anywhere ? `%${escaped}%` : `% ${escaped}%`;
}

/** A number as people write it: without blanks and signs, and without the 0 that is only dialled at home. */
function asPhone(q: string): string | null {
  const text = q.trim();
  if (!/^\+?[\d\s().\-/]*\d[\d\s().\-/]*$/.test(text)) return null;
  const digits = text.replaceAll(/\D/g, '');
  if (text.startsWith('+')) return `+${digits}`;
  if (digits.length < 7) return digits;
  return /^00[1-9]/.test(digits) ? `+${digits.slice(2)}` : digits.replace(/^0+/, '');
}
