// Commands for long work.
import type { Command } from 'commander';
import { type AccountOptions, accountSid, inAccount, neededOption, print, sidOf } from '../command-tools.ts';

export function addOperationCommands(program: Command): void {
  const operations = program.command('operations').description('long work and how far it is');

  operations
    .command('list')
    .description('list the newest operations of an account')
    .addOption(neededOption('--account <AC…>', 'the account', accountSid))
    .option('--live', 'of the live environment instead of the sandbox')
    .option('--json', 'print them as JSON')
    .action((options: AccountOptions) =>
      inAccount(options, async (context, tenant) => {
        const { describeOperation, recentOperations } = await import('./operations.ts');
        const found = await recentOperations(context, tenant);
        if (options.json) return print(JSON.stringify(found));
        for (const one of found)
          print(`${one.sid}  ${one.createdAt}  ${one.type.padEnd(24)}  ${describeOperation(one)}`);
        if (found.length === 0) print('There are no operations.');
      }),
    );

  operations
    .command('watch')
    .description('follow an operation to its end')
    .argument('<OP…>', 'the operation', sidOf('OP', 'an operation'))
    .addOption(neededOption('--account <AC…>', 'the account', accountSid))
    .option('--live', 'in the live environment instead of the sandbox')
    .action((sid: string, options: AccountOptions) =>
      inAccount(options, async (context, tenant) => {
        const { watchOperation } = await import('./operations.ts');
        const { state } = await watchOperation(context, tenant, sid, process.stdout);
        if (state !== 'SUCCEEDED') process.exitCode = 1;
      }),
    );
}
