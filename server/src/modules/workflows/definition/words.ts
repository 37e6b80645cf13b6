import { foldWords } from '../../messages/index.ts';

/**
 * The words of a text in one form: without case, accents and punctuation, each between two spaces, so that looking for a
 * word is looking for a part of the text. Empty where there is no word.
 */
export function wordsOf(text: string): string {
  const words = foldWords(text)
    .split(/[\s\p{P}]+/u)
    .filter((word) => word !== '');
  return words.length === 0 ? '' : ` ${words.join(' ')} `;
}
