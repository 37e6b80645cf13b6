// Commands for the provider's callbacks.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { print, withCore } from './command-tools.ts';

export function addCallbackCommands(program: Command): void {
  const callbacks = program.command('callbacks').description("the provider's callbacks");

  callbacks
    .command('list')
    .description(
      "list callbacks that are not done: due, kept (not understood or nobody's) or parked (failed)",
    )
    .addOption(new Option('--state <state>', 'only these').choices(['due', 'kept', 'parked']))
    .option('--json', 'print them as JSON')
    .action((options: { state?: 'due' | 'kept' | 'parked'; json?: boolean }) =>
      withCore(async ({ database }) => {
        const { listCallbacks } = await import('../callbacks.ts');
        await listCallbacks(database, options, print);
      }),
    );

  callbacks
    .command('show')
    .description('print one callback with its body, as the provider sent it')
    .argument('<id>', 'the number shown by "callbacks list"', callbackId)
    .action((id: string) =>
      withCore(async ({ database }) => {
        const { printCallback } = await import('../callbacks.ts');
        await printCallback(database, id, print);
      }),
    );

  callbacks
    .command('retry')
    .description('work on callbacks again; what was applied already is not applied twice')
    .argument('[ids...]', 'the numbers shown by "callbacks list"', (id: string, before: string[] = []) => [
      ...before,
      callbackId(id),
    ])
    .addOption(new Option('--all <state>', 'all of a state instead').choices(['kept', 'parked']))
    .action((ids: string[] | undefined, options: { all?: 'kept' | 'parked' }) =>
      withCore(async ({ database }) => {
        const { retry } = await import('../callbacks.ts');
        await retry(database, ids ?? [], options.all, print);
      }),
    );
}

function callbackId(text: string): string {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError('It must be a number such as 42.');
  return text;
}
