// What a set of bindings amounts to on one account, in one environment, at one moment.

import type { Queries } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { isRole, scopesOfRole } from './catalogue.ts';

export type PrincipalType = 'USER' | 'API_KEY';

export type Binding = {
  organizationId: string;
  accountSid: string | null;
  inboxSid: string | null;
  role: string;
  scopeKind: 'ORGANIZATION' | 'ACCOUNT' | 'SUBACCOUNT' | 'INBOX';
  environment: 'live' | 'sandbox' | 'both';
  expiresAt: string | null;
};

export type Place = {
  accountSid: string;
  parentAccountSid: string | null;
  organizationId: string;
  livemode: boolean;
};

export type Effective = {
  /** Scopes on the whole account. */
  scopes: Set<string>;
  /** Scopes inside single inboxes only; they never widen to the account. */
  inboxScopes: Map<string, Set<string>>;
  /** The moment the first of these ends by itself, for whoever remembers the answer; infinite when none does. */
  untilMs: number;
};

const bindingColumns = sql`organization_id as "organizationId", account_sid as "accountSid", inbox_sid as "inboxSid", role,
  scope_kind as "scopeKind", environment, expires_at as "expiresAt"`;

/** The bindings of a principal that are not revoked. Expiry is judged when they are used. */
export function bindingsOf(q: Queries, type: PrincipalType, ref: string): Promise<Binding[]> {
  return q.many<Binding>(sql`
    select ${bindingColumns} from role_bindings
     where principal_type = ${type} and principal_ref = ${ref} and revoked_at is null`);
}

/** The same of many, by their refs. */
export async function bindingsByRef(
  q: Queries,
  type: PrincipalType,
  refs: readonly string[],
): Promise<Map<string, Binding[]>> {
  const rows = await q.many<Binding & { ref: string }>(sql`
    select ${bindingColumns}, principal_ref as ref from role_bindings
     where principal_type = ${type} and principal_ref = any (${[...refs]}::text[]) and revoked_at is null`);
  return Map.groupBy(rows, ({ ref }) => ref);
}

export function effectiveScopes(bindings: readonly Binding[], place: Place, now: Date): Effective {
  const effective: Effective = {
    scopes: new Set(),
    inboxScopes: new Map(),
    untilMs: Number.POSITIVE_INFINITY,
  };
  for (const binding of bindings) {
    if (!isInForce(binding, place, now) || !isRole(binding.role)) continue;
    const scopes = scopesOfRole(binding.role);
    const target = binding.scopeKind === 'INBOX' ? inboxSet(effective, binding.inboxSid!) : effective.scopes;
    for (const scope of scopes) target.add(scope);
    if (binding.expiresAt !== null)
      effective.untilMs = Math.min(effective.untilMs, new Date(binding.expiresAt).getTime());
  }
  return effective;
}

function isInForce(binding: Binding, place: Place, now: Date): boolean {
  if (binding.organizationId !== place.organizationId) return false;
  if (binding.expiresAt !== null && new Date(binding.expiresAt) <= now) return false;
  if (binding.environment !== 'both' && (binding.environment === 'live') !== place.livemode) return false;
  switch (binding.scopeKind) {
    case 'ORGANIZATION':
      return true;
    case 'ACCOUNT': // an account's role reaches its subaccounts
      return binding.accountSid === place.accountSid || binding.accountSid === place.parentAccountSid;
    case 'SUBACCOUNT':
    case 'INBOX':
      return binding.accountSid === place.accountSid;
  }
}

function inboxSet({ inboxScopes }: Effective, inboxSid: string): Set<string> {
  const known = inboxScopes.get(inboxSid) ?? new Set<string>();
  inboxScopes.set(inboxSid, known);
  return known;
}
