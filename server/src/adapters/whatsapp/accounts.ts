// What the provider lets a business account and its numbers send.
import type { Provider } from '../../modules/provider/index.ts';
import type { Client } from './client.ts';
import type { Doing } from './errors.ts';
import { fieldsOf, idOf, listOf, textOf } from './reading.ts';

const reading: { method: 'GET'; doing: Doing; whenLost: 'again' } = {
  method: 'GET',
  doing: { purpose: 'manage' },
  whenLost: 'again',
};

export const accountCalls = (client: Client): Pick<Provider, 'getWaba' | 'listCatalogs' | 'getFlowKey'> => ({
  getWaba: (connection, wabaId) =>
    client.call(connection, {
      ...reading,
      path: wabaId,
      query: { fields: 'id,marketing_messages_onboarding_status' },
      read: (answer) =>
        idOf(answer.id) === null
          ? undefined
          : { marketingMessages: textOf(answer.marketing_messages_onboarding_status) },
    }),
  // An account has one catalog, or a handful while it changes them: the first page has them all.
  listCatalogs: (connection, wabaId) =>
    client.call(connection, {
      ...reading,
      path: `${wabaId}/product_catalogs`,
      query: { fields: 'id', limit: '100' },
      read: ({ data }) =>
        Array.isArray(data)
          ? { catalogIds: data.flatMap((catalog) => idOf(fieldsOf(catalog).id) ?? []) }
          : undefined,
    }),
  getFlowKey: (connection, phoneNumberId) =>
    client.call(connection, {
      ...reading,
      path: `${phoneNumberId}/whatsapp_business_encryption`,
      read: ({ data }) => (Array.isArray(data) ? { flowKey: flowKeyIn(listOf(data)[0]) } : undefined),
    }),
});

function flowKeyIn(value: unknown) {
  const found = fieldsOf(value);
  if (textOf(found.business_public_key) === null) return 'NONE';
  return textOf(found.business_public_key_signature_status) === 'VALID' ? 'VALID' : 'MISMATCH';
}
