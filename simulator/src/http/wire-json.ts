// JSON as the provider writes it into callbacks: ASCII only, slashes escaped. A receiver that parses and writes a body
// again before it checks the signature gets other bytes, here as there.

const escaped = /[\u0080-\uffff/]/;
const everyEscaped = /[\u0080-\uffff/]/g;

export function wireJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!escaped.test(text)) return text;
  return text.replace(everyEscaped, (character) =>
    character === '/' ? '\\/' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
