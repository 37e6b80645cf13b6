const longestShown = 200;

/**
 * What a tenant or their customer wrote, for a terminal: in quotes, on one line, of bearable length and with nothing in it that a
 * terminal would obey. `--json` has all of it.
 */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  const short = text.length > longestShown ? `${text.slice(0, longestShown).toWellFormed()}…` : text;
  return short.replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '\ufffd');
}
