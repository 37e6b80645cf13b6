// What approvals need of the modules above them; `main/hooks.ts` connects it.

import type { TenantTx } from '../../platform/db/database.ts';
import type { Approvable } from '../../platform/http/operations/approvable.ts';

export type ApprovalHooks = {
  /** Every action that can be approved, by any module. */
  approvables(): Approvable[];
  /** Who made an API key, and who made the key that made it, as principals are written down. */
  makersOf(t: TenantTx, apiKeyId: string): Promise<string[]>;
};
