// A service whose every free text is hostile, for whoever looks at it through one browser.
import type { BrowserContext } from 'playwright-core';

export const markup = '<img src=x onerror=alert(1)>';
/** Markup, letters that turn the line around, a word without end, and more emoji than any field takes. */
export const hostile = `${markup} \u202E\u0645\u0631\u062d\u0628\u0627 ${'W'.repeat(200)} ${'😀'.repeat(4_096)}`;

// What people or the provider write into records, by the names of the fields; whatever else is text is a word of ours, a time or an identifier.
const written = new Set(
  `about accountName address body caption description displayName email filename footer label mergedBy message name
   organizationName reason requestedBy text title userAgent verifiedName wording`.split(/\s+/),
);

/** Replaces them in an answer, however deep they stand. */
export function poisoned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(poisoned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === 'string' && written.has(name) ? hostile : poisoned(inner),
    ]),
  );
}

/** From now on every answer of the service is so. */
export async function poison(context: BrowserContext): Promise<void> {
  await context.route(/\/v1\//, async (route) => {
    // What has no end cannot be waited for.
    if (route.request().url().includes('/live')) return route.continue();
    const response = await route.fetch();
    if (!response.headers()['content-type']?.includes('json')) return route.fulfill({ response });
    return route.fulfill({ response, json: poisoned(await response.json()) });
  });
}
