// What the operator does with payments from the command line.
import { isoScale, walletOf } from '../../../modules/billing/index.ts';
import { recordTransfer, serviceOf, verifyCash } from '../../../modules/payments/index.ts';
import { ConfigError } from '../../../platform/config.ts';
import type { Tenant } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { format, parse } from '../../../platform/money.ts';
import { paymentHooks } from '../../hooks.ts';
import type { Core } from '../../process/core.ts';
import { asOperator, type CommandContext } from '../../process/keys.ts';
import { connectPorts } from '../../process/ports.ts';
import type { Config } from '../../settings.ts';

type Recorded = { invoice: string; amount: string; currency: string; reference: string };

/** Tells what was recorded. */
export async function recordPayment(
  context: CommandContext,
  tenant: Tenant,
  given: Recorded,
): Promise<string> {
  const { currency, invoice: invoiceSid, reference } = given;
  const scale = isoScale(currency);
  const amount = scale === null ? null : parse(given.amount, currency, scale);
  if (!amount || amount.amountMinor === 0n)
    throw new ConfigError(`It must be an amount of ${currency} above zero, with its own decimals.`);
  try {
    await context.database.write(tenant, asOperator(context, tenant.livemode), async (t) => {
      const wallet = await walletOf(t, currency);
      if (!wallet) throw new ConfigError(`The account has no wallet in ${currency}.`);
      const { amountMinor } = amount;
      await recordTransfer(paymentHooks)(t, {
        invoiceSid,
        walletId: wallet.id,
        currency,
        amountMinor,
        reference,
      });
    });
  } catch (error) {
    throw error instanceof ApiError ? new ConfigError(error.message) : error;
  }
  return `${format(amount)} recorded for ${invoiceSid}.`;
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
