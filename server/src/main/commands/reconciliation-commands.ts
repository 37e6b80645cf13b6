// Commands for differences with the provider: compare a period, read an itemised file, agree to a new price.
import { type Command, InvalidArgumentError } from 'commander';
import { isSid } from '../../platform/ids.ts';
import {
  type AccountOptions,
  accountSid,
  inAccount,
  neededOption,
  print,
  withCore,
} from './command-tools.ts';

export function addReconciliationCommands(program: Command): void {
  const reconciliation = program
    .command('reconciliation')
    .description("the provider's records of what was delivered and charged, against ours");

  reconciliation
    .command('run')
    .description("compare days with the provider's own figures; differences open cases")
    .addOption(neededOption('--account <AC…>', 'the account', accountSid))
    .addOption(neededOption('--from <day>', 'the first day, in UTC, such as 2026-10-01', day))
    .addOption(neededOption('--to <day>', 'the day after the last one; not later than today', day))
    .option('--live', 'of the live environment instead of the sandbox')
    .action((options: AccountOptions & { from: string; to: string }) =>
      inAccount(options, async (context, tenant) => {
        const { compareDays } = await import('./reconciliation.ts');
        print(await compareDays(context, tenant, options));
      }),
    );

  reconciliation
    .command('import')
    .description(
      'read an itemised file of charges (CSV: message_id, category, type, delivered_at, billable); differences open cases',
    )
    .argument('<file>', 'the file')
    .addOption(neededOption('--account <AC…>', 'the account', accountSid))
    .option('--rejected <file>', 'write the rows that could not be read there, as CSV')
    .option('--live', 'of the live environment instead of the sandbox')
    .action((file: string, options: AccountOptions & { rejected?: string }) =>
      inAccount(options, async (context, tenant) => {
        const { importCharges } = await import('./reconciliation.ts');
        if (!(await importCharges(context, tenant, { file, ...options }, print))) process.exitCode = 1;
      }),
    );

  reconciliation
    .command('partner-totals')
    .description(
      "the provider's monthly bills for the accounts the operator pays for, against what those were charged for it",
    )
    .action(() =>
      withCore(async ({ database }) => {
        const { partnerTotals } = await import('./reconciliation.ts');
        if (!(await partnerTotals(database, print))) process.exitCode = 1;
      }),
    );

  program
    .command('billing')
    .description("the operator's part in what customers are charged")
    .command('sign-remediation')
    .description(
      'agree that the messages of a case are charged anew: prints the signature the customer sends',
    )
    .addOption(neededOption('--account <AC…>', 'the account', accountSid))
    .addOption(neededOption('--case <CS…>', 'the case', caseSid))
    .addOption(
      neededOption(
        '--pricing <file>',
        'the pricing as it will be sent, as JSON; - reads standard input',
        (text) => text,
      ),
    )
    .option('--live', 'of the live environment instead of the sandbox')
    .action((options: AccountOptions & { case: string; pricing: string }) =>
      inAccount(options, async (context, tenant) => {
        const { signCase } = await import('./reconciliation.ts');
        print(await signCase(context, tenant, options));
      }),
    );
}

function day(text: string): string {
  const at = new Date(`${text}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(at.getTime()) || !at.toISOString().startsWith(text))
    throw new InvalidArgumentError('It must be a day such as 2026-10-01.');
  return text;
}

function caseSid(text: string): string {
  if (!isSid('CS', text)) throw new InvalidArgumentError('It must be the SID of a case such as CS01….');
  return text;
}
