// Text as a document shows it: what was written, and nothing that only pretends. Whatever steers the direction of text, is
// invisible, or has no shape in the font is written out as its code, such as [U+202E]: a name can neither turn the amount
// beside it around nor hide a part of itself. The JSON keeps the text as it was given.

const lineBreaks = /[\r\n\t\v\f\u0085\u2028\u2029]+/g;
// Controls, marks of direction, joiners, tags, private and unassigned characters.
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Variation_Selector}\u115f\u1160\u3164\uffa0]/u;

export type HasShape = (codePoint: number) => boolean;

export function plainText(text: string, hasShape: HasShape): string {
  let shown = '';
  for (const character of text.replaceAll(lineBreaks, ' ')) {
    const code = character.codePointAt(0)!;
    // Spaces of any width are spaces.
    if (/\p{Zs}/u.test(character)) shown += ' ';
    else if (unseen.test(character) || !hasShape(code))
      shown += `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
    else shown += character;
  }
  return shown;
}
