import { type Command, InvalidArgumentError } from 'commander';
import { isSid } from '../../../platform/ids.ts';
import {
  type AccountOptions,
  accountSid,
  inAccount,
  neededOption,
  print,
  text,
  withCore,
} from '../command-tools.ts';

export function addPaymentCommands(program: Command): void {
  program
    .command('payments')
    .description('payments of invoices')
    .command('record')
    .description(
      'record money that came by bank transfer for an invoice; what the invoice does not need becomes credit',
    )
    .addOption(neededOption('--account <AC…>', 'the account', accountSid))
    .addOption(neededOption('--invoice <IN…>', 'the invoice it is for', invoiceSid))
    .addOption(neededOption('--amount <amount>', 'how much came, such as 100.00', text(24)))
    .option('--currency <code>', 'of which currency', 'USD')
    .addOption(neededOption('--reference <text>', "the bank's reference, recorded once", text(128)))
    .option('--live', 'of the live environment instead of the sandbox')
    .action(
      (options: AccountOptions & { invoice: string; amount: string; currency: string; reference: string }) =>
        inAccount(options, async (context, tenant) => {
          const { recordPayment } = await import('./payments.ts');
          print(await recordPayment(context, tenant, options));
        }),
    );

  program
    .command('cash')
    .description('the money at the payment service')
    .command('verify')
    .description("compare the payment service's account with our payments and the ledger")
    .option('--live', 'of the live environment instead of the sandbox')
    .action(({ live: livemode = false }: { live?: boolean }) =>
      withCore(async (context, config, core) => {
        const { proveCash } = await import('./payments.ts');
        if (!(await proveCash(context, { config, core, livemode }, print))) process.exitCode = 1;
      }),
    );
}

function invoiceSid(text: string): string {
  if (!isSid('IN', text)) throw new InvalidArgumentError('It must be the SID of an invoice such as IN01….');
  return text;
}
