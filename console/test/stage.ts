// A whole service with the console, a browser in front of it, and somebody who may do everything.
import { after, before } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../server/test/harness/browser.ts';
import { builtConsole } from '../../server/test/harness/console.ts';
import { type Lifetime, sharedLifetime } from '../../server/test/harness/lifetime.ts';
import { type MailingApp, startMailingApp } from '../../server/test/harness/outbox.ts';
import { type Person, sessionCookie } from '../../server/test/harness/people.ts';
import { goodPassword, withPassword } from '../../server/test/harness/sign-in.ts';
import { onThisMachine } from '../../server/test/harness/webhooks.ts';
import { type Visitor, visitorIn } from './visitor.ts';

export type Stage = {
  app: MailingApp;
  lifetime: Lifetime;
  owner: Person;
  visitor(options?: object): Promise<Visitor>;
  /** Gives a visitor the session of somebody, and brings them home. The form by which people sign in is for the tests about it. */
  enter(visitor: Visitor, email?: string): Promise<void>;
  /** Somebody who has signed in, on their way by themselves. */
  signedIn(email?: string, options?: object): Promise<Visitor>;
  home(environment: 'sandbox' | 'live'): string;
};

type StageOptions = Parameters<typeof launchBrowser>[0];

/** For the tests of a file; what it holds is there once they run. */
export function sharedStage(options: StageOptions = {}): Stage {
  const { stage, open, close } = stageIn(sharedLifetime(), options);
  before(open);
  after(close);
  return stage;
}

/** One that is there at once, until the end of something else than a file of tests. */
export async function openStage(lifetime: Lifetime, options: StageOptions = {}): Promise<Stage> {
  const { stage, open, close } = stageIn(lifetime, options);
  lifetime.after(close);
  await open();
  return stage;
}

function stageIn(lifetime: Lifetime, options: StageOptions) {
  const stage = { lifetime } as Stage;
  let browser: Browser | undefined;
  const open = async () => {
    stage.app = await startMailingApp(lifetime, {
      simulator: true,
      console: await builtConsole(),
      env: onThisMachine,
    });
    browser = await launchBrowser(options);
    stage.owner = await withPassword(stage.app);
  };
  const close = async () => browser?.close();
  stage.visitor = (options = {}) =>
    visitorIn(browser!, { url: stage.app.url, now: stage.app.clock.now(), ...options });
  stage.home = (environment) => `${stage.app.url}/console/${environment}/${stage.app.accountSid}`;
  stage.enter = async ({ context, page }, email = stage.owner.email) => {
    const cookie = await sessionCookie(stage.app, email);
    const { hostname: domain } = new URL(stage.app.url);
    await context.addCookies([
      { ...cookie, domain, path: '/', secure: true, httpOnly: true, sameSite: 'Lax' },
    ]);
    await page.goto(`${stage.app.url}/console/`);
    await isHome(page);
  };
  stage.signedIn = async (email, options = {}) => {
    const made = await stage.visitor(options);
    await stage.enter(made, email);
    return made;
  };
  return { stage, open, close };
}

export async function signIn(page: Page, email: string, password = goodPassword): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

export const isHome = (page: Page) => page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();

/** Gives a page a passkey's device of its own, which knows its owner. */
export async function withAuthenticator({ context, page }: Visitor) {
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
  } as const;
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options });
  const recognize = (isUserVerified: boolean) =>
    cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  return { recognize };
}
