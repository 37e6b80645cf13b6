// Commands for the tax rates that the operator keeps.
import { type Command, InvalidArgumentError } from 'commander';
import { ConfigError } from '../../../platform/config.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { neededOption, print, text, withCore } from '../command-tools.ts';

export function addTaxCommands(program: Command): void {
  const rates = program
    .command('tax')
    .description('taxes')
    .command('rates')
    .description('the table of tax rates');

  rates
    .command('set')
    .description(
      'add a rate from a day on; rates are never changed, so that what was taxed can be computed again',
    )
    .addOption(neededOption('--jurisdiction <name>', 'where, such as FR or US-NY', text(128)))
    .addOption(
      neededOption('--code <code>', 'what for, as tax profiles name it, such as standard', text(128)),
    )
    .addOption(
      neededOption('--name <name>', 'how documents call it; each name is a line of its own', text(128)),
    )
    .addOption(neededOption('--rate <percent>', 'such as 20 or 9.975; "none" ends it', percent))
    .addOption(neededOption('--from <day>', 'the first day in UTC, such as 2027-01-01', day))
    .action((options: { jurisdiction: string; code: string; name: string; rate: string; from: string }) =>
      withCore(async ({ database, clock }) => {
        const { addTaxRate } = await import('../../../modules/billing-documents/index.ts');
        const { rate, from: validFrom, jurisdiction, code, name } = options;
        const ratePpm = rate === 'none' ? null : toPpm(rate);
        try {
          await database.system((s) =>
            addTaxRate(s, clock.now(), { jurisdiction, code, name, ratePpm, validFrom }),
          );
        } catch (error) {
          throw error instanceof ApiError && error.code === 'CONFLICT'
            ? new ConfigError(error.message)
            : error;
        }
        print(
          `${jurisdiction} ${code} ${name}: ${rate === 'none' ? 'ends' : `${rate} %`} from ${validFrom} on.`,
        );
      }),
    );

  rates
    .command('list')
    .description('show the rates')
    .option('--json', 'print them as JSON; rates are in millionths')
    .action((options: { json?: boolean }) =>
      withCore(async ({ database }) => {
        const { listTaxRates } = await import('../../../modules/billing-documents/index.ts');
        const all = await database.system(listTaxRates);
        if (options.json) return print(JSON.stringify(all));
        for (const { jurisdiction, code, name, ratePpm, validFrom } of all)
          print(
            `${jurisdiction}  ${code}  ${name}  ${ratePpm === null ? 'ends' : `${ratePpm / 10_000} %`}  from ${validFrom}`,
          );
      }),
    );
}

const toPpm = (rate: string): number => {
  const [units = '0', decimals = ''] = rate.split('.');
  return Number(`${units}${decimals.padEnd(4, '0')}`);
};

function percent(given: string): string {
  const isRate = /^\d{1,3}(\.\d{1,4})?$/.test(given) && toPpm(given) <= 1_000_000;
  if (given !== 'none' && !isRate)
    throw new InvalidArgumentError(
      'It must be a percentage from 0 to 100 with at most 4 decimals, or "none".',
    );
  return given;
}

function day(given: string): string {
  const isDay =
    /^\d{4}-\d{2}-\d{2}$/.test(given) && new Date(`${given}T00:00:00Z`).toJSON()?.startsWith(given);
  if (!isDay) throw new InvalidArgumentError('It must be a day such as 2027-01-01.');
  return given;
}
