// Commands for accounts: keeping one from acting, and letting it act again.
import type { Command } from 'commander';
import { accountSid, inAccount, neededOption, print, text } from '../command-tools.ts';

type Options = { account: string; reason: string; json?: boolean };

export function addAccountCommands(program: Command): void {
  const accounts = program.command('accounts').description('whether accounts may act');
  const kinds = [
    [
      'suspend',
      'keep an account from sending and changing anything; it can be read, and what people write to it is stored',
    ],
    ['resume', 'let a suspended account act again; what waits in it leaves'],
  ] as const;
  for (const [name, means] of kinds)
    accounts
      .command(name)
      .description(means)
      .addOption(neededOption('--account <AC…>', 'the account', accountSid))
      .addOption(neededOption('--reason <text>', 'why; the account is shown it', text(500)))
      .option('--json', 'print the account as the API tells it')
      .action((options: Options) =>
        inAccount(options, async (context) => {
          const commands = await import('./accounts.ts');
          const account = await commands[name](context, options);
          if (options.json) return print(JSON.stringify(account));
          print(`${account.sid} is ${account.status}.`);
        }),
      );
}
