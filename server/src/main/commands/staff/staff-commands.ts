// Commands for the operator's own organization and for the people it lets into accounts of others.
import { type Command, InvalidArgumentError } from 'commander';
import {
  accountSid,
  inAccount,
  neededOption,
  print,
  refuseUnknownAccount,
  text,
  withCore,
} from '../command-tools.ts';

const anAccount = () => neededOption('--account <AC…>', 'the account', accountSid);
const aPerson = () => neededOption('--user <US…>', 'SID or address of somebody of the operator', text(254));

export function addStaffCommands(program: Command): void {
  const staff = program.command('staff').description("the operator's people on accounts of customers");

  staff
    .command('grant')
    .description(
      'let somebody of the operator into one account for some hours; the customer sees it in the audit chain',
    )
    .addOption(anAccount())
    .addOption(aPerson())
    .addOption(neededOption('--hours <number>', 'for how long; at most 8', staffHours))
    .addOption(neededOption('--case <text>', 'what for, such as the number of a support case', text(200)))
    .option('--json', 'print {userSid, email, account, expiresAt} for scripts')
    .action((options: { account: string; user: string; hours: string; case: string; json?: boolean }) =>
      inAccount(options, async (context) => {
        const { grantToStaff } = await import('./staff.ts');
        const made = await grantToStaff(context, { ...options, hours: Number(options.hours) });
        if (options.json) return print(JSON.stringify(made));
        print(
          `${made.email} may act on ${made.account} until ${made.expiresAt}, signed in with a second factor.`,
        );
      }),
    );

  staff
    .command('revoke')
    .description('end what somebody of the operator was granted on an account, at once')
    .addOption(anAccount())
    .addOption(aPerson())
    .option('--reason <text>', 'why', text(500), 'revoked by the operator')
    .action((options: { account: string; user: string; reason: string }) =>
      inAccount(options, async (context) => {
        const { revokeFromStaff } = await import('./staff.ts');
        const ended = await revokeFromStaff(context, options);
        print(
          ended === 0 ? 'There was nothing to end.' : `Ended ${ended === 1 ? '1 grant' : `${ended} grants`}.`,
        );
      }),
    );

  staff
    .command('list')
    .description('show who of the operator may act on which account, and until when')
    .option('--account <AC…>', 'only this account', accountSid)
    .option('--json', 'print the grants as JSON')
    .action((options: { account?: string; json?: boolean }) =>
      withCore(async (context) => {
        if (options.account) await refuseUnknownAccount(context, options.account);
        const { listStaff } = await import('./staff.ts');
        const grants = await listStaff(context, options.account);
        if (options.json) return print(JSON.stringify(grants));
        if (grants.length === 0) print('Nobody of the operator may act on an account of a customer.');
        for (const grant of grants)
          print(`${grant.accountSid}  ${grant.userSid}  until ${grant.expiresAt}  ${grant.case}`);
      }),
    );

  const organization = program.command('organization').description('organizations, as documents name them');

  organization
    .command('operator')
    .description(
      'say which organization runs the platform: documents are issued in its name, its people can be staff',
    )
    .addOption(neededOption('--account <AC…>', 'an account of the organization', accountSid))
    .action((options: { account: string }) =>
      inAccount(options, async ({ database }) => {
        const { nameOperator } = await import('../../../modules/accounts/index.ts');
        print(`${await database.system((s) => nameOperator(s, options.account))} runs the platform.`);
      }),
    );

  organization
    .command('details')
    .description('say what stands below the name of an organization on documents issued from now on')
    .addOption(neededOption('--account <AC…>', 'an account of the organization', accountSid))
    .option('--line <text…>', 'one line, such as an address or a tax number; without any, none', lines)
    .action((options: { account: string; line?: string[] }) =>
      inAccount(options, async ({ database }) => {
        const { setLegalDetails } = await import('../../../modules/accounts/index.ts');
        const { account, line = [] } = options;
        const name = await database.system((s) => setLegalDetails(s, account, line));
        for (const shown of [name, ...line]) print(shown);
      }),
    );
}

function staffHours(given: string): string {
  if (!/^[1-8]$/.test(given)) throw new InvalidArgumentError('It must be a whole number of hours, 1 to 8.');
  return given;
}

const mostLines = 10;

function lines(given: string, before: string[] = []): string[] {
  const all = [...before, text(200)(given)];
  if (all.length > mostLines) throw new InvalidArgumentError(`There can be at most ${mostLines} lines.`);
  return all;
}
