// Commands for what happens by itself: which workflows there are, why an event started one or did not, and what one would do.
import type { Command } from 'commander';
import { type AccountOptions, accountSid, inAccount, neededOption, print, sidOf } from '../command-tools.ts';
import type { Trying } from './workflows.ts';

type OneWorkflow = AccountOptions & { workflow: string };

const anAccount = () => neededOption('--account <AC…>', 'the account', accountSid);
const aWorkflow = () => neededOption('--workflow <WF…>', 'the workflow', sidOf('WF', 'a workflow'));

export function addWorkflowCommands(program: Command): void {
  const workflows = program.command('workflows').description('what happens by itself when something happens');

  workflows
    .command('list')
    .description(
      'list the workflows of an account with their runs and what became of the last 1,000 events of each',
    )
    .addOption(anAccount())
    .option('--live', 'of the live environment instead of the sandbox')
    .option('--json', 'print them as JSON')
    .action((options: AccountOptions) =>
      inAccount(options, async (context, tenant) => {
        const { printWorkflows } = await import('./workflows.ts');
        await printWorkflows(context, tenant, options, print);
      }),
    );

  workflows
    .command('explain')
    .description(
      'say why an event starts a workflow now, or does not, and what became of it when it happened',
    )
    .addOption(anAccount())
    .addOption(aWorkflow())
    .addOption(neededOption('--event <EV…>', 'an event that is still kept', sidOf('EV', 'an event')))
    .option('--live', 'of the live environment instead of the sandbox')
    .option('--json', 'print the decision as JSON')
    .action((options: OneWorkflow & { event: string }) =>
      inAccount(options, async (context, tenant) => {
        const { printDecision } = await import('./workflows.ts');
        await printDecision(context, tenant, options, print);
      }),
    );

  workflows
    .command('test')
    .description(
      'play the latest version and tell every step; nothing is sent or changed, and a run that fails is exit code 1',
    )
    .addOption(anAccount())
    .addOption(aWorkflow())
    .option(
      '--payload <file>',
      'JSON that stands in place of what the sample event says, with "simulate"; - for standard input',
    )
    .option('--event-type <TYPE>', 'what happens; default: the first that starts the workflow')
    .option('--contact <CT…>', 'make it about this contact', sidOf('CT', 'a contact'))
    .option('--conversation <CO…>', 'make it about this conversation', sidOf('CO', 'a conversation'))
    .option('--message <SM…>', 'make it about this message', sidOf('SM', 'a message'))
    .option('--live', 'of the live environment instead of the sandbox')
    .option('--json', 'print the test as JSON')
    .action((options: OneWorkflow & Trying) =>
      inAccount(options, async (context, tenant) => {
        const { printTest } = await import('./workflows.ts');
        if ((await printTest(context, tenant, options, print)) === 'FAILED') process.exitCode = 1;
      }),
    );
}
