// The partner's credit line: who it is shared with, and who pays for a business account. Read and changed as the partner.
import type { CreditAllocation, Provider } from '../../modules/provider/index.ts';
import { type Client, succeeded } from './client.ts';
import type { Doing } from './errors.ts';
import { pageOf, pageQuery } from './pages.ts';
import { fieldsOf, idOf, textOf } from './reading.ts';

type CreditCalls = Pick<
  Provider,
  | 'listCreditLines'
  | 'listCreditAllocations'
  | 'shareCreditLine'
  | 'getCreditAllocation'
  | 'revokeCreditAllocation'
  | 'getFunding'
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
});

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
