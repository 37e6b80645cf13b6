// Commands for plans: what the operator lets accounts use.
import { type Command, InvalidArgumentError } from 'commander';
import { accountSid, inAccount, neededOption, print, text, withCore } from '../command-tools.ts';

type Given = {
  monthlyMessages?: number | null;
  sendsPerSecond?: number | null;
  requestsPerSecond?: number | null;
  features?: string[] | null;
  json?: boolean;
};

export function addPlanCommands(program: Command): void {
  const plans = program.command('plans').description('what accounts may use: messages, rates, features');

  plans
    .command('list')
    .description('show the plans there are')
    .option('--json', 'print them as JSON')
    .action((options: { json?: boolean }) =>
      withCore(async (context) => {
        const { describePlan, plansOf } = await import('./plans.ts');
        const found = await plansOf(context);
        if (options.json) return print(JSON.stringify(found));
        for (const plan of found) print(describePlan(plan));
        if (found.length === 0)
          print('There are no plans: accounts have no limits but those of the service.');
      }),
    );

  plans
    .command('define')
    .description('make a plan, or change what it says for every account that has it; what is not given stays')
    .argument('<name>', 'its name', newPlanName)
    .option('--monthly-messages <number>', 'messages in a month of the calendar, or none', limit(1e12, 0))
    .option('--sends-per-second <number>', 'messages accepted in a second, or none', limit(1e6))
    .option('--requests-per-second <number>', 'requests of a key in a second, or none', limit(1e6))
    .option('--features <names>', 'those it includes, with commas between them, or all', featureNames)
    .option('--json', 'print it as JSON')
    .action((name: string, { json, ...given }: Given) =>
      withCore(async (context) => {
        const { changePlan, describePlan } = await import('./plans.ts');
        const plan = await changePlan(context, name, given);
        print(json ? JSON.stringify(plan) : describePlan(plan));
      }),
    );

  plans
    .command('set')
    .description('give an account a plan, or take it away; it is told in its live environment')
    .addOption(neededOption('--account <AC…>', 'the account', accountSid))
    .addOption(neededOption('--plan <name>', 'the plan, or none', planName))
    .option('--reason <text>', 'why, for the audit chain', text(500), 'set by the operator')
    .option('--json', 'print what the account may use now, as the API tells it')
    .action((options: { account: string; plan: string; reason: string; json?: boolean }) =>
      inAccount(options, async (context) => {
        const { givePlan } = await import('./plans.ts');
        const plan = options.plan === 'none' ? null : options.plan;
        const told = await givePlan(context, { ...options, plan });
        if (options.json) return print(JSON.stringify(told));
        print(plan === null ? `${options.account} has no plan.` : `${options.account} has the plan ${plan}.`);
      }),
    );
}

function planName(given: string): string {
  if (!/^[a-z][a-z0-9_-]{0,39}$/.test(given))
    throw new InvalidArgumentError('It must be 1 to 40 of a to z, 0 to 9, - and _, and begin with a letter.');
  return given;
}

/** "none" stands for no plan where one is given. */
function newPlanName(given: string): string {
  if (given === 'none') throw new InvalidArgumentError('It cannot be none, which stands for no plan.');
  return planName(given);
}

/** A whole number, or null for "none". */
const limit =
  (most: number, least = 1) =>
  (given: string): number | null => {
    if (given === 'none') return null;
    const number = Number(given);
    if (!/^\d{1,13}$/.test(given) || number < least || number > most)
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}, or none.`);
    return number;
  };

const featureNames = (given: string): string[] | null =>
  given === 'all' ? null : [...new Set(given.split(',').flatMap((name) => name.trim() || []))];
