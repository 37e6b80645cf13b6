// The tax of credit notes. Each note takes what is due on everything credited so far, less what earlier notes took: however an
// invoice is split into notes, their taxes sum exactly to that of the whole, and no cent is left over or made up.
import { money, multiplyRatio } from '../../../platform/money.ts';

export type Taxed = { netMinor: bigint; taxMinor: bigint };

/** The tax that belongs to crediting `netMinor` more, given the whole invoice and what was credited before. */
export function taxOfCredit(invoice: Taxed, credited: Taxed, netMinor: bigint): bigint {
  return taxUpTo(invoice, credited.netMinor + netMinor) - credited.taxMinor;
}

function taxUpTo({ netMinor, taxMinor }: Taxed, creditedMinor: bigint): bigint {
  // The currency does not matter to a share; rounding once, half to even, does.
  return multiplyRatio(money(taxMinor, 'XXX', 0), creditedMinor, netMinor).amountMinor;
}

export type Split = { openNet: bigint; openTax: bigint; paidNet: bigint; paidTax: bigint };

/** A note first lessens what is still owed; what was paid already becomes credit. Net before tax, which only the books see. */
export function splitByPaid({ netMinor, taxMinor }: Taxed, outstandingMinor: bigint): Split {
  const least = (a: bigint, b: bigint) => (a < b ? a : b);
  const openNet = least(netMinor, outstandingMinor);
  const openTax = least(taxMinor, outstandingMinor - openNet);
  return { openNet, openTax, paidNet: netMinor - openNet, paidTax: taxMinor - openTax };
}
