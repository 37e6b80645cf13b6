// Flows, as the provider keeps them.
import type { Provider } from '../../modules/provider/index.ts';
import type { Client } from './client.ts';
import type { Doing } from './errors.ts';
import { idOf, textOf } from './reading.ts';

const manage: Doing = { purpose: 'manage' };

export const flowCalls = (client: Client): Pick<Provider, 'getFlow'> => ({
  getFlow: (connection, flowId) =>
    client.call(connection, {
      method: 'GET',
      path: flowId,
      query: { fields: 'id,name,status,endpoint_uri' },
      doing: manage,
      whenLost: 'again',
      read(answer) {
        const id = idOf(answer.id);
        if (id === null) return undefined;
        return {
          id,
          name: textOf(answer.name) ?? '',
          status: textOf(answer.status) ?? 'DRAFT',
          endpointUri: textOf(answer.endpoint_uri) || null,
        };
      },
    }),
});
