// Writing a message: how soon the verdict is shown after the last key, whether typing ever waits, and the way of a newcomer to a message that arrived.
import { type Context, emptyRow, type Row } from '../../part.ts';
import { openVisit, slowDown, slowdown, timesRow, type Visit } from './visit.ts';

const turns = 20;
const bursts = 6;
const burst = 'It arrives tomorrow. ';
const keyMs = 40;
const mostActions = 7;

export async function composer(context: Context): Promise<Row[]> {
  const visit = await openVisit(context);
  try {
    context.say('verdicts');
    const verdicts = await verdictsOf(visit);
    context.say('typing');
    await slowDown(visit);
    const blocked = await typing(visit);
    await slowDown(visit, 1);
    context.say('a first message');
    const first = await firstMessage(visit);
    return [
      { ...timesRow('verdict shown after the last key', verdicts), mostP95Ms: 450 },
      {
        ...emptyRow,
        name: `longest time that typing waits, at ${slowdown} × slowdown (less than 50 ms is told as 0)`,
        perSecond: 0,
        longestMs: Math.max(0, ...blocked),
        mostLongestMs: 50,
      },
      first,
    ];
  } finally {
    await visit.close();
  }
}

async function openComposer({ page, at }: Visit): Promise<void> {
  await page.goto(at('/messages/new'));
  await page.locator('input[type=tel]:focus').waitFor();
}

async function verdictsOf(visit: Visit): Promise<number[]> {
  const { page } = visit;
  await openComposer(visit);
  await page.keyboard.type('+33612345670');
  await page.locator('[data-verdict=accepted][aria-busy=false]').waitFor();
  const times: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    await page.keyboard.press('Backspace');
    // From the key itself until the frame after the one in which the verdict is about what stands there.
    await page.evaluate(`(() => {
      window.verdictMs = new Promise((shown) => addEventListener('input', ({ timeStamp }) => {
        const look = () => document.querySelector('[data-verdict][aria-busy=false]')
          ? requestAnimationFrame((now) => shown(now - timeStamp))
          : requestAnimationFrame(look);
        requestAnimationFrame(look);
      }, { once: true, capture: true }));
    })()`);
    await page.keyboard.press(String(turn % 10));
    times.push(await page.evaluate<number>('window.verdictMs'));
  }
  return times;
}

/** What the browser itself calls long: tasks of more than 50 ms. */
async function typing(visit: Visit): Promise<number[]> {
  const { page } = visit;
  await openComposer(visit);
  await page.keyboard.type('+33612345671');
  await page.getByLabel('What', { exact: true }).selectOption({ label: 'Own words' });
  const text = page.getByLabel('Text', { exact: true });
  await text.fill('Hello');
  await page.locator('[data-verdict=refused][aria-busy=false]').waitFor();
  await page.evaluate(`(() => {
    window.longTasks = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longTasks.push(duration);
    }).observe({ type: 'longtask' });
  })()`);
  for (let turn = 0; turn < bursts; turn += 1) {
    await text.pressSequentially(burst, { delay: keyMs });
    // A moment in which the verdict comes, and is drawn while the next words are written.
    await page.waitForTimeout(320);
  }
  await page.locator('[data-verdict=refused][aria-busy=false]').waitFor();
  return page.evaluate<number[]>('window.longTasks');
}

/** What somebody does who has just read the banner, one thing after the other. */
async function firstMessage({ godwit, browser, owner }: Visit): Promise<Row> {
  await browser.clearCookies();
  const page = await browser.newPage();
  const actions = [
    () => page.goto(godwit.url),
    () => page.getByLabel('E-mail').pressSequentially(owner.email, { delay: keyMs }),
    () => page.getByLabel('Password').pressSequentially(owner.password, { delay: keyMs }),
    () => page.getByRole('button', { name: 'Sign in', exact: true }).click(),
    () => page.getByRole('link', { name: 'A first message' }).click(),
    () => page.locator('input[type=tel]').pressSequentially('+33612345672', { delay: keyMs }),
    async () => {
      await page.locator('[data-verdict=accepted][aria-busy=false]').waitFor();
      await page.getByRole('button', { name: 'Send', exact: true }).click();
    },
  ];
  const began = performance.now();
  for (const act of actions) await act();
  await page.locator('[data-written-by=BUSINESS]:is([data-state=DELIVERED], [data-state=READ])').waitFor();
  const tooMany = actions.length > mostActions;
  return {
    ...emptyRow,
    name: `from the banner to a message on the phone, ${actions.length} actions of at most ${mostActions}`,
    perSecond: 0,
    longestMs: performance.now() - began,
    mostLongestMs: 60_000,
    errors: tooMany ? 1 : 0,
    firstError: tooMany ? `it takes ${actions.length} actions` : null,
  };
}
