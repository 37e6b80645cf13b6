// One request of a directory: whose it is, what it asks, and the transactions it may open.

import type { RequestContext, Tenant, TenantTx } from '../../../platform/db/database.ts';
import type { Incoming, Serving } from '../../../platform/http/operations/serving.ts';
import type { Principal } from '../../../platform/principal.ts';
import { type DirectoryProvider, directoryUrl, lockActiveProvider } from '../../identity/index.ts';
import { badRequest, unauthorized } from './scim-error.ts';

export type ScimCall = {
  provider: DirectoryProvider;
  baseUrl: string;
  /** A parameter of the query, given once. */
  query(name: string): string | undefined;
  header(name: string): string | undefined;
  body(): unknown;
  read<T>(work: (t: TenantTx) => Promise<T>): Promise<T>;
  write<T>(work: (t: TenantTx) => Promise<T>): Promise<T>;
};

type Known = { provider: DirectoryProvider; homeAccountSid: string };

export function scimCall(serving: Serving, incoming: Incoming, known: Known, body: () => unknown): ScimCall {
  const { provider, homeAccountSid } = known;
  // A directory stands in both environments; what it does is written down where its roles apply.
  const tenant: Tenant = { accountSid: homeAccountSid, livemode: provider.roleEnvironment !== 'sandbox' };
  const requestContext: RequestContext = {
    principal: directoryPrincipal(provider, tenant.livemode),
    now: serving.clock.now(),
    requestId: incoming.requestId,
    log: incoming.log,
  };
  return {
    provider,
    baseUrl: directoryUrl(serving.site().publicUrl),
    query(name) {
      const value = incoming.query[name];
      if (Array.isArray(value)) throw badRequest('invalidValue', `"${name}" must be given once.`);
      return value;
    },
    header(name) {
      const value = incoming.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    body,
    read: (work) => serving.database.read(tenant, requestContext, work),
    write: (work) =>
      serving.database.write(tenant, requestContext, async (t) => {
        // Held until the end: a suspension comes before all of this or after all of it.
        if (!(await lockActiveProvider(t, provider.id))) throw unauthorized();
        return work(t);
      }),
  };
}

function directoryPrincipal({ id, organizationId }: DirectoryProvider, livemode: boolean): Principal {
  return {
    kind: 'directory',
    ref: id,
    accountSid: null,
    organizationId,
    livemode,
    scopesOn: () => null,
    partScopes: new Map(),
    requestsPerSecond: null,
    sessionId: null,
  };
}
