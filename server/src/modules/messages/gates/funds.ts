import { spendable } from '../../billing/index.ts';
import { fail, type Gate, pass, skip } from './case.ts';

export const funds: Gate = {
  name: 'funds',
  judge({ wallet }, { quote }) {
    if (!quote) return skip();
    const evidence = {
      walletId: wallet.id,
      currency: wallet.currency,
      scale: wallet.scale,
      spendableMinor: spendable(wallet).toString(),
      priceMinor: quote.totalMinor.toString(),
      pricingType: quote.pricingType,
    };
    return quote.totalMinor <= spendable(wallet) ? pass(evidence) : fail('INSUFFICIENT_FUNDS', evidence);
  },
};
