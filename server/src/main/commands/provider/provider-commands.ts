// Commands for the provider's API itself: whether a version of it answers as we rely on.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { neededOption, print, withCore } from '../command-tools.ts';

type Options = { environment: 'live' | 'sandbox'; version: string; json?: boolean };

export function addProviderCommands(program: Command): void {
  program
    .command('provider')
    .description("the provider's API and its versions")
    .command('contract')
    .description(
      'check that a version of the API answers as we rely on, and store the evidence; live accounts are only read',
    )
    .addOption(
      new Option('--environment <environment>', 'for which the evidence is')
        .choices(['live', 'sandbox'])
        .default('sandbox'),
    )
    .addOption(neededOption('--version <version>', 'such as v25.0', version))
    .option('--json', 'print the stored run as JSON')
    .action((options: Options) =>
      withCore(async (context, config, core) => {
        const { tryVersion } = await import('./try-version.ts');
        if (!(await tryVersion({ context, config, core }, options, print))) process.exitCode = 1;
      }),
    );
}

function version(text: string): string {
  if (!/^v\d{1,3}\.\d$/.test(text)) throw new InvalidArgumentError('It must be a version such as v25.0.');
  return text;
}
