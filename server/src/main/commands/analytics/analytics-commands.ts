// Commands for the numbers of an account: whether they are those of its messages, and how they become so again.
import { type Command, InvalidArgumentError } from 'commander';
import { isDay } from '../../../platform/clock.ts';
import { type AccountOptions, accountSid, inAccount, neededOption, print } from '../command-tools.ts';

type DayOptions = AccountOptions & { day?: string };

export function addAnalyticsCommands(program: Command): void {
  const analytics = program.command('analytics').description('the numbers of messages and their costs');
  const command = (name: string, description: string) =>
    analytics
      .command(name)
      .description(description)
      .addOption(neededOption('--account <AC…>', 'the account', accountSid))
      .option('--day <day>', 'only this day, in UTC, such as 2026-08-21', aDay)
      .option('--live', 'of the live environment instead of the sandbox');

  command('verify', 'recompute the numbers of each day from its messages and name every difference').action(
    (options: DayOptions) =>
      inAccount(options, async (context, tenant) => {
        const { proveNumbers } = await import('./analytics.ts');
        if (!(await proveNumbers(context, tenant, options.day, print))) process.exitCode = 1;
      }),
  );

  command('rebuild', 'count the messages of each day anew').action((options: DayOptions) =>
    inAccount(options, async (context, tenant) => {
      const { countAnew } = await import('./analytics.ts');
      print(await countAnew(context, tenant, options.day));
    }),
  );
}

function aDay(text: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || !isDay(text))
    throw new InvalidArgumentError('It must be a day such as 2026-08-21.');
  return text;
}
