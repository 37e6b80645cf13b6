// The partner's credit line: who it is shared with, who pays for a business account, and what is billed for it. Read and changed as
// the partner.
import type { BusinessInvoice, CreditAllocation, Provider } from '../../modules/provider/index.ts';
import { type Client, succeeded } from './client.ts';
import type { Doing } from './errors.ts';
import { pageOf, pageQuery } from './pages.ts';
import { fieldsOf, idOf, listOf, textOf } from './reading.ts';

type CreditCalls = Pick<
  Provider,
  | 'listCreditLines'
  | 'listCreditAllocations'
  | 'shareCreditLine'
  | 'getCreditAllocation'
  | 'revokeCreditAllocation'
  | 'getFunding'
  | 'listBusinessInvoices'
>;

const manage: Doing = { purpose: 'manage' };
const reading = { method: 'GET', doing: manage, whenLost: 'again' } as const;
const allocationFields = 'id,receiving_business,receiving_credential,request_status';

export const creditCalls = (client: Client): CreditCalls => ({
  // A partner has one credit line: the first page has it.
  listCreditLines: (connection, businessId) =>
    client.call(connection, {
      ...reading,
      path: `${businessId}/extendedcredits`,
      query: { fields: 'id' },
      read: ({ data }) =>
        Array.isArray(data)
          ? { creditLineIds: data.flatMap((line) => idOf(fieldsOf(line).id) ?? []) }
          : undefined,
    }),
  listCreditAllocations: (connection, creditLineId, { receivingBusinessId, after }) =>
    client.call(connection, {
      ...reading,
      path: `${creditLineId}/owning_credit_allocation_configs`,
      query: { ...pageQuery(allocationFields, after), receiving_business_id: receivingBusinessId },
      read: (answer) => pageOf(answer, allocationOf),
    }),
  shareCreditLine: (connection, creditLineId, { wabaId, currency }) =>
    client.call(connection, {
      method: 'POST',
      path: `${creditLineId}/whatsapp_credit_sharing_and_attach`,
      query: { waba_currency: currency, waba_id: wabaId },
      doing: manage,
      whenLost: 'unknown',
      read: (answer) => {
        const allocationId = idOf(answer.allocation_config_id);
        return allocationId === null ? undefined : { allocationId };
      },
    }),
  getCreditAllocation: (connection, allocationId) =>
    client.call(connection, {
      ...reading,
      path: allocationId,
      query: { fields: allocationFields },
      read: (answer) => allocationOf(answer) ?? undefined,
    }),
  revokeCreditAllocation: (connection, allocationId) =>
    client.call(connection, {
      method: 'DELETE',
      path: allocationId,
      doing: manage,
      whenLost: 'unknown',
      read: succeeded,
    }),
  getFunding: (connection, wabaId) =>
    client.call(connection, {
      ...reading,
      path: wabaId,
      query: { fields: 'id,primary_funding_id' },
      read: (answer) =>
        idOf(answer.id) === null ? undefined : { primaryFundingId: idOf(answer.primary_funding_id) },
    }),
  listBusinessInvoices: (connection, businessId, { from, to, after }) =>
    client.call(connection, {
      ...reading,
      path: `${businessId}/business_invoices`,
      query: { ...pageQuery(invoiceFields, after), start_date: dayOf(from), end_date: dayOf(to) },
      read: (answer) => {
        const page = pageOf(answer, invoiceOf);
        // A bill that cannot be read makes the whole answer worthless: a gap would look like a difference.
        return page?.items.length === listOf(answer.data).length ? page : undefined;
      },
    }),
});

const invoiceFields = 'id,type,billing_period,currency,amount,billed_amount_details';
const dayOf = (at: Date) => at.toISOString().slice(0, 10);
const kinds: Record<string, BusinessInvoice['kind']> = {
  INV: 'bill',
  DM: 'bill',
  CM: 'credit',
  PRO_FORMA: null,
};

function invoiceOf(value: unknown): BusinessInvoice | null {
  const found = fieldsOf(value);
  const [id, currency, type] = [idOf(found.id), textOf(found.currency), textOf(found.type)];
  const month = /^\d{4}-(0[1-9]|1[0-2])(?=-|$)/.exec(textOf(found.billing_period) ?? '')?.[0];
  const net = amountOf(fieldsOf(found.billed_amount_details).net_amount ?? found.amount);
  if (id === null || type === null || !Object.hasOwn(kinds, type) || !month || !net) return null;
  if (currency === null || !/^[A-Z]{3}$/.test(currency)) return null;
  // What is taken back may be written with or without a sign.
  const netMinor = kinds[type] === 'credit' && net.netMinor < 0n ? -net.netMinor : net.netMinor;
  return { id, month, kind: kinds[type] ?? null, currency, netMinor, scale: net.scale };
}

/** `1,234.50`, as text or as a number; exact, however many digits there are. */
function amountOf(value: unknown): Pick<BusinessInvoice, 'netMinor' | 'scale'> | null {
  const text = (typeof value === 'number' ? String(value) : (textOf(value) ?? '')).replaceAll(',', '');
  const [, whole, part = ''] = /^(-?\d{1,20})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  return whole === undefined ? null : { netMinor: BigInt(whole + part), scale: part.length };
}

function allocationOf(value: unknown): CreditAllocation | null {
  const found = fieldsOf(value);
  const id = idOf(found.id);
  if (id === null) return null;
  return {
    id,
    receivingBusinessId: idOf(fieldsOf(found.receiving_business).id),
    receivingCredentialId: idOf(fieldsOf(found.receiving_credential).id),
    requestStatus: textOf(found.request_status),
  };
}
