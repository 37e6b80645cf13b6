// Lines of text that fit a width.

export type Measure = (text: string) => number;

/** Breaks at spaces; a word wider than the line is broken where it must be. */
export function wrap(text: string, width: number, measure: Measure): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((word) => pieces(word, width, measure))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && measure(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

function pieces(word: string, width: number, measure: Measure): string[] {
  if (measure(word) <= width) return [word];
  const found: string[] = [];
  let piece = '';
  let pieceWidth = 0;
  for (const character of word) {
    const characterWidth = measure(character);
    if (piece !== '' && pieceWidth + characterWidth > width) {
      found.push(piece);
      piece = '';
      pieceWidth = 0;
    }
    piece += character;
    pieceWidth += characterWidth;
  }
  return [...found, piece];
}
