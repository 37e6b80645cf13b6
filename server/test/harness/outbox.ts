// Mail as it arrives: laid into a folder of the test, read when the job has sent it.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OutboxMail, outboxFolder, readOutbox } from '../../src/adapters/email/outbox.ts';
import { startTestApp } from './app.ts';
import type { Lifetime } from './lifetime.ts';
import { until } from './until.ts';

/** A whole service, worker included, with an outbox of its own. */
export async function startMailingApp(lifetime: Lifetime, options: Parameters<typeof startTestApp>[1] = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'godwit-mail-'));
  const app = await startTestApp(lifetime, { ...options, role: 'all', dataDir });
  const mailsTo = async (address: string) =>
    (await readOutbox(outboxFolder(dataDir))).filter(({ to }) => to.includes(address));
  return {
    ...app,
    dataDir,
    mailsTo,
    /** The nth mail to an address, waited for. */
    mailTo: (address: string, count = 1): Promise<OutboxMail> =>
      until(`mail ${count} to ${address}`, async () => {
        const mails = await mailsTo(address);
        return mails.length >= count ? mails.at(-1)! : null;
      }),
  };
}

export type MailingApp = Awaited<ReturnType<typeof startMailingApp>>;

export const linkIn = ({ text }: OutboxMail): string => /https?:\/\/\S+/.exec(text)?.[0] ?? '';

export const tokenIn = ({ text }: OutboxMail): string => /#token=([\w-]{43})/.exec(text)?.[1] ?? '';
