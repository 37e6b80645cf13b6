// What the app does in its own name: it exchanges the code of a signup for a token, and looks at what a token is worth.
import type { Connection, Provider, ProviderApp, TokenFacts } from '../../modules/provider/index.ts';
import type { Client } from './client.ts';
import type { Doing } from './errors.ts';
import { type Fields, fieldsOf, idOf, listOf, textOf } from './reading.ts';

const manage: Doing = { purpose: 'manage' };

const asApp = ({ baseUrl, apiVersion, appId, appSecret }: ProviderApp): Connection => ({
  baseUrl,
  apiVersion,
  accessToken: `${appId}|${appSecret}`,
});

/** Longer than a code lives, nobody waits for its exchange. */
const exchangeMs = 20_000;

export const signupCalls = (client: Client): Pick<Provider, 'exchangeCode' | 'debugToken'> => ({
  exchangeCode: (app, { code, redirectUri }) =>
    client.call(asApp(app), {
      method: 'GET',
      path: 'oauth/access_token',
      query: { client_id: app.appId, client_secret: app.appSecret, code, redirect_uri: redirectUri },
      doing: manage,
      whenLost: 'unknown',
      timeoutMs: exchangeMs,
      read({ access_token: given }) {
        const accessToken = textOf(given);
        return accessToken === null ? undefined : { accessToken };
      },
    }),
  debugToken: (app, accessToken) =>
    client.call(asApp(app), {
      method: 'GET',
      path: 'debug_token',
      query: { input_token: accessToken },
      doing: manage,
      whenLost: 'again',
      timeoutMs: exchangeMs,
      read: ({ data }) => (data === undefined ? undefined : factsIn(fieldsOf(data))),
    }),
});

function factsIn(data: Fields): TokenFacts {
  const targets = (scope: string) =>
    listOf(data.granular_scopes)
      .map(fieldsOf)
      .filter((granted) => granted.scope === scope)
      .flatMap((granted) => listOf(granted.target_ids))
      .flatMap((id) => idOf(id) ?? []);
  const sendable = new Set(targets('whatsapp_business_messaging'));
  return {
    valid: data.is_valid === true,
    appId: idOf(data.app_id),
    wabaIds: targets('whatsapp_business_management').filter((id) => sendable.has(id)),
  };
}
