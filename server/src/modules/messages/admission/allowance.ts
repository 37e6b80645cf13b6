// What messages may cost together, such as those of a campaign. Each counts as much as it can cost at most: the provider may charge for
// another category than the template's, and a price above what was held is taken all the same.
import { highestPriceOf, type Quote } from '../../billing/index.ts';
import type { Case } from '../gates/case.ts';
import { Refusal } from '../gates/judge.ts';

export class Allowance {
  /** What the admitted ones can cost at most. */
  takenMinor = 0n;
  private readonly limitMinor: bigint;
  private readonly currency: string;
  private readonly scale: number;

  constructor({ limitMinor, currency, scale }: { limitMinor: bigint; currency: string; scale: number }) {
    this.limitMinor = limitMinor;
    this.currency = currency;
    this.scale = scale;
  }

  /** Null where there is room for it. Amounts of another currency are not compared: nothing of one fits. */
  refuses(c: Case, quote: Quote): Refusal | null {
    const leftMinor = this.limitMinor - this.takenMinor;
    const mostMinor = mostOf(c, quote);
    const alike = quote.currency === this.currency && quote.scale === this.scale;
    if (alike && mostMinor <= leftMinor) return null;
    const evidence = {
      currency: this.currency,
      scale: this.scale,
      leftMinor: leftMinor.toString(),
      priceMinor: quote.totalMinor.toString(),
      mostMinor: mostMinor.toString(),
      market: quote.market,
    };
    return new Refusal('allowance', { code: 'INSUFFICIENT_FUNDS', evidence });
  }

  take(c: Case, quote: Quote): void {
    this.takenMinor += mostOf(c, quote);
  }
}

const mostOf = ({ rates }: Case, { market, mode }: Quote) => highestPriceOf(rates, market, mode);
