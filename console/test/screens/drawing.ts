// Pages of the console as pictures, the same whenever and wherever they are drawn.
import type { Page } from 'playwright-core';
import { until } from '../../../server/test/harness/until.ts';
import type { Visitor } from '../visitor.ts';

export const languages = ['en', 'fr'] as const;
export const colours = ['light', 'dark'] as const;
export type Language = (typeof languages)[number];
export type Colours = (typeof colours)[number];

/** A visitor reads this language from the next page on. */
export const speak = ({ page }: Visitor, language: Language) =>
  page.evaluate(`localStorage.setItem('godwit.language', '${language}')`);

/** Opens a page of the console by its address, and waits until nothing of it is on its way. */
export async function openPage(page: Page, url: string): Promise<void> {
  // The same address again would only be scrolled to. Otherwise a blank page in between costs a process, and all that it had compiled.
  if (new URL(url).hash) await page.goto('about:blank');
  await page.goto(url);
  await page.locator('h1').first().waitFor();
  await isComplete(page);
}

const withoutFrame = '/console/sandbox';

/**
 * Goes to a page as a link does, from another one and without loading the console anew. It leads by way of the page that has no frame
 * around it: what stands within a frame afterwards is the page that was asked for.
 */
export async function stepTo(page: Page, path: string): Promise<void> {
  const go = (to: string) => page.evaluate(`history.pushState(null, '', ${JSON.stringify(to)})`);
  await go(withoutFrame);
  await page.locator('main:not(#page) h1').waitFor();
  if (path === withoutFrame) return;
  await go(path);
  await page.locator('main#page h1').first().waitFor();
  await isComplete(page);
}

async function isComplete(page: Page): Promise<void> {
  await until(
    'nothing is on its way',
    async () => (await page.getByText(/^(Loading|Chargement)…$/).count()) === 0,
  );
}

// SIDs, whatever letters they are written in, and UUIDs: drawn by lot, and their letters are not all equally wide.
const identifiers = String.raw`\b[A-Z]{2}[0-9A-HJKMNP-TV-Z]{26}\b|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`;

/** Writes the same into all of them. */
const cover = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data } = texts.currentNode;
    const covered = data.replace(/${identifiers}/gi, (found) => found.slice(0, 2) + found.slice(2).replace(/[^-]/g, '0'));
    if (covered !== data) texts.currentNode.data = covered;
  }
})()`;

export async function draw(page: Page, { fullPage = false } = {}): Promise<Buffer> {
  await page.evaluate(cover);
  return page.screenshot({ fullPage, animations: 'disabled', caret: 'hide', scale: 'css' });
}
