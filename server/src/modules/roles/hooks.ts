// What roles need of the modules above them; `main/hooks.ts` connects it.
import type { TenantTx } from '../../platform/db/database.ts';
import type { PrincipalType } from './effective-scopes.ts';

export type RoleHooks = {
  /**
   * Whether a person of this organization, or a key of this account and environment, goes by that name; 'inactive' for
   * one who is known and cannot act.
   */
  findPrincipal(t: TenantTx, type: PrincipalType, ref: string): Promise<'active' | 'inactive' | null>;
  inboxExists(t: TenantTx, inboxSid: string): Promise<boolean>;
};
