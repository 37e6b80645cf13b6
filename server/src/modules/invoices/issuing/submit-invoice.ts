// Submitting an invoice where it has to be registered. That it is tried is committed before it is; one that was accepted without
// our hearing of it is submitted again, which changes nothing.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { canonicalJson } from '../../../platform/hashing.ts';
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { defineJob, OthersNotReady, type TenantJobContext, untilDone } from '../../../platform/jobs/jobs.ts';
import { money } from '../../../platform/money.ts';
import {
  defaultInvoiceProvider,
  invoiceProviders,
  type Submission,
  type Submitted,
  taxLinesFor,
  taxOf,
  taxProfileOf,
} from '../../billing-documents/index.ts';
import { invoiceEvents } from '../invoices/events.ts';
import {
  changeInvoice,
  type InvoiceRow,
  lockInvoice,
  moveInvoice,
  tell,
  toInvoice,
} from '../invoices/invoices.ts';
import { issueInvoice } from './issue.ts';

export const submitInvoice = defineJob({
  name: 'invoices.submit',
  payload: Closed({ invoiceSid: Sid('IN') }),
  attempts: untilDone,
  async run(context, { invoiceSid }) {
    const submitted = await submitOnce(context, invoiceSid);
    if (submitted?.outcome === 'unavailable') throw new OthersNotReady(submitted.reason);
  },
});

/** One try. Null for an invoice that does not wait to be submitted. */
export async function submitOnce(
  { write }: Pick<TenantJobContext, 'write'>,
  invoiceSid: string,
): Promise<Submitted | null> {
  const begun = await write((t) => begin(t, invoiceSid));
  if (!begun) return null;
  const submitted = await invoiceProviders[begun.provider]!.submit(begun.submission);
  await write((t) => end(t, invoiceSid, submitted));
  return submitted;
}

type Begun = { provider: string; submission: Submission };

async function begin(t: TenantTx, sid: string): Promise<Begun | null> {
  const row = await lockInvoice(t, sid);
  if (row.state !== 'draft' && row.state !== 'pending_provider') return null;
  const profile = await taxProfileOf(t, row.currency);
  const provider = profile?.invoiceProvider ?? defaultInvoiceProvider;
  const taxLines = await taxLinesFor(t, { net: money(row.netMinor, row.currency, row.scale), at: t.now });
  const changes = sql`submission_attempts = submission_attempts + 1, submission_provider = ${provider},
    tax_lines = ${JSON.stringify(taxLines)}::json, tax_minor = ${taxOf(taxLines)}`;
  const begun =
    row.state === 'draft'
      ? await moveInvoice(t, row, 'submit', changes)
      : await changeInvoice(t, row, changes);
  return {
    provider,
    submission: {
      livemode: t.livemode,
      invoiceSid: sid,
      attempt: begun.submissionAttempts,
      taxCode: profile?.taxCode ?? '',
      json: canonicalJson(submitted(t, begun)),
    },
  };
}

/** What is submitted: what the invoice says, without what becomes of it. */
function submitted(t: TenantTx, row: InvoiceRow) {
  const { sid, accountSid, currency, periods, lines, subtotal, balanceApplied, taxLines, total } = toInvoice(
    t,
    row,
  );
  return { sid, accountSid, currency, periods, lines, subtotal, balanceApplied, taxLines, total };
}

async function end(t: TenantTx, sid: string, answered: Submitted): Promise<void> {
  const row = await lockInvoice(t, sid);
  // Another try was answered first.
  if (row.state !== 'pending_provider') return;
  if (answered.outcome === 'accepted') return issueInvoice(t, row, answered.reference);
  const error = sql`submission_error = ${answered.reason}`;
  if (answered.outcome === 'unavailable') {
    await changeInvoice(t, row, error);
    return;
  }
  const failed = await moveInvoice(t, row, 'fail', error);
  tell(t, invoiceEvents.submission_failed, failed);
}
