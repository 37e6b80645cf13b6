import type { Mailer } from '../../modules/mails/index.ts';
import { systemClock } from '../../platform/clock.ts';
import { ConfigError } from '../../platform/config.ts';
import { parseSender } from './headers.ts';
import { outboxFolder, outboxMailer } from './outbox.ts';
import { type Dkim, smtpMailer } from './smtp.ts';

type DkimSettings = {
  dkimDomain: string | null;
  dkimSelector: string | null;
  dkimPrivateKey: string | null;
};
type Settings = { smtpUrl: string | null; mailFrom: string; dataDir: string } & Partial<DkimSettings>;

export function createMailer(settings: Settings): Mailer {
  const { smtpUrl, mailFrom, dataDir } = settings;
  const from = parseSender(mailFrom);
  const dkim = dkimOf(settings);
  return smtpUrl ? smtpMailer(smtpUrl, from, dkim) : outboxMailer(outboxFolder(dataDir), from, systemClock);
}

/** All of it or nothing: mail that an operator believes to be signed must be. */
function dkimOf({
  dkimDomain: domainName = null,
  dkimSelector: keySelector = null,
  dkimPrivateKey: privateKey = null,
}: Settings): Dkim | null {
  if (domainName !== null && keySelector !== null && privateKey !== null)
    return { domainName, keySelector, privateKey };
  if (domainName === null && keySelector === null && privateKey === null) return null;
  throw new ConfigError('DKIM_DOMAIN, DKIM_SELECTOR and DKIM_PRIVATE_KEY must be set together.');
}
