// Words by which people stop marketing and begin it again. A message counts only when it is such a word and nothing else:
// "please do not stop" stops nothing. Words that answer other questions too, such as "cancel" or "no", are not among them.

const stopWords = {
  en: [
    'stop',
    'stop all',
    'stopall',
    'stop promotions',
    'unsubscribe',
    'opt out',
    'opt-out',
    'optout',
    'quit',
  ],
  fr: [
    'arrêt',
    'arrêter',
    'arrêtez',
    'désabonner',
    'me désabonner',
    'se désabonner',
    'désabonnement',
    'désinscrire',
    'me désinscrire',
    'désinscription',
    'stop pub',
  ],
};

const startWords = {
  en: ['start', 'unstop', 'subscribe', 'resubscribe', 'opt in', 'opt-in', 'optin'],
  fr: [
    'reprendre',
    'abonner',
    "m'abonner",
    "s'abonner",
    'abonnement',
    'réabonner',
    'me réabonner',
    'réabonnement',
  ],
};

/** Without case, accents and spaces around; typographic apostrophes are plain ones. */
export const foldWords = (text: string) =>
  text
    .trim()
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
    .replaceAll('\u2019', "'")
    .replaceAll(/\s+/g, ' ');

const setOf = (words: Record<string, string[]>) => new Set(Object.values(words).flat().map(foldWords));
const stops = setOf(stopWords);
const starts = setOf(startWords);
const longest = Math.max(...[...stops, ...starts].map((word) => word.length));

export type Wish = 'stop' | 'start';

/** What a message asks for when it is a keyword; null for every other. */
export function wishOf(text: string): Wish | null {
  // Marks and spaces may double a word's length; what is longer need not be looked at.
  if (text.length > longest * 4) return null;
  const word = foldWords(text);
  return stops.has(word) ? 'stop' : starts.has(word) ? 'start' : null;
}
