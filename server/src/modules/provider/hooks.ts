// Who hears of what the provider tells, and whose it is. The modules above implement these; `main/modules.ts` connects
// them. What has no handler yet is kept and counted, and can be handed over later.
import type { SystemTx, TenantTx } from '../../platform/db/database.ts';
import type { ChangeKind, Changes, ReadChange } from './changes.ts';

/** Which tenant a change belongs to. A change about a whole business account has no sender. */
export type Route = {
  accountSid: string;
  livemode: boolean;
  senderSid: string | null;
  wabaSid: string | null;
};

export type Routed<Item> = Item & { senderSid: string | null; wabaSid: string | null };

/**
 * Each takes many at once, in the order in which they arrived, inside one transaction of their tenant. That transaction
 * also remembers that they were handed over: it commits once for each change, however often the provider repeats itself and
 * whenever a process dies. The order of arrival is not the order of events; `occurredAt` is.
 *
 * A handler that throws is called again with its changes one by one, so that one bad change does not hold up the others.
 */
export type CallbackHandlers = {
  [K in ChangeKind]?: (t: TenantTx, items: Routed<Changes[K]>[]) => Promise<void>;
};

type Found = { accountSid: string; livemode: boolean; senderSid?: string | null; wabaSid?: string | null };

export type CallbackRoutes = {
  byPhoneNumberId(s: SystemTx, phoneNumberId: string, livemode: boolean): Promise<Found | null>;
  byWabaId(s: SystemTx, wabaId: string, livemode: boolean): Promise<Found | null>;
};

/** What people ask for to be left alone: it is applied before everything else. */
export type OptOuts = {
  includes(change: ReadChange): boolean;
  /** Opens the transaction that applies some: keeps others from deciding against them until it ends. */
  hold(t: TenantTx): Promise<unknown>;
};

export type CallbackHooks = { handlers: CallbackHandlers; routes: CallbackRoutes; optOuts: OptOuts };
