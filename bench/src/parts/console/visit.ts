// Somebody who has signed in to a service of their own, in the browser that the tests use.
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { openCore } from '../../../../server/src/main/process/core.ts';
import { addOwner, bootstrap, type Owner } from '../../../../server/src/main/process/demo.ts';
import { asOperator } from '../../../../server/src/main/process/keys.ts';
import { readConfig } from '../../../../server/src/main/settings.ts';
import { creditWallet } from '../../../../server/src/modules/billing/index.ts';
import { systemClock } from '../../../../server/src/platform/clock.ts';
import { newUuid } from '../../../../server/src/platform/ids.ts';
import { money } from '../../../../server/src/platform/money.ts';
import { silentLog } from '../../../../server/src/platform/observability/logging.ts';
import { launchBrowser } from '../../../../server/test/harness/browser.ts';
import { type Context, emptyRow, type Row } from '../../part.ts';
import type { Godwit } from '../../stage.ts';
import { quantile } from '../webhooks-data.ts';

/** How much slower than this machine the page's own is taken to be. */
export const slowdown = 4;

export type Visit = {
  godwit: Godwit;
  accountSid: string;
  key: string;
  owner: Owner;
  browser: BrowserContext;
  page: Page;
  /** Talks to the browser itself about the page. */
  devtools: CDPSession;
  /** Where a page of the console is. */
  at(path: string): string;
  close(): Promise<void>;
};

type Account = { godwit: Godwit; accountSid: string };

/** `prepare` fills the account before anybody looks. */
export async function openVisit(
  { stage, say }: Context,
  prepare: (account: Account) => Promise<void> = async () => {},
): Promise<Visit> {
  const godwit = await stage.startGodwit({ role: 'all', env: { SIMULATOR_PORT: '0' } });
  const { accountSid, key, owner } = await makeAccount(godwit);
  await prepare({ godwit, accountSid });
  say('waiting for the console');
  await untilServed(godwit.url);
  const launched = await launchBrowser();
  const browser = await launched.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 900 } });
  browser.setDefaultTimeout(600_000); // out of reach, on the busiest machine
  const page = await browser.newPage();
  await signIn(page, godwit.url, owner);
  const at = (path: string) => `${godwit.url}/console/sandbox/${accountSid}${path}`;
  const devtools = await browser.newCDPSession(page);
  return { godwit, accountSid, key, owner, browser, page, devtools, at, close: () => launched.close() };
}

async function makeAccount(godwit: Godwit) {
  const core = await openCore(readConfig({ DATA_DIR: godwit.dataDir }), godwit.databaseUrl, silentLog);
  const context = { database: core.database, clock: systemClock, log: silentLog };
  const names = { organizationName: 'Bench', accountName: 'Bench', region: 'local' };
  const { accountSid, sandboxKey } = await bootstrap(context, names);
  const owner = await addOwner(context, accountSid, 'owner@bench.test');
  await core.database.write({ accountSid, livemode: false }, asOperator(context, false), (t) =>
    creditWallet(t, { amount: money(10n ** 13n, 'USD', 6), reason: 'bench', reference: newUuid(t.now) }),
  );
  await core.database.close();
  return { accountSid, key: sandboxKey, owner: owner! };
}

/** Until then a page says that the console is being built. */
async function untilServed(url: string): Promise<void> {
  while (!(await fetch(`${url}/console`)).ok) await sleep(50);
}

async function signIn(page: Page, url: string, { email, password }: Owner) {
  await page.goto(`${url}/console/sign-in`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
}

export const slowDown = ({ devtools }: Visit, rate = slowdown) =>
  devtools.send('Emulation.setCPUThrottlingRate', { rate });

/** What the page keeps once it was tidied up. */
export async function heapMb({ devtools }: Visit): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  return usedSize / 1e6;
}

export function timesRow(name: string, timesMs: number[]): Row {
  const sorted = timesMs.toSorted((a, b) => a - b);
  return {
    ...emptyRow,
    name,
    perSecond: 0,
    p50Ms: quantile(sorted, 0.5),
    p95Ms: quantile(sorted, 0.95),
    p99Ms: quantile(sorted, 0.99),
    longestMs: sorted.at(-1)!,
  };
}
