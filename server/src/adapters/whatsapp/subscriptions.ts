// Whether the provider tells us of a business account's events.
import type { Provider, SubscribedApp } from '../../modules/provider/index.ts';
import { type Client, succeeded } from './client.ts';
import type { Doing } from './errors.ts';
import { fieldsOf, idOf, textOf } from './reading.ts';

const manage: Doing = { purpose: 'manage' };

export const subscriptionCalls = (
  client: Client,
): Pick<Provider, 'listSubscribedApps' | 'subscribe' | 'unsubscribe'> => {
  const path = (wabaId: string) => `${wabaId}/subscribed_apps`;
  return {
    listSubscribedApps: (connection, wabaId) =>
      client.call(connection, {
        method: 'GET',
        path: path(wabaId),
        doing: manage,
        whenLost: 'again',
        read: ({ data }) => (Array.isArray(data) ? { apps: data.flatMap(appIn) } : undefined),
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

function appIn(entry: unknown): SubscribedApp[] {
  const fields = fieldsOf(entry);
  const appId = idOf(fieldsOf(fields.whatsapp_business_api_data).id) ?? idOf(fields.id);
  return appId === null ? [] : [{ appId, overrideUrl: textOf(fields.override_callback_uri) }];
}
