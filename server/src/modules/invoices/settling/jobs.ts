// How it is queued that the link of an invoice is to be looked at. What is then done stands in `collection`.
import type { TenantTx } from '../../../platform/db/database.ts';
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { enqueue, untilDone } from '../../../platform/jobs/jobs.ts';

export const linkJob = {
  name: 'invoices.renew-link',
  payload: Closed({ invoiceSid: Sid('IN') }),
  attempts: untilDone,
};

/** Later, since payments are locked before their invoice, and whoever calls this has locked the invoice. */
export const enqueueLink = (t: TenantTx, invoiceSid: string): void =>
  enqueue(t, linkJob, { invoiceSid }, { key: `invoice-link:${invoiceSid}` });
