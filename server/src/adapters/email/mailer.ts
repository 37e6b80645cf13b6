import type { Mailer } from '../../modules/mails/index.ts';
import { systemClock } from '../../platform/clock.ts';
import { parseSender } from './headers.ts';
import { outboxFolder, outboxMailer } from './outbox.ts';
import { smtpMailer } from './smtp.ts';

type Settings = { smtpUrl: string | null; mailFrom: string; dataDir: string };

export function createMailer({ smtpUrl, mailFrom, dataDir }: Settings): Mailer {
  const from = parseSender(mailFrom);
  return smtpUrl ? smtpMailer(smtpUrl, from) : outboxMailer(outboxFolder(dataDir), from, systemClock);
}
