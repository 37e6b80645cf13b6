// The life of an API key: made, used, changed, rotated, disabled. Scopes never change: a key with others is a new key.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Queries, TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError, type ErrorDetail, invalid } from '../../platform/errors/errors.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { newUuid, randomToken } from '../../platform/ids.ts';
import { principalName } from '../../platform/principal.ts';
import { findAccount } from '../accounts/index.ts';
import { audit } from '../audit/index.ts';
import { bindingsOf, type Effective, effectiveScopes } from '../roles/index.ts';
import { hashSecret, keyText, newKeyParts, publicPart } from './key-text.ts';
import type { ApiKey, ApiKeyChange, ApiKeyWithSecret, NewApiKey } from './schema.ts';

const columns = sql`id, account_sid as "accountSid", livemode, name, lookup, scopes, allowed_cidrs as "allowedCidrs",
  signing_required as "signingRequired", requests_per_second as "requestsPerSecond",
  disabled_at is not null as disabled, created_by as "createdBy", expires_at as "expiresAt",
  last_used_at as "lastUsedAt", created_at as "createdAt", updated_at as "updatedAt"`;

type Row = Omit<ApiKey, 'object' | 'keyId'> & { lookup: string };

const toKey = ({ lookup, ...row }: Row): ApiKey => ({
  object: 'api_key',
  ...row,
  keyId: publicPart(row.livemode, lookup),
});

export const signingSecretContext = (accountSid: string, keyId: string) =>
  `signing-secret:${accountSid}:${keyId}`;

type Grant = NewApiKey & { requestsPerSecond?: number };

export async function createApiKey(
  t: TenantTx,
  input: Grant,
  { announced = true } = {},
): Promise<ApiKeyWithSecret> {
  judgeNewKey(t, input);
  refuseMoreThanHeld(t, input.scopes);
  const id = newUuid(t.now);
  const parts = newKeyParts(t.livemode);
  const signingSecret = randomToken();
  const row = await t.one<Row>(sql`
    insert into api_keys (account_sid, livemode, id, lookup, secret_hash, signing_secret, name, scopes, allowed_cidrs,
      signing_required, requests_per_second, created_by, expires_at, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${id}, ${parts.lookup}, ${hashSecret(parts.secret)},
      ${t.sealer.seal(signingSecret, signingSecretContext(t.accountSid, id))}, ${input.name},
      ${[...input.scopes].sort()}, ${input.allowedCidrs ?? []}, ${input.signingRequired ?? false},
      ${input.requestsPerSecond ?? null}, ${principalName(t.principal)}, ${input.expiresAt ?? null}, ${t.now}, ${t.now})
    returning ${columns}`);
  const { name, scopes } = row;
  audit(t, { action: 'api_key.created', resource: id, facts: { name, scopes }, untold: !announced });
  return { ...toKey(row), key: keyText(parts), signingSecret };
}

export function judgeNewKey({ now }: TenantTx, { allowedCidrs = [], expiresAt }: Grant): void {
  refuseBadRanges(allowedCidrs);
  if (expiresAt && new Date(expiresAt) <= now) {
    throw invalid({ path: 'expiresAt', issue: 'must be in the future' });
  }
}

/** Nobody hands out more than they hold; the operator's command line stands above accounts. */
function refuseMoreThanHeld(t: TenantTx, scopes: string[]): void {
  if (t.principal.kind === 'system') return;
  const held = t.principal.scopesOn(t.accountSid) ?? new Set();
  const details = scopes.flatMap((scope, i): ErrorDetail[] =>
    held.has(scope) ? [] : [{ path: `scopes[${i}]`, issue: `${scope} is not held by the caller` }],
  );
  if (details.length > 0) throw new ApiError('AUTHORIZATION_ERROR', { details });
}

/** What role bindings give a key beside its own scopes. */
export async function boundScopes(
  q: Queries,
  key: Pick<ApiKey, 'id' | 'accountSid' | 'livemode'>,
  now: Date,
): Promise<Effective> {
  const [account, bindings] = await Promise.all([
    findAccount(q, key.accountSid),
    bindingsOf(q, 'API_KEY', key.id),
  ]);
  return effectiveScopes(bindings, { ...account!, livemode: key.livemode }, now);
}

