// What a receiver asks for when it fails: not to be called again before an instant.

// The longest wait of the schedule itself. Whoever asks for more has made a mistake, or means harm.
const mostMs = 24 * 3_600_000;
const seconds = /^\d{1,9}$/;
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** How long from `now` on, in milliseconds; null where nothing is asked for, or something we do not follow. */
export function retryAfterMs(header: string | string[] | undefined, now: Date): number | null {
  if (typeof header !== 'string') return null;
  const text = header.trim();
  const askedMs = seconds.test(text)
    ? Number(text) * 1000
    : httpDate.test(text)
      ? Date.parse(text) - now.getTime()
      : Number.NaN;
  return askedMs > 0 && askedMs <= mostMs ? askedMs : null;
}
