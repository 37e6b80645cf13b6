// A list of a million people: how soon its first rows are there, and how smoothly ten thousand of them pass.
import { type Context, emptyRow, type Row } from '../../part.ts';
import { generateContacts } from '../contacts-data.ts';
import { heapMb, openVisit, slowDown, slowdown, timesRow, type Visit } from './visit.ts';

const size = Number(process.env.BENCH_CONTACTS ?? 1_000_000);
const scrolled = Math.min(10_000, size - 100);
const loads = 20;
const restingMs = 5_000;
// Four rows a frame, 240 a second: faster than anybody reads.
const pixelsASecond = 8_880;
const rowPixels = 37;

export async function lists(context: Context): Promise<Row[]> {
  const visit = await openVisit(context, async ({ godwit, accountSid }) => {
    context.say(`generating ${size.toLocaleString('en')} contacts`);
    await generateContacts(godwit.databaseUrl, [{ sid: accountSid, size }]);
  });
  try {
    context.say('first rows');
    const first: number[] = [];
    for (let turn = 0; turn < loads; turn += 1) first.push(await firstRows(visit));
    context.say('processor time of a row');
    const costMs = await costOfARow(visit);
    await slowDown(visit);
    context.say('frames');
    const resting = await framesDuring(visit, () => visit.page.waitForTimeout(restingMs));
    const before = await heapMb(visit);
    const passing = await framesDuring(visit, () => scrollTo(visit, scrolled));
    const grown = (await heapMb(visit)) - before;
    const slow = `at ${slowdown} × slowdown`;
    return [
      { ...timesRow(`first rows of ${size.toLocaleString('en')} contacts`, first), mostP95Ms: 300 },
      {
        ...emptyRow,
        name: 'processor time of the page for a row that comes into sight',
        perSecond: 0,
        p50Ms: costMs,
      },
      timesRow(`frames at rest, ${slow}`, resting),
      {
        ...timesRow(`frames while ${scrolled.toLocaleString('en')} rows pass, ${slow}`, passing),
        mostP95Ms: 20,
        heapMb: grown,
        mostHeapMb: 50,
      },
    ];
  } finally {
    await visit.close();
  }
}

/** From the click in the menu of a page just opened until rows are drawn. */
async function firstRows({ page, at }: Visit): Promise<number> {
  await page.goto(at(''));
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  return page.evaluate<number>(`new Promise((drawn) => {
    const began = performance.now();
    const look = () => document.querySelector('tbody tr[data-index]')
      ? requestAnimationFrame(() => drawn(performance.now() - began))
      : requestAnimationFrame(look);
    document.querySelector('nav a[href$="/contacts"]').click();
    look();
  })`);
}

/** Steadier than frames where the machine has other things to do; not slowed down. */
async function costOfARow(visit: Visit): Promise<number> {
  const { devtools } = visit;
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spentMs = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return 1_000 * metrics.find(({ name }) => name === 'TaskDuration')!.value;
  };
  const [before, from] = [await spentMs(), await lastDrawn(visit)];
  await scrollTo(visit, from + Math.min(1_000, scrolled / 10));
  return ((await spentMs()) - before) / ((await lastDrawn(visit)) - from);
}

const lastDrawn = ({ page }: Visit) =>
  page.evaluate<number>(
    `Number([...document.querySelectorAll('tr[data-index]')].at(-1)?.dataset.index ?? 0)`,
  );

/** By the wheel, until the row is drawn; what is not read yet ends a turn of it early. */
async function scrollTo(visit: Visit, row: number): Promise<void> {
  const { x, y, width, height } = (await visit.page.locator('div:has(> table)').boundingBox())!;
  for (let at = await lastDrawn(visit); at < row; at = await lastDrawn(visit))
    await visit.devtools.send('Input.synthesizeScrollGesture', {
      x: x + width / 2,
      y: y + height / 2,
      yDistance: -rowPixels * Math.min(1_000, row - at),
      speed: pixelsASecond,
      gestureSourceType: 'mouse',
    });
}

/** How long each frame took that began while something was done. */
async function framesDuring({ page }: Visit, work: () => Promise<void>): Promise<number[]> {
  await page.evaluate(`(() => {
    const times = [];
    let last;
    const step = (now) => {
      if (last !== undefined) times.push(now - last);
      last = now;
      window.framesSeen = { times, next: requestAnimationFrame(step) };
    };
    requestAnimationFrame(step);
  })()`);
  await work();
  return page.evaluate<number[]>('(cancelAnimationFrame(window.framesSeen.next), window.framesSeen.times)');
}
