// What the operator does with keys from the command line. The operator stands above accounts.
import {
  type ApiKey,
  type ApiKeyWithSecret,
  changeApiKey,
  createApiKey,
  listApiKeys,
} from '../../modules/api-keys/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { ConfigError } from '../../platform/config.ts';
import type { Database, RequestContext, Tenant } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { createPager } from '../../platform/http/operations/pagination.ts';
import type { Log } from '../../platform/observability/logging.ts';
import { systemPrincipal } from '../../platform/principal.ts';

export type CommandContext = { database: Database; clock: Clock; log: Log };
export type NewKey = { name: string; scopes?: string[]; requestsPerSecond?: number };

export function asOperator({ clock, log }: CommandContext, livemode: boolean): RequestContext {
  return {
    principal: systemPrincipal('operator', livemode),
    now: clock.now(),
    requestId: 'command-line',
    log,
  };
}

export async function issueKey(
  context: CommandContext,
  tenant: Tenant,
  { scopes: given, ...key }: NewKey,
  options: { announced?: boolean } = {},
): Promise<ApiKeyWithSecret> {
  // With every feature behind it, which other commands need not load.
  const scopes = given ?? (await import('../scopes.ts')).allScopes;
  return context.database.write(tenant, asOperator(context, tenant.livemode), (t) =>
    createApiKey(t, { ...key, scopes }, options),
  );
}

export async function listKeys(context: CommandContext, tenant: Tenant): Promise<ApiKey[]> {
  const page = await context.database.read(tenant, asOperator(context, tenant.livemode), (t) =>
    listApiKeys(t, createPager(t.sealer, 'keys list', tenant, { limit: 10_000 })),
  );
  return page.data;
}

export async function disableKey(context: CommandContext, tenant: Tenant, id: string): Promise<void> {
  try {
    await context.database.write(tenant, asOperator(context, tenant.livemode), (t) =>
      changeApiKey(t, id, { disabled: true }),
    );
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error;
    const environment = tenant.livemode ? 'live environment' : 'sandbox';
    throw new ConfigError(`There is no key ${id} in this account's ${environment}.`);
  }
}
