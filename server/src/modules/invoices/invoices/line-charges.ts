// From a line of an invoice to every message it is about, and from what a message cost to its line.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import {
  type ChargeExplanation,
  explainCharge,
  type Group,
  listChargesIn,
  periodsOf,
} from '../../billing/index.ts';
import type { LineKind } from '../composing/compose.ts';
import { findInvoice } from './invoices.ts';
import type { Invoice } from './schema.ts';

const charged: Partial<Record<LineKind, 'MESSAGE' | 'ADJUSTMENT'>> = {
  usage: 'MESSAGE',
  adjustment: 'ADJUSTMENT',
};

export async function chargesOfLine(t: TenantTx, invoiceSid: string, n: number, pager: Pager) {
  const { walletId, lines, periods } = await findInvoice(t, invoiceSid);
  const line = lines.find((one) => one.n === n);
  if (!line) throw new ApiError('NOT_FOUND');
  const kind = charged[line.kind];
  // Other lines are about money, not about messages.
  if (kind === undefined) return { object: 'list', data: [], hasMore: false, nextCursor: null };
  const [first] = await periodsOf(t, walletId, { from: 1, to: 1 });
  const stretches = periods.map(({ start, end }) => ({
    from: start === first?.startsAt ? null : new Date(start),
    to: new Date(end),
  }));
  return listChargesIn(t, { walletId, kind, group: line.usage && groupOf(line), stretches }, pager);
}

/** As charges are stored, from how they are shown. */
function groupOf({ usage, unitPrice }: Invoice['lines'][number]): Omit<Group, 'kind'> {
  return {
    ...usage!,
    category: usage!.category?.toLowerCase() ?? null,
    transport: usage!.transport?.toLowerCase() ?? null,
    unitPriceMinor: BigInt(unitPrice!.amountMinor),
  } as Omit<Group, 'kind'>;
}

export async function explainOnInvoice(t: TenantTx, chargeId: string): Promise<ChargeExplanation> {
  const explained = await explainCharge(t, chargeId);
  return { ...explained, invoiceLine: await lineOf(t, explained.charge) };
}

/** By what lines are made of: as what messages were charged, and for how much each. */
async function lineOf(t: TenantTx, charge: ChargeExplanation['charge']): Promise<number | null> {
  if (charge.invoiceSid === null) return null;
  const { lines } = await findInvoice(t, charge.invoiceSid);
  const isOfUsage = ({ usage, unitPrice }: Invoice['lines'][number]) =>
    unitPrice?.amountMinor === charge.amount.amountMinor &&
    (['category', 'market', 'pricingType', 'transport'] as const).every(
      (name) => usage?.[name] === charge[name],
    );
  const line = lines.find(
    (one) => charged[one.kind] === charge.kind && (charge.kind === 'ADJUSTMENT' || isOfUsage(one)),
  );
  return line?.n ?? null;
}
