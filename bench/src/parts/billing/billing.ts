// What billing costs as it grows: settling with charges, closing a month, a page of charges, the comparison with the provider's figures,
// and the payment service's webhooks.
import { type Context, measureEach, type Part, type Row } from '../../part.ts';
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
  run: (context) => measureEach(context, measures),
};
