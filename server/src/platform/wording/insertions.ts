// Values in texts: `Hello {{contact.displayName|there}}`. What is inserted is never looked at again, so nobody can write
// something to a business that it would then be made to say about somebody else.

export type Insertion = { path: string; fallback: string };
type Part = string | Insertion;

/** A text in its parts, or what is wrong with it. */
export function readText(text: string): Part[] | { issue: string } {
  const parts: Part[] = [];
  let from = 0;
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', from)) {
    const close = text.indexOf('}}', open);
    if (close === -1) return { issue: 'has {{ without }}' };
    const inside = text.slice(open + 2, close);
    if (/[{}]/.test(inside)) return { issue: `has braces inside {{${inside.slice(0, 64)}}}` };
    const bar = inside.indexOf('|');
    const path = (bar === -1 ? inside : inside.slice(0, bar)).trim();
    if (path === '') return { issue: 'has {{ }} that names no field' };
    parts.push(text.slice(from, open), { path, fallback: bar === -1 ? '' : inside.slice(bar + 1).trim() });
    from = close + 2;
  }
  parts.push(text.slice(from));
  return parts.filter((part) => part !== '');
}

export function insertionsIn(text: string): Insertion[] {
  const parts = readText(text);
  return Array.isArray(parts) ? parts.filter((part) => typeof part !== 'string') : [];
}

/** Lists, objects and what is missing have no words of their own: the fallback stands for them. */
export function fillText(text: string, valueAt: (path: string) => unknown): string {
  const parts = readText(text);
  if (!Array.isArray(parts)) return text;
  return parts.map((part) => (typeof part === 'string' ? part : inWords(part, valueAt(part.path)))).join('');
}

function inWords({ fallback }: Insertion, value: unknown): string {
  if (typeof value === 'string') return value === '' ? fallback : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : fallback;
}
