// Commands for numbers that move to another business account.
import type { Command } from 'commander';
import type { MigrationUnderWay } from '../../../modules/number-migrations/index.ts';
import { print, withCore } from '../command-tools.ts';

type Options = { live?: boolean; json?: boolean };

export function addNumberMigrationCommands(program: Command): void {
  program
    .command('number-migrations')
    .description('numbers that move to another business account')
    .command('list')
    .description('show the migrations of all accounts that have not ended, the oldest first')
    .option('--live', 'those of the live environment; without it, of the sandbox')
    .option('--json', 'print them as JSON')
    .action(({ live = false, json }: Options) =>
      withCore(async ({ database }) => {
        const { migrationsUnderWay } = await import('../../../modules/number-migrations/index.ts');
        const found = (await database.system(migrationsUnderWay)).filter(({ livemode }) => livemode === live);
        if (json) return print(JSON.stringify(found));
        if (found.length === 0) print('No number is being migrated.');
        for (const one of found) print(describe(one));
      }),
    );
}

const describe = ({ accountSid, sid, phoneNumber, step, state, awaits, updatedAt }: MigrationUnderWay) =>
  [
    accountSid,
    sid,
    phoneNumber,
    step,
    awaits === null ? state : `waits for ${awaits}`,
    `since ${updatedAt}`,
  ].join('  ');
