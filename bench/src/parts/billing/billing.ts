// What billing costs as it grows: settling with charges, closing a month, a page of charges, the comparison with the provider's figures,
// and the payment service's webhooks.
import type { Context, Part, Row } from '../../part.ts';
import { reconciliation } from '../reconciliation.ts';
import { measureClosing } from './closing.ts';
import { measurePages } from './page.ts';
import { measureWebhooks } from './payment-webhooks.ts';
import { measureSettling } from './settling.ts';

const measures: Record<string, (context: Context) => Promise<Row[]>> = {
  settling: measureSettling,
  closing: measureClosing,
  pages: measurePages,
  reconciliation: (context) => reconciliation.run(context),
  webhooks: measureWebhooks,
};

export const billing: Part = {
  name: 'billing',
  description: `billing as it grows (--only ${Object.keys(measures).join(', ')}; BENCH_SETTLED, BENCH_CHARGES, BENCH_CHARGES_LISTED, BENCH_RECONCILE)`,
  async run(context) {
    const rows: Row[] = [];
    for (const [name, measure] of Object.entries(measures)) {
      if (context.only.length > 0 && !context.only.includes(name)) continue;
      rows.push(...(await measure(context)));
      await context.stage.clear();
    }
    return rows;
  },
};
