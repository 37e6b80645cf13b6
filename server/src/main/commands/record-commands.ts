// Commands that prove what is recorded, and for the money of accounts.
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type AccountOptions,
  accountSid,
  inAccount,
  neededOption,
  print,
  refuseUnknownAccount,
  text,
  withCore,
} from './command-tools.ts';

export function addRecordCommands(program: Command): void {
  program
    .command('audit')
    .description('the audit chain')
    .command('verify')
    .description('prove the audit chains and name the first broken link')
    .option('--account <AC…>', 'only this account', accountSid)
    .action((options: { account?: string }) =>
      withCore(async (context) => {
        const { database } = context;
        if (options.account) await refuseUnknownAccount(context, options.account);
        const { verifyAudit } = await import('../../modules/audit/index.ts');
        let links = 0;
        let broken = 0;
        for await (const report of verifyAudit(database, options.account)) {
          links += report.links;
          if (!report.broken) continue;
          broken += 1;
          const environment = report.livemode ? 'live' : 'sandbox';
          const of = report.chain === 'platform' ? `${environment}, of the platform` : environment;
          print(`${report.accountSid} ${of}: broken at ${report.broken.sequence}: ${report.broken.reason}`);
        }
        const count = broken === 1 ? '1 chain is broken.' : `${broken} chains are broken.`;
        print(broken === 0 ? `Every chain holds (${links} entries).` : count);
        if (broken > 0) process.exitCode = 1;
      }),
    );

  const consent = program.command('consent').description('the consent ledger');

  consent
    .command('verify')
    .description('prove the consent chains, or those in an export, and name the first broken link')
    .option('--account <AC…>', 'only this account', accountSid)
    .option('--export <file>', 'also write what was read, to be proven elsewhere')
    .addOption(
      new Option('--file <file>', 'prove this export; needs no database').conflicts(['account', 'export']),
    )
    .action(async (options: { account?: string; export?: string; file?: string }) => {
      const { proveExport, proveLedger } = await import('./consent-chain.ts');
      const conclude = (holds: boolean) => {
        if (!holds) process.exitCode = 1;
      };
      if (options.file !== undefined) return conclude(await proveExport(options.file, print));
      await withCore(async ({ database }) =>
        conclude(await proveLedger(database, { account: options.account, exportTo: options.export }, print)),
      );
    });

  consent
    .command('export')
    .description('print the consent chains of an account, one JSON object a line')
    .addOption(neededOption('--account <AC…>', 'the account', accountSid))
    .action((options: { account: string }) =>
      inAccount(options, async (context) => {
        const { exportLedger } = await import('./consent-chain.ts');
        await exportLedger(context.database, options.account, print);
      }),
    );

  program
    .command('documents')
    .description('receipts, statements, invoices and credit notes')
    .command('verify')
    .description(
      'prove that every document is as it was issued and numbered without a gap, and name the first fault',
    )
    .option('--account <AC…>', 'only this account', accountSid)
    .action((options: { account?: string }) =>
      withCore(async (context) => {
        if (options.account) await refuseUnknownAccount(context, options.account);
        const { proveDocuments } = await import('./billing/documents.ts');
        if (!(await proveDocuments(context.database, options.account, print))) process.exitCode = 1;
      }),
    );

  const wallets = program.command('wallets').description('the money of an account');

  wallets
    .command('credit')
    .description('put money into the wallet an account pays from')
    .addOption(neededOption('--account <AC…>', 'the account', accountSid))
    .addOption(neededOption('--amount <amount>', 'how much, in the currency of the wallet', decimalAmount))
    .addOption(neededOption('--reason <text>', 'why; kept in the audit chain', text(500)))
    .option('--reference <text>', 'names this credit, so that repeating it is refused', text(128))
    .option('--live', 'of the live environment instead of the sandbox')
    .action((options: AccountOptions & { amount: string; reason: string; reference?: string }) =>
      inAccount(options, async (context, tenant) => {
        const { creditAccount } = await import('./wallets.ts');
        const { newUuid } = await import('../../platform/ids.ts');
        const { amount, reason, reference = newUuid(context.clock.now()) } = options;
        print(await creditAccount(context, tenant, { amount, reason, reference }));
      }),
    );

  wallets
    .command('terms')
    .description('say how an account pays')
    .addOption(neededOption('--account <AC…>', 'the account', accountSid))
    .addOption(
      neededOption('--mode <mode>', 'how it pays', (mode) => mode).choices([
        'prepaid',
        'postpaid',
        'credit_line',
        'invoice',
        'hybrid',
      ]),
    )
    .option('--credit-limit <amount>', 'how far below zero it may go', decimalAmount, '0')
    .option('--live', 'of the live environment instead of the sandbox')
    .action(
      (
        options: AccountOptions & {
          mode: import('../../modules/billing/index.ts').CommercialMode;
          creditLimit: string;
        },
      ) =>
        inAccount(options, async (context, tenant) => {
          const { setTerms } = await import('./wallets.ts');
          print(await setTerms(context, tenant, options));
        }),
    );

  program
    .command('ledger')
    .description('the ledger of all wallets')
    .command('verify')
    .description('recompute every balance from its transfers and name the first difference')
    .option('--account <AC…>', 'only this account', accountSid)
    .action((options: { account?: string }) =>
      withCore(async (context) => {
        if (options.account) await refuseUnknownAccount(context, options.account);
        const { proveWallets } = await import('./wallets.ts');
        if (!(await proveWallets(context.database, options.account, print))) process.exitCode = 1;
      }),
    );
}

function decimalAmount(text: string): string {
  if (!/^\d{1,12}(\.\d{1,9})?$/.test(text))
    throw new InvalidArgumentError('It must be an amount such as 100.00.');
  return text;
}
