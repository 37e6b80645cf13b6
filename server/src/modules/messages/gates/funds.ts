import { budgetOf, spendable } from '../../billing/index.ts';
import { fail, type Gate, pass, skip } from './case.ts';

export const funds: Gate = {
  name: 'funds',
  judge({ wallet, now }, { quote }) {
    if (!quote) return skip();
    const budget = budgetOf(wallet, now);
    const evidence = {
      walletId: wallet.id,
      currency: wallet.currency,
      scale: wallet.scale,
      spendableMinor: spendable(wallet).toString(),
      priceMinor: quote.totalMinor.toString(),
      pricingType: quote.pricingType,
      // Why there is no credit, and what the account allows itself this month.
      ...(wallet.billingStatus === 'suspended' && { billingStatus: wallet.billingStatus }),
      ...(budget && {
        budgetMinor: budget.limitMinor.toString(),
        budgetLeftMinor: budget.leftMinor.toString(),
      }),
    };
    const fits = quote.totalMinor <= spendable(wallet) && (!budget || quote.totalMinor <= budget.leftMinor);
    return fits ? pass(evidence) : fail('INSUFFICIENT_FUNDS', evidence);
  },
};
