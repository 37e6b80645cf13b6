// The screens that are held against stored pictures, pixel by pixel. Those are not among them on which something stands that is drawn by
// lot (a simulated provider's numbers and identifiers).
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { isHome, type Stage } from '../stage.ts';
import type { Visitor } from '../visitor.ts';
import { type Colours, draw, type Language, openPage, speak } from './drawing.ts';
import { type Furnished, innerPages, openPages } from './furnished.ts';

export type Screen = { page: string; language: Language; colours: Colours; width: 360 | 800 };

const screen = (page: string, language: Language, colours: Colours, width: 360 | 800 = 800): Screen => ({
  page,
  language,
  colours,
  width,
});

export const compared: readonly Screen[] = [
  screen('sign-in', 'en', 'light', 360),
  screen('password-reset', 'fr', 'dark'),
  screen('home', 'en', 'light'),
  screen('home', 'fr', 'dark', 360),
  screen('live-home', 'en', 'dark'),
  screen('new-template', 'en', 'light'),
  screen('template', 'fr', 'light'),
  screen('endpoint', 'fr', 'dark'),
  screen('proofs', 'en', 'dark'),
  screen('contact-files', 'fr', 'light'),
  screen('content', 'en', 'light', 360),
  screen('one-media', 'en', 'dark'),
  screen('contacts', 'en', 'light'),
  screen('messages', 'fr', 'dark'),
  screen('webhooks', 'fr', 'light', 360),
  screen('events', 'en', 'dark'),
  screen('operations', 'fr', 'light'),
];

/** The packed browser is for this one alone; another draws other pixels. */
export const canCompare = `${process.platform}-${process.arch}` === 'linux-x64';

export const nameOf = ({ page, language, colours, width }: Screen) =>
  `${page}-${language}-${colours}-${width}`;

const folder = fileURLToPath(new URL('stored/', import.meta.url));
const fileOf = (screen: Screen) => join(folder, `${nameOf(screen)}.png`);

export const storedPicture = (screen: Screen): PNG => PNG.sync.read(readFileSync(fileOf(screen)));

/** Each screen in turn, as somebody sees it who may do everything. */
export async function* shownScreens(stage: Stage, one: Furnished) {
  const stranger = await stage.visitor();
  const member = await stage.signedIn();
  // The session of the other environment is opened once.
  await member.page.goto(stage.home('live'));
  await isHome(member.page);
  for (const screen of compared) {
    const open = openPages[screen.page];
    const who: Visitor = open ? stranger : member;
    const { page } = who;
    await page.setViewportSize({ width: screen.width, height: 600 });
    await page.emulateMedia({ colorScheme: screen.colours });
    await page.goto(`${stage.app.url}/console/sign-in`);
    await speak(who, screen.language);
    await openPage(page, stage.app.url + (open ?? innerPages(stage.app.accountSid, one)[screen.page]));
    yield { screen, draw: () => draw(page) };
  }
  await stranger.leave();
  await member.leave();
}

/** How many pixels are not as stored; all of them where nothing of that size is. And a picture of which. */
export function difference(screen: Screen, drawn: Buffer): { pixels: number; picture: Buffer } {
  const now = PNG.sync.read(drawn);
  const all = { pixels: now.width * now.height, picture: drawn };
  if (!existsSync(fileOf(screen))) return all;
  const stored = storedPicture(screen);
  if (stored.width !== now.width || stored.height !== now.height) return all;
  const told = new PNG({ width: now.width, height: now.height });
  // What the eye would not tell apart is the same: processors round the mixing of two colours differently.
  const pixels = pixelmatch(stored.data, now.data, told.data, now.width, now.height, { threshold: 0.1 });
  return { pixels, picture: PNG.sync.write(told) };
}

/** The picture is what the screen looks like from now on. */
export async function accept(screen: Screen, drawn: Buffer): Promise<void> {
  await mkdir(folder, { recursive: true });
  // Written anew, since browsers pack them in haste.
  await writeFile(fileOf(screen), PNG.sync.write(PNG.sync.read(drawn), { colorType: 2, deflateLevel: 9 }));
}
