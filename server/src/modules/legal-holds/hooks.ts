// What legal holds need of the modules above them; `main/hooks.ts` connects it.
import type { TenantTx } from '../../platform/db/database.ts';

export type LegalHoldHooks = {
  /** Its two sides; null when there is no such conversation. */
  sidesOf(t: TenantTx, conversationSid: string): Promise<{ senderSid: string; contactSid: string } | null>;
  isCampaign(t: TenantTx, sid: string): Promise<boolean>;
  /** Told with the transaction that ends a hold: what it kept may go now. */
  ended: readonly ((t: TenantTx) => void | Promise<void>)[];
};
