// What the operator does with payments from the command line.
import { isoScale, lockWalletById, movedFor, narrow } from '../../../modules/billing/index.ts';
import { findInvoice, shownOutstanding } from '../../../modules/invoices/index.ts';
import { recordTransfer, serviceOf, verifyCash } from '../../../modules/payments/index.ts';
import { ConfigError } from '../../../platform/config.ts';
import type { Tenant, TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { format, type Money, money, parse } from '../../../platform/money.ts';
import { paymentHooks } from '../../hooks.ts';
import type { Core } from '../../process/core.ts';
import { asOperator, type CommandContext } from '../../process/keys.ts';
import { connectPorts } from '../../process/ports.ts';
import type { Config } from '../../settings.ts';

type Recorded = { invoice: string; amount: string; currency: string; reference: string };

// More than any invoice, and little enough for every column it passes through.
const mostMinor = 10n ** 13n;

/** Tells what was recorded, and what became of the invoice and of whatever it did not need. */
export async function recordPayment(
  context: CommandContext,
  tenant: Tenant,
  given: Recorded,
): Promise<string> {
  const amount = amountOf(given);
  const { invoice: invoiceSid, reference } = given;
  const { currency, amountMinor } = amount;
  try {
    return await context.database.write(tenant, asOperator(context, tenant.livemode), async (t) => {
      const { walletId } = await invoiceIn(t, invoiceSid, currency);
      const transfer = { invoiceSid, walletId, currency, amountMinor, reference };
      const { id } = await recordTransfer(paymentHooks)(t, transfer);
      const after = await findInvoice(t, invoiceSid);
      const { invoice_overpayment: rest = 0n } = await movedFor(t, [id]);
      const { scale } = (await lockWalletById(t, walletId))!;
      const credit = format(narrow(money(rest, currency, scale), amount.scale));
      return `${format(amount)} recorded for ${invoiceSid}, which is ${after.state}: ${shownOutstanding(after)} is outstanding, ${credit} became credit.`;
    });
  } catch (error) {
    throw error instanceof ApiError ? new ConfigError(error.message) : error;
  }
}

function amountOf({ amount: text, currency }: Recorded): Money {
  const scale = isoScale(currency);
  if (scale === null) throw new ConfigError(`Nothing is paid in ${currency} here.`);
  const amount = parse(text, currency, scale);
  if (!amount || amount.amountMinor <= 0n)
    throw new ConfigError(`It must be an amount of ${currency} above zero, with at most ${scale} decimals.`);
  if (amount.amountMinor > mostMinor)
    throw new ConfigError(`${format(amount)} is more than can be recorded.`);
  return amount;
}

async function invoiceIn(t: TenantTx, sid: string, currency: string): Promise<{ walletId: string }> {
  const found = await findInvoice(t, sid).catch((error) => {
    if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error;
    const environment = t.livemode ? 'live environment' : 'sandbox';
    throw new ConfigError(`There is no invoice ${sid} in this account's ${environment}.`);
  });
  if (found.currency !== currency) throw new ConfigError(`The invoice is in ${found.currency}.`);
  return found;
}

/** Names every difference between the payment service's account and ours. */
export async function proveCash(
  context: CommandContext,
  { config, core, livemode }: { config: Config; core: Core; livemode: boolean },
  print: (text: string) => void,
): Promise<boolean> {
  const ports = connectPorts(config, core.sealer);
  try {
    const service = serviceOf({ ports, site: core.site() }, livemode);
    const { database } = context;
    const asked = { database, service, livemode, context: asOperator(context, livemode) };
    const { moves, differences } = await verifyCash(asked);
    for (const { what, ours, theirs } of differences)
      print(`${what}: ${ours} here, ${theirs} at the service`);
    const count = differences.length === 1 ? '1 difference.' : `${differences.length} differences.`;
    print(
      differences.length === 0 ? `The cash agrees with the payment service (${moves} movements).` : count,
    );
    return differences.length === 0;
  } catch (error) {
    throw error instanceof ApiError
      ? new ConfigError('No live payments are set up: PAYMENT_SECRET_KEY.')
      : error;
  } finally {
    await Promise.all([ports.payments.close(), ports.outbound.close(), ports.mailer.close()]);
  }
}
