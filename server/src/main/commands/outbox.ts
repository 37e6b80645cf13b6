// `godwit outbox`: what would have been mailed.
import { styleText } from 'node:util';
import { outboxFolder, readOutbox } from '../../adapters/email/outbox.ts';
import { ConfigError } from '../../platform/config.ts';

export async function describeOutbox(dataDir: string, which?: string): Promise<string> {
  const folder = outboxFolder(dataDir);
  const mails = await readOutbox(folder);
  if (which !== undefined) {
    const mail = which === 'last' ? mails.at(-1) : mails[Number(which) - 1];
    if (!mail) throw new ConfigError(`There is no mail ${which} in ${folder}.`);
    return `To: ${mail.to}\nSubject: ${mail.subject}\nDate: ${mail.date}\n\n${mail.text.trimEnd()}`;
  }
  if (mails.length === 0) return `There is no mail in ${folder}.`;
  const lines = mails.map(
    ({ to, subject, date }, i) => `${String(i + 1).padStart(4)}  ${date}  ${to}  ${subject}`,
  );
  return [...lines, styleText('dim', `Files in ${folder}; "godwit outbox <number>" shows one.`)].join('\n');
}
