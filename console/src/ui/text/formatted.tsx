// Text as the phones show it: *bold*, _slanted_, ~struck~ and ```as it is```, where the marks stand around words.
import type { ReactNode } from 'react';

const around = (mark: string) => `${mark}(?=\\S)[^${mark}\\n]*?(?<=\\S)${mark}`;
const marked = new RegExp(
  `(?<![\\p{L}\\p{N}])(\`\`\`[^\`]+\`\`\`|${['\\*', '_', '~'].map(around).join('|')})(?![\\p{L}\\p{N}])`,
  'gu',
);

export function Formatted({ text }: { text: string }): ReactNode {
  // What stands between brackets in the form is every second piece.
  return text.split(marked).map((piece, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces have a place and no name
    at % 2 === 0 ? piece : <Marked key={at} piece={piece} />,
  );
}

function Marked({ piece }: { piece: string }) {
  if (piece.startsWith('```')) return <code>{piece.slice(3, -3)}</code>;
  const inside = <Formatted text={piece.slice(1, -1)} />;
  if (piece.startsWith('*')) return <strong>{inside}</strong>;
  return piece.startsWith('_') ? <em>{inside}</em> : <s>{inside}</s>;
}
