// Text as a document shows it: what was written, and nothing that only pretends. Whatever steers the direction of text, is
// invisible, or has no shape in the font is written out as its code, such as [U+202E]: a name can neither turn the amount
// beside it around nor hide a part of itself. The JSON keeps the text as it was given.

const spaces = /[\p{Zs}\r\n\t\v\f\u0085\u2028\u2029]+/gu;
// Controls, marks of direction, joiners, tags, private and unassigned characters, and letters that are blank.
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Variation_Selector}\u115f\u1160\u3164\uffa0]/u;
const mark = /\p{M}/u;
// No language puts more on one letter; a heap of them would run over the lines around it.
const mostMarks = 3;

export type HasShape = (codePoint: number) => boolean;

export function plainText(text: string, hasShape: HasShape): string {
  let shown = '';
  let marks = 0;
  for (const character of text.replaceAll(spaces, ' ')) {
    const code = character.codePointAt(0)!;
    marks = mark.test(character) ? marks + 1 : 0;
    const isPlain = character === ' ' || (!unseen.test(character) && hasShape(code) && marks <= mostMarks);
    shown += isPlain ? character : `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
  }
  return shown;
}
