// Commands by which the operator decides about applications to be set up.
import { type Command, InvalidArgumentError } from 'commander';
import type { Application, EndTask } from '../../../modules/managed-onboarding/index.ts';
import { isSid } from '../../../platform/ids.ts';
import { accountSid, inAccount, neededOption, oneOf, print, text, withCore } from '../command-tools.ts';
import type { Amounts, Where } from './onboarding.ts';

type Options = { account: string; application: string; live?: boolean; json?: boolean };
type Loaded = typeof import('./onboarding.ts');

export function addOnboardingCommands(program: Command): void {
  const onboarding = program
    .command('onboarding')
    .description('applications of businesses to be set up by the operator');

  onboarding
    .command('list')
    .description('show the applications that have not ended, and what waits for somebody, the oldest first')
    .option('--live', 'those of the live environment; without it, of the sandbox')
    .option('--json', 'print them as JSON')
    .action(({ live = false, json }: { live?: boolean; json?: boolean }) =>
      withCore(async (context) => {
        const { listWaiting } = await import('./onboarding.ts');
        const found = await listWaiting(context, live);
        if (json) return print(JSON.stringify(found));
        if (found.length === 0) print('Nobody waits to be set up.');
        for (const one of found)
          print(
            [
              one.accountSid,
              one.sid,
              one.state,
              one.numberSource,
              one.country,
              one.openTasks.join(','),
              one.displayName,
            ]
              .filter((word) => word !== '')
              .join('  '),
          );
      }),
    );

  decision(onboarding, 'review', 'take an application into review', ({ reviewIt }) => reviewIt);
  decision(
    onboarding,
    'approve',
    'approve an application: the fee is set aside, and the work begins',
    ({ approveIt }) => approveIt,
  );
  decision(onboarding, 'retry', 'try an application again that failed', ({ retryIt }) => retryIt);
  addWords(onboarding);
  addTask(onboarding);
}

const named = (parent: Command, name: string, description: string): Command =>
  parent
    .command(name)
    .description(description)
    .addOption(neededOption('--account <AC…>', 'the account', accountSid))
    .addOption(neededOption('--application <MA…>', 'the application', applicationSid))
    .option('--live', 'in the live environment; without it, in the sandbox')
    .option('--json', 'print it as JSON');

/** Runs it in the account, and says how the application stands then. */
const inPlace =
  <O extends Options>(work: (loaded: Loaded, where: Where, options: O) => Promise<object>) =>
  (options: O) =>
    inAccount(options, async (context, tenant) => {
      const loaded = await import('./onboarding.ts');
      const shown = await work(loaded, { ...context, tenant }, options);
      if (options.json || !('state' in shown)) return print(JSON.stringify(shown));
      const { sid, state } = shown as Application;
      print(`${sid} is ${state}.`);
    });

type Decide = (where: Where, sid: string) => Promise<Application>;

function decision(
  parent: Command,
  name: string,
  description: string,
  pick: (loaded: Loaded) => Decide,
): void {
  named(parent, name, description).action(
    inPlace((loaded, where, { application }) => pick(loaded)(where, application)),
  );
}

function addWords(onboarding: Command): void {
  const why = () => neededOption('--reason <text>', 'why', text(500));
  named(onboarding, 'reject', 'reject an application; a number that was obtained is given back')
    .addOption(why())
    .action(
      inPlace((loaded, where, { application, reason }: Options & { reason: string }) =>
        loaded.rejectIt(where, application, reason),
      ),
    );
  named(onboarding, 'request-information', 'ask the business for something')
    .addOption(neededOption('--request <text>', 'what is asked for', text(2000)))
    .action(
      inPlace((loaded, where, { application, request }: Options & { request: string }) =>
        loaded.askFor(where, application, request),
      ),
    );
  named(onboarding, 'requote', 'offer other prices: those of the list for the country, or the ones named')
    .addOption(why())
    .option('--setup <minor>', 'the fee for setting up, in minor units of the wallet', minorUnits)
    .option('--number <minor>', 'the number, or its porting', minorUnits)
    .option('--rent <minor>', 'the rent of a month', minorUnits)
    .action(
      inPlace((loaded, where, { application, reason, ...amounts }: Options & Amounts & { reason: string }) =>
        loaded.requoteIt(where, application, reason, amounts),
      ),
    );
  named(
    onboarding,
    'reveal',
    'print what the business says of itself; the customer sees that in its audit chain',
  )
    .addOption(why())
    .action(
      inPlace((loaded, where, { application, reason }: Options & { reason: string }) =>
        loaded.revealIt(where, application, reason),
      ),
    );
}

function addTask(onboarding: Command): void {
  named(onboarding, 'task', 'say what came of a task that was done by hand')
    .addOption(neededOption('--task <name>', 'which one, as the application lists it in openTasks', text(40)))
    .addOption(neededOption('--outcome <word>', 'DONE or FAILED', oneOf('DONE', 'FAILED')))
    .option('--number <+…>', 'the number that was ordered', e164)
    .option('--provider-waba-id <digits>', 'the business account that was opened', digits(5, 20))
    .option('--code <digits>', 'the code that came to the number', digits(6, 6))
    .option('--reason <text>', 'why it failed', text(500))
    .action(
      inPlace((loaded, where, { account: _, application, live: __, json: ___, ...body }: Options & EndTask) =>
        loaded.endTaskOf(where, application, body),
      ),
    );
}

function applicationSid(given: string): string {
  if (!isSid('MA', given)) throw new InvalidArgumentError('It must be an application SID such as MA01….');
  return given;
}

function minorUnits(given: string): string {
  if (!/^(0|[1-9]\d{0,17})$/.test(given)) throw new InvalidArgumentError('It must be whole minor units.');
  return given;
}

function e164(given: string): string {
  if (!/^\+[1-9]\d{6,14}$/.test(given))
    throw new InvalidArgumentError('It must be a number such as +33980123456.');
  return given;
}

const digits = (least: number, most: number) => (given: string) => {
  if (!new RegExp(`^\\d{${least},${most}}$`).test(given))
    throw new InvalidArgumentError(`It must be ${least === most ? least : `${least} to ${most}`} digits.`);
  return given;
};
