const headerForm = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x21-\x7e]*(?: +[\x21-\x7e]+)*)\s*$/;

/** Headers as OpenTelemetry writes them in one variable: name=value, comma-separated, values percent-encoded. */
export function readHeaderList(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  const headers = pairs.map((pair) => {
    const [, name, value] = headerForm.exec(pair) ?? [];
    const decoded = value === undefined ? null : percentDecoded(value);
    // What is decoded goes into a header, which holds one line.
    if (name === undefined || decoded === null || /[^\x20-\x7e]/.test(decoded))
      throw new Error('must be name=value, comma-separated, with values percent-encoded');
    return [name.toLowerCase(), decoded];
  });
  return Object.fromEntries(headers);
}

function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
