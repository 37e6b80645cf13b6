// Somebody in front of the console, and everything that went wrong while they looked.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import axe from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

const axeScript = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export type Visitor = {
  context: BrowserContext;
  page: Page;
  /** Scripts that failed, messages of the browser, requests to elsewhere; emptied when read. */
  troubles(): string[];
  leave(): Promise<void>;
};

type Options = BrowserContextOptions & { url: string; now: Date };

export async function visitorIn(browser: Browser, { url, now, ...options }: Options): Promise<Visitor> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options });
  // The service's clock stands still, and what is shown of the last hours follows it.
  await context.clock.setFixedTime(now);
  const seen: string[] = [];
  const watch = (page: Page) => {
    page.setDefaultTimeout(120_000); // out of reach, on the busiest machine
    page.on('pageerror', (error) => seen.push(`error: ${error}`));
    page.on('dialog', (dialog) => seen.push(`markup ran as a script: ${dialog.message()}`));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()))
        seen.push(`${message.type()}: ${message.text()} ${message.location().url}`);
    });
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== new URL(url).origin)
        seen.push(`request: ${request.url()}`);
    });
  };
  context.on('page', watch);
  const page = await context.newPage();
  return { context, page, troubles: () => seen.splice(0), leave: () => context.close() };
}

type Violation = { id: string; nodes: { html: string; failureSummary: string }[] };

// Those that look at colours, without those of the strictest level, which nobody asks for. The others say the same of a page in any.
const ofColours = axe
  .getRules(['cat.color'])
  .filter(({ tags }) => !tags.includes('wcag2aaa'))
  .map(({ ruleId }) => ruleId);

/**
 * What the rules for accessible pages have against this one; only those of colours, for a page that all were asked about in others. It is
 * asked from outside the page, so its policy stays on.
 */
export async function violations(page: Page, { onlyColours = false } = {}): Promise<string[]> {
  if (await page.evaluate<boolean>("typeof axe === 'undefined'")) await page.evaluate(axeScript);
  const options = {
    resultTypes: ['violations'],
    ...(onlyColours && { runOnly: { type: 'rule', values: ofColours } }),
  };
  // Nothing else is brought out of the page: what it found to be right is many times as much.
  const found = await page.evaluate<Violation[]>(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' ')}`,
  );
}

export const isTooWide = (page: Page) =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');
