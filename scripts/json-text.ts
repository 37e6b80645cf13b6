// JSON for files that people compare.
const width = 140;

/** A value on one line where that fits, else a line for each of its members. */
export function jsonText(value: unknown, indent = ''): string {
  const line = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || indent.length + line.length <= width) return line;
  const inner = `${indent} `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Object.entries(value).map(([name, member]) => {
    const key = Array.isArray(value) ? '' : `${JSON.stringify(name)}: `;
    return `${inner}${key}${jsonText(member, inner)}`;
  });
  return `${open}\n${members.join(',\n')}\n${indent}${close}`;
}
