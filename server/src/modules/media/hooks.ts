// What media needs of the modules above it. `main/modules.ts` connects it.
import type { TenantTx } from '../../platform/db/database.ts';
import type { Connection } from '../provider/index.ts';

export type MediaHooks = {
  /** As whom to fetch what a business account received; null when it is not connected. */
  connectionOf(t: TenantTx, wabaSid: string): Promise<Connection | null>;
  /** As whom to upload what belongs to no business account in particular; null when none is connected. */
  anyConnection(t: TenantTx): Promise<Connection | null>;
  /** The application at the provider that uploads are made for; null when none is configured. */
  appIdOf(t: TenantTx): string | null;
};
