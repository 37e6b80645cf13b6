// Second factors as people in front of the console show them.
import type { Page } from 'playwright-core';
import type { Person } from '../../server/test/harness/people.ts';
import { isHome, type Stage, signIn } from './stage.ts';
import type { Visitor } from './visitor.ts';

export const stepUpDialog = (page: Page) => page.getByRole('dialog', { name: 'Confirm that it is you' });

/** Into the dialog that asks for it. */
export async function withCode(page: Page, code: string): Promise<void> {
  await stepUpDialog(page).getByLabel('Code').fill(code);
  await stepUpDialog(page).getByRole('button', { name: 'Confirm' }).click();
}

/** A code works once in its 30 seconds; a story that needs several should not have to move the clock for it. */
export async function freshCode({ app }: Stage, { userSid, totp }: Person): Promise<string> {
  await renewCodes(app, userSid);
  return totp!.code();
}

export const renewCodes = (app: Stage['app'], userSid: string) =>
  app.sql('update mfa_credentials set last_step = null where user_sid = $1', [userSid]);

export async function enteredWithCode(stage: Stage, person: Person): Promise<Visitor> {
  const made = await stage.visitor();
  await made.page.goto(`${stage.app.url}/console/sign-in`);
  await signIn(made.page, person.email);
  await made.page.getByLabel('Code').fill(await freshCode(stage, person));
  await made.page.getByRole('button', { name: 'Confirm' }).click();
  await isHome(made.page);
  return made;
}
