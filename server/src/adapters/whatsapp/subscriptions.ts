// Whether the provider tells us of a business account's events.
import type { Provider } from '../../modules/provider/index.ts';
import { type Client, succeeded } from './client.ts';
import type { Doing } from './errors.ts';

const manage: Doing = { purpose: 'manage' };

export const subscriptionCalls = (
  client: Client,
): Pick<Provider, 'isSubscribed' | 'subscribe' | 'unsubscribe'> => {
  const path = (wabaId: string) => `${wabaId}/subscribed_apps`;
  return {
    isSubscribed: (connection, wabaId) =>
      client.call(connection, {
        method: 'GET',
        path: path(wabaId),
        doing: manage,
        whenLost: 'again',
        // The question names no app: what can be told is whether anybody listens.
        read: ({ data }) => (Array.isArray(data) ? { subscribed: data.length > 0 } : undefined),
      }),
    subscribe: (connection, wabaId) =>
      client.call(connection, {
        method: 'POST',
        path: path(wabaId),
        json: {},
        doing: manage,
        whenLost: 'again',
        read: succeeded,
      }),
    unsubscribe: (connection, wabaId) =>
      client.call(connection, {
        method: 'DELETE',
        path: path(wabaId),
        doing: manage,
        whenLost: 'again',
        read: succeeded,
      }),
  };
};
