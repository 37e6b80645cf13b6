// Eight tabs of one browser: how soon each shows what became of a message, and what they ask while nothing happens.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { type Context, emptyRow, type Row } from '../../part.ts';
import { openVisit, timesRow, type Visit } from './visit.ts';

const tabCount = 8;
const messages = 10;
const idleSeconds = 20;

export async function live(context: Context): Promise<Row[]> {
  const visit = await openVisit(context);
  try {
    const tabs = [visit.page];
    while (tabs.length < tabCount) tabs.push(await visit.browser.newPage());
    for (const tab of tabs) {
      await tab.goto(visit.at('/messages'));
      await tab.getByRole('heading', { name: 'Messages', level: 1 }).waitFor();
      await watch(tab);
    }
    const waits: number[] = [];
    for (let turn = 0; turn < messages; turn += 1) {
      context.say(`message ${turn + 1}`);
      waits.push(...(await followOne(visit, tabs, `+3361234${String(6_000 + turn)}`)));
    }
    context.say(`${idleSeconds} seconds of nothing`);
    const asked = await idleRequests(tabs);
    return [
      { ...timesRow(`a status on screen after its commit, ${tabCount} tabs open`, waits), mostP95Ms: 1_000 },
      {
        ...emptyRow,
        name: `requests of ${tabCount} idle tabs in ${idleSeconds} s: ${asked.length}`,
        perSecond: asked.length / idleSeconds,
        errors: asked.length,
        firstError: asked[0] ?? null,
      },
    ];
  } finally {
    await visit.close();
  }
}

/** Has the page remember when it first showed each number with each status. */
const watch = (tab: Page) =>
  tab.evaluate(`(() => {
    window.shownAt = {};
    const note = () => {
      for (const state of document.querySelectorAll('tbody [data-state]')) {
        const shown = state.closest('tr').cells[2].textContent + ' ' + state.dataset.state;
        window.shownAt[shown] ??= Date.now();
      }
    };
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true });
  })()`);

/** From the commit of the last thing that became of a message until each tab shows it. */
async function followOne(visit: Visit, tabs: Page[], to: string): Promise<number[]> {
  const template = { name: 'hello_world', language: 'en' };
  const { sid } = await call(visit, 'POST', 'messages', { to, type: 'template', template });
  let read = (await call(visit, 'GET', `events?resourceSid=${sid}&type=message.read`)).data[0];
  for (; !read; read = (await call(visit, 'GET', `events?resourceSid=${sid}&type=message.read`)).data[0])
    await sleep(100);
  const shown = await Promise.all(
    tabs.map(async (tab) => {
      for (;;) {
        const at = await tab.evaluate<number | null>(`window.shownAt['${to} read'] ?? null`);
        if (at !== null) return at;
        await sleep(50);
      }
    }),
  );
  // Two in a row would share what is read anew.
  await sleep(1_500);
  return shown.map((at) => at - Date.parse(read.createdAt));
}

async function idleRequests(tabs: Page[]): Promise<string[]> {
  const asked: string[] = [];
  for (const tab of tabs) tab.on('request', (request) => asked.push(`${request.method()} ${request.url()}`));
  await sleep(idleSeconds * 1_000);
  return asked;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of our own API, read by their field names
type Answer = any;

async function call(
  { godwit, accountSid, key }: Visit,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const answer = await fetch(`${godwit.url}/v1/accounts/${accountSid}/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { 'idempotency-key': randomUUID(), 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`);
  return JSON.parse(text);
}
