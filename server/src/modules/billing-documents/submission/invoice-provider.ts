// Where invoices go before they are in force: some countries want every invoice to pass through a service that gives it
// effect. Built in is `godwit`, for everywhere else: its own word is enough.

export type Submission = {
  livemode: boolean;
  /** What we call it: the same one submitted again is the same invoice. It gets its number when it is accepted. */
  invoiceSid: string;
  /** Counted from 1, over all tries of this invoice. */
  attempt: number;
  taxCode: string;
  /** The invoice as canonical JSON. */
  json: string;
};

export type Submitted =
  | { outcome: 'accepted'; reference: string }
  /** It said no: somebody must look, then submit it again. */
  | { outcome: 'refused'; reason: string }
  /** Nothing was heard, or nothing certain: to be tried again by itself. */
  | { outcome: 'unavailable'; reason: string };

/** Called outside of transactions. It may be called again for an invoice it has already accepted. */
export type InvoiceProvider = { submit(submission: Submission): Promise<Submitted> };

/** Faults to try things out with, in the sandbox: a tax profile with one of these as its code. */
const faults: Record<string, (attempt: number) => Submitted | null> = {
  fault_refused: () => ({
    outcome: 'refused',
    reason: 'The sandbox refuses every invoice with this tax code.',
  }),
  fault_refused_once: (attempt) =>
    attempt === 1
      ? { outcome: 'refused', reason: 'The sandbox refuses the first submission with this tax code.' }
      : null,
  fault_unavailable_twice: (attempt) =>
    attempt <= 2
      ? {
          outcome: 'unavailable',
          reason: 'The sandbox does not answer the first two submissions with this tax code.',
        }
      : null,
};

export const isSandboxFault = (taxCode: string): boolean => Object.hasOwn(faults, taxCode);

const godwit: InvoiceProvider = {
  async submit({ livemode, invoiceSid, attempt, taxCode }) {
    const fault = livemode || !isSandboxFault(taxCode) ? null : faults[taxCode]!(attempt);
    return fault ?? { outcome: 'accepted', reference: invoiceSid };
  },
};

/** By the name a tax profile gives. */
export const invoiceProviders: Record<string, InvoiceProvider> = { godwit };
export const defaultInvoiceProvider = 'godwit';
