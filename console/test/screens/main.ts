// `npm run screens`: every page of the console as a picture, for people to look at.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { globalSetup, globalTeardown } from '../../../server/test/harness/global-setup.ts';
import { openStage, type Stage } from '../stage.ts';
import { accept, canCompare, compared, difference, nameOf, shownScreens } from './compared.ts';
import { colours, draw, languages, openPage, speak } from './drawing.ts';
import { type Furnished, furnish, innerPages, openPages } from './furnished.ts';
import { indexOf } from './index-page.ts';

const help = `Usage: npm run screens -- [options]

Starts the service with some data and draws every page of the console, light and dark, in English and French, into the
folder screens/; open screens/index.html to look at them.

Options
  --only WORD         only pages whose name holds the word, such as "template"; may be repeated
  --width N           how wide the window is (1280)
  --accept            draws the ${compared.length} screens that tests compare instead, and stores those that differ: look at them
                      before you commit them
  --help              this text
`;

const folder = fileURLToPath(new URL('../../../screens/', import.meta.url));
const say = (text: string) => void process.stderr.write(`${text}\n`);

function refuse(reason: string): never {
  say(`screens: ${reason}`);
  process.exit(2);
}

function given() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string', multiple: true, default: [] },
        width: { type: 'string', default: '1280' },
        accept: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return refuse(`${(error as Error).message} See --help.`);
  }
}

type Wanted = { isChosen(name: string): boolean; width: number };

async function drawAll(stage: Stage, one: Furnished, { isChosen, width }: Wanted) {
  const viewport = { width, height: Math.round(width * 0.65) };
  const [stranger, member] = [
    await stage.visitor({ viewport }),
    await stage.signedIn(undefined, { viewport }),
  ];
  const pages = [
    ...Object.entries(openPages).map(([name, path]) => ({ who: stranger, name, path })),
    ...Object.entries(innerPages(stage.app.accountSid, one)).map(([name, path]) => ({
      who: member,
      name,
      path,
    })),
  ].filter(({ name }) => isChosen(name));
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const who of [stranger, member]) await who.page.goto(`${stage.app.url}/console/sign-in`);
  for (const language of languages) {
    for (const who of [stranger, member]) await speak(who, language);
    for (const [at, { who, name, path }] of pages.entries()) {
      await openPage(who.page, stage.app.url + path);
      for (const colorScheme of colours) {
        await who.page.emulateMedia({ colorScheme });
        const picture = await draw(who.page, { fullPage: true });
        await writeFile(join(folder, `${name}-${language}-${colorScheme}.png`), picture);
      }
      say(`${language} ${at + 1}/${pages.length} ${name}`);
    }
  }
  await writeFile(join(folder, 'index.html'), indexOf(pages.map(({ name }) => name)));
  await stranger.leave();
  await member.leave();
  say(`${pages.length * languages.length * colours.length} pictures: ${join(folder, 'index.html')}`);
}

async function acceptAll(stage: Stage, one: Furnished) {
  for await (const { screen, draw: drawNow } of shownScreens(stage, one)) {
    // What is still to come has come once two look the same.
    let drawn = await drawNow();
    for (let before: Buffer = Buffer.alloc(0); !before.equals(drawn); )
      [before, drawn] = [drawn, await drawNow()];
    const { pixels } = difference(screen, drawn);
    if (pixels > 0) await accept(screen, drawn);
    say(`${nameOf(screen)}: ${pixels === 0 ? 'as stored' : `stored anew, ${pixels} pixels differed`}`);
  }
}

const options = given();
if (options.help) {
  process.stdout.write(help);
  process.exit();
}
const width = Number(options.width);
if (!(Number.isInteger(width) && width >= 320 && width <= 4_000)) refuse('--width must be from 320 to 4000.');
if (options.accept && !canCompare) refuse('the browser that draws what is compared is for Linux on x64.');
const isChosen = (name: string) =>
  options.only.length === 0 || options.only.some((word) => name.includes(word));
const names = [...Object.keys(openPages), ...Object.keys(innerPages('', {} as Furnished))];
if (!names.some(isChosen)) refuse(`there is no such page. Pages: ${names.join(', ')}.`);

say('Starting the service …');
const endings: (() => Promise<void>)[] = [];
await globalSetup();
try {
  const lifetime = { after: (work: () => Promise<void>) => void endings.push(work) };
  const stage = await openStage(lifetime, { drawsAlike: true });
  say('Filling an account …');
  const one = await furnish(stage.app);
  if (options.accept) await acceptAll(stage, one);
  else await drawAll(stage, one, { isChosen, width });
} finally {
  for (const end of endings.reverse()) await end();
  await globalTeardown();
}
