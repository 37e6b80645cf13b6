// The operator's word to everybody who uses the service: of something that is wrong, or of something new.
import { type Command, InvalidArgumentError } from 'commander';
import type { AnnouncedCategory } from '../../platform/notification-categories.ts';
import { neededOption, print, text, withCore } from './command-tools.ts';

type Options = { titleEn: string; bodyEn: string; titleFr: string; bodyFr: string };

/** Titles are the subjects of mails. */
const line = (maxLength: number) => (given: string) => {
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(given))
    throw new InvalidArgumentError('It must be one line without control characters.');
  return text(maxLength)(given);
};

const longestTitle = 150;
const longestBody = 2_000;

export function addAnnounceCommands(program: Command): void {
  const announce = program
    .command('announce')
    .description('tell everybody in every account: a notification, and mail to those who want it');
  const kinds: [name: string, category: AnnouncedCategory, means: string][] = [
    ['incident', 'incident', 'something is wrong; mailed at once unless somebody turned it off'],
    ['product-update', 'product_update', 'something is new; mailed only to those who turned it on'],
  ];
  for (const [name, category, means] of kinds)
    announce
      .command(name)
      .description(means)
      .addOption(neededOption('--title-en <text>', 'the title in English', line(longestTitle)))
      .addOption(neededOption('--body-en <text>', 'the text in English', line(longestBody)))
      .addOption(neededOption('--title-fr <text>', 'the title in French', line(longestTitle)))
      .addOption(neededOption('--body-fr <text>', 'the text in French', line(longestBody)))
      .action((options: Options) => tellEverybody(category, options));
}

const tellEverybody = (category: AnnouncedCategory, { titleEn, bodyEn, titleFr, bodyFr }: Options) =>
  withCore(async ({ database, clock }) => {
    const { announce, notificationChannel } = await import('../../modules/notifications/index.ts');
    const words = { en: { title: titleEn, body: bodyEn }, fr: { title: titleFr, body: bodyFr } };
    const { id } = await database.system((s) => announce(s, clock.now(), { category, words }));
    database.tell(notificationChannel);
    print(`Announced to everybody as ${category}, ${id}:`);
    for (const [locale, { title, body }] of Object.entries(words))
      print(`  ${locale}  ${title}\n      ${body}`);
    print('Workers send the mail.');
  });