/** Whoever gets a key's text, or takes away what confines it, must hold all that the key can do. */
async function refuseStrongerKey(t: TenantTx, key: Row): Promise<void> {
  const bound = await boundScopes(t, key, t.now);
  const inboxScopes = [...bound.inboxScopes.values()].flatMap((scopes) => [...scopes]);
  refuseMoreThanHeld(t, [...new Set([...key.scopes, ...bound.scopes, ...inboxScopes])]);
}

function refuseBadRanges(ranges: string[]): void {
  const details = ranges.flatMap((range, i): ErrorDetail[] =>
    // The parser alone would also read 010.0.0.0/8, and as 8.0.0.0/8.
    isIP(range.split('/')[0]!) !== 0 && ipaddr.isValidCIDR(range)
      ? []
      : [{ path: `allowedCidrs[${i}]`, issue: 'must be a CIDR range such as 192.0.2.0/24' }],
  );
  if (details.length > 0) throw invalid(...details);
}

export async function listApiKeys(t: TenantTx, pager: Pager) {
  const [createdAt, id] = pager.after ?? [null, null];
  const rows = await t.many<Row>(sql`
    select ${columns} from api_keys
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       and (${createdAt}::timestamptz is null or (created_at, id) < (${createdAt}, ${id}::uuid))
     order by created_at desc, id desc limit ${pager.fetch}`);
  return pager.page(rows, (row) => [row.createdAt, row.id], toKey);
}

export async function getApiKey(t: TenantTx, id: string): Promise<ApiKey> {
  const row = await t.maybe<Row>(sql`
    select ${columns} from api_keys
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id}`);
  if (!row) throw new ApiError('NOT_FOUND');
  return toKey(row);
}

export async function changeApiKey(t: TenantTx, id: string, change: ApiKeyChange): Promise<ApiKey> {
  refuseBadRanges(change.allowedCidrs ?? []);
  refuseOwnEnd(t, id, change);
  const has = (field: keyof ApiKeyChange) => change[field] !== undefined;
  const row = await t.maybe<Row>(sql`
    update api_keys set
      name = coalesce(${change.name ?? null}, name),
      allowed_cidrs = coalesce(${change.allowedCidrs ?? null}::text[], allowed_cidrs),
      signing_required = coalesce(${change.signingRequired ?? null}::boolean, signing_required),
      expires_at = case when ${has('expiresAt')} then ${change.expiresAt ?? null}::timestamptz else expires_at end,
      disabled_at = case when not ${has('disabled')} then disabled_at
        when ${change.disabled ?? false} then coalesce(disabled_at, ${t.now}) end,
      updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id}
    returning ${columns}`);
  if (!row) throw new ApiError('NOT_FOUND');
  const onlyDisables = change.disabled === true && Object.keys(change).length === 1;
  if (!onlyDisables) await refuseStrongerKey(t, row);
  audit(t, { action: 'api_key.changed', resource: id, facts: { ...change } });
  return toKey(row);
}

/** Whoever ends the key it asks by may find nobody left to take that back. */
function refuseOwnEnd({ principal, now }: TenantTx, id: string, { disabled, expiresAt }: ApiKeyChange): void {
  if (principal.kind !== 'api_key' || principal.ref !== id) return;
  const ends = disabled || (expiresAt && new Date(expiresAt) <= now);
  if (!ends) return;
  throw new ApiError('CONFLICT', {
    message: 'A key cannot disable itself or let itself expire at once. Use another key, or sign in.',
    details: [
      { path: disabled ? 'disabled' : 'expiresAt', issue: 'would end the key this request is made with' },
    ],
  });
}

/** Gives the key a new text and signing secret. The old ones end at once. */
export async function rotateApiKey(t: TenantTx, id: string): Promise<ApiKeyWithSecret> {
  const parts = newKeyParts(t.livemode);
  const signingSecret = randomToken();
  const row = await t.maybe<Row>(sql`
    update api_keys set lookup = ${parts.lookup}, secret_hash = ${hashSecret(parts.secret)},
      signing_secret = ${t.sealer.seal(signingSecret, signingSecretContext(t.accountSid, id))}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id}
    returning ${columns}`);
  if (!row) throw new ApiError('NOT_FOUND');
  await refuseStrongerKey(t, row);
  audit(t, { action: 'api_key.rotated', resource: id });
  return { ...toKey(row), key: keyText(parts), signingSecret };
}
