// The commands. Those run beside a started service find its embedded database through the data folder.
import { styleText } from 'node:util';
import { Command, CommanderError, Option } from 'commander';
import { ConfigError } from '../platform/config.ts';
import { addAccessCommands } from './commands/access-commands.ts';
import { addAccountCommands } from './commands/accounts/account-commands.ts';
import { addAnalyticsCommands } from './commands/analytics/analytics-commands.ts';
import { addAnnounceCommands } from './commands/announce-commands.ts';
import { addPaymentCommands } from './commands/billing/payment-commands.ts';
import { addTaxCommands } from './commands/billing/tax-commands.ts';
import { addCallbackCommands } from './commands/callback-commands.ts';
import { addCampaignCommands } from './commands/campaigns/campaign-commands.ts';
import { print, refuseMissingOptions, text, withCore, withDatabase } from './commands/command-tools.ts';
import { addConsoleCommands } from './commands/console/console-commands.ts';
import { addOnboardingCommands } from './commands/onboarding/onboarding-commands.ts';
import { addOperationCommands } from './commands/operations/operation-commands.ts';
import { addPlanCommands } from './commands/plans/plan-commands.ts';
import { addPrivacyCommands } from './commands/privacy/privacy-commands.ts';
import { addNumberMigrationCommands } from './commands/provider/number-migration-commands.ts';
import { addProviderCommands } from './commands/provider/provider-commands.ts';
import { reasonOf } from './commands/reason.ts';
import { addReconciliationCommands } from './commands/reconciliation-commands.ts';
import { addRecordCommands } from './commands/record-commands.ts';
import { addSimulateCommands } from './commands/simulate-commands.ts';
import { addStaffCommands } from './commands/staff/staff-commands.ts';
import { addWebhookCommands } from './commands/webhook-commands.ts';
import { addWorkflowCommands } from './commands/workflows/workflow-commands.ts';
import type { Role } from './process/service.ts';
import { readConfig } from './settings.ts';

/** Where help and mistakes are written. */
export type CommandOutput = { writeOut(text: string): void; writeErr(text: string): void };

/** Runs one command. Answers with the code to exit with; one that ran may have set that of the process. */
export async function runCommandLine(args: string[], output: CommandOutput): Promise<number> {
  try {
    await commandsWritingTo(output).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    output.writeErr(`godwit: ${oneLine(reasonOf(error))}\n`);
    return error instanceof ConfigError ? 2 : 1;
  }
}

const oneLine = (text: string) => text.trim().replaceAll(/\s*\n\s*/g, ' ');

// Each command loads what it needs when it runs, so that `--help` and `openapi` answer at once.
function commandsWritingTo(output: CommandOutput): Command {
  const program = new Command('godwit')
    .description('Business messaging over WhatsApp, started by one command.')
    .configureOutput({
      ...output,
      outputError: (text, write) => write(`${oneLine(text.replace(/^error: /, 'godwit: '))}\n`),
    })
    .exitOverride()
    .showHelpAfterError(false);

  program.hook('preAction', (_program, command) => refuseMissingOptions(command));

  program
    .command('start')
    .description('start the service')
    .addOption(
      new Option('--role <role>', 'what this process does')
        .choices(['all', 'api', 'worker', 'simulator'])
        .default('all'),
    )
    .action(async ({ role }: { role: Role | 'simulator' }) => {
      // First of all: a wrong variable is told without loading the service.
      const config = readConfig();
      const { start } = await import('./process/start.ts');
      await start(config, role);
    });

  program
    .command('migrate')
    .description('bring the database to the current schema')
    .action(() =>
      withDatabase(async (_config, url) => {
        const { migrate } = await import('../platform/db/setup/migrate.ts');
        const { applied, total } = await migrate(url, (name) => print(`applied ${name}`));
        print(applied.length === 0 ? `Nothing to do: all ${total} migrations are applied.` : 'Done.');
      }),
    );

  program
    .command('openapi')
    .description('print the OpenAPI document')
    .action(async () => {
      const [{ api }, { openApiDocument }] = await Promise.all([
        import('./modules.ts'),
        import('../platform/http/openapi/openapi.ts'),
      ]);
      const config = readConfig();
      print(
        JSON.stringify(openApiDocument(api, config.publicUrl ?? `http://localhost:${config.port}`), null, 2),
      );
    });

  program
    .command('bootstrap')
    .description('create an organization with an account and its first keys')
    .option('--organization <name>', 'name of the organization', text(200), 'My organization')
    .option('--account <name>', 'name of the account', text(200), 'My account')
    .option('--json', 'print {baseUrl, accountSid, sandboxKey, liveKey} for scripts')
    .action((options: { organization: string; account: string; json?: boolean }) =>
      withCore(async (context, config) => {
        const { bootstrap } = await import('./process/demo.ts');
        const names = { organizationName: options.organization, accountName: options.account };
        const made = await bootstrap(context, { ...names, region: config.region });
        const { runningServiceUrl } = await import('../platform/jobs/liveness.ts');
        const running = await context.database.system(runningServiceUrl);
        const baseUrl = config.publicUrl ?? running ?? `http://localhost:${config.port}`;
        const result = { baseUrl, ...made };
        if (options.json) return print(JSON.stringify(result));
        for (const [name, value] of Object.entries(result)) print(`${name.padEnd(12)}${value}`);
        print('The keys are shown this once.');
      }),
    );

  addAccessCommands(program);
  addAccountCommands(program);
  program
    .command('outbox')
    .description('mail that was not sent, because SMTP_URL is not set')
    .argument('[number]', 'show this mail; "last" shows the newest')
    .action(async (which?: string) => {
      const { describeOutbox } = await import('./commands/outbox.ts');
      print(await describeOutbox(readConfig().dataDir, which));
    });

  addConsoleCommands(program);
  addAnalyticsCommands(program);
  addAnnounceCommands(program);
  addRecordCommands(program);
  addCallbackCommands(program);
  addCampaignCommands(program);
  addOperationCommands(program);
  addProviderCommands(program);
  addReconciliationCommands(program);
  addSimulateCommands(program);
  addStaffCommands(program);
  addOnboardingCommands(program);
  addPlanCommands(program);
  addNumberMigrationCommands(program);
  addPrivacyCommands(program);
  addTaxCommands(program);
  addPaymentCommands(program);
  addWebhookCommands(program);
  addWorkflowCommands(program);

  program
    .command('doctor')
    .description(
      "check database, migrations, clock, disk, queue, media, mail and the provider's version, and say what to do",
    )
    .option('--json', 'print the findings as JSON')
    .action((options: { json?: boolean }) =>
      withDatabase(async (config, url) => {
        const { examine } = await import('./commands/doctor.ts');
        const findings = await examine(config, url);
        if (options.json) print(JSON.stringify(findings));
        else for (const finding of findings) print(describe(finding));
        if (findings.some(({ verdict }) => verdict === 'problem')) process.exitCode = 1;
      }),
    );

  return program;
}

function describe({ name, verdict, says, remedy }: import('./commands/doctor.ts').Finding): string {
  const mark = {
    ok: styleText('green', '✓'),
    warning: styleText('yellow', '!'),
    problem: styleText('red', '✗'),
  };
  return `${mark[verdict]} ${name.padEnd(11)}${says}${remedy ? `\n  ${' '.repeat(11)}${remedy}` : ''}`;
}
