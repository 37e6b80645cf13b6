// Attributes as people write them: `name=value`, one a line. What reads as JSON is that, so that `visits={"gte":3}` compares and
// `zip="75011"` is a text; everything else is a text as it stands.

type Read = { attributes: Record<string, unknown>; unreadable: string | null };

export function attributesIn(lines: string): Read {
  const attributes: [string, unknown][] = [];
  for (const line of lines.split(/\r?\n/).filter((one) => one.trim() !== '')) {
    const pair = pairIn(line.trim());
    if (pair === null) return { attributes: {}, unreadable: line.trim() };
    attributes.push(pair);
  }
  return { attributes: Object.fromEntries(attributes), unreadable: null };
}

export const attributeLines = (attributes: Record<string, unknown>): string =>
  Object.entries(attributes)
    .map(([name, value]) => `${writtenName(name)}=${writtenValue(value)}`)
    .join('\n');

const looksLikeJson = /^([{["].*|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|true|false|null)$/s;

function pairIn(line: string): [string, unknown] | null {
  const [, name, value] = /^("(?:[^"\\]|\\.)*"|[^="][^=]*?)\s*=\s*(.*)$/s.exec(line) ?? [];
  if (name === undefined || value === undefined) return null;
  try {
    return [
      name.startsWith('"') ? JSON.parse(name) : name,
      looksLikeJson.test(value) ? JSON.parse(value) : value,
    ];
  } catch {
    return null;
  }
}

const isPlainName = (name: string) => /^[^\s="]([^=\r\n]*[^\s=])?$/.test(name);
const writtenName = (name: string) => (isPlainName(name) ? name : JSON.stringify(name));

const isPlainText = (value: unknown) =>
  typeof value === 'string' && value.trim() === value && !/[\r\n]/.test(value) && !looksLikeJson.test(value);
const writtenValue = (value: unknown) => (isPlainText(value) ? String(value) : JSON.stringify(value));
