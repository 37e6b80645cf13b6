// What messages need of the modules around them, beyond what they import: `main/modules.ts` connects it.
import type { TenantTx } from '../../platform/db/database.ts';

/** A message that came in, before it is stored. */
export type Arrival = {
  sid: string;
  senderSid: string;
  contactSid: string;
  type: string;
  /** A person wrote it. Notices about them, and changes to what they wrote before, open nothing. */
  written: boolean;
  /** What it says in words, where it says any: for the first line of a conversation. */
  text: string | null;
  occurredAt: Date;
};

export type MessageHooks = {
  /** Finds or opens the conversation of each arrival; those it leaves out belong to none. */
  onInbound(t: TenantTx, arrivals: Arrival[]): Promise<ReadonlyMap<string, string>>;
};

/** One try to deliver an event to an endpoint; or a delivery that nothing was tried for yet. */
export type DeliveryTry = {
  deliverySid: string;
  endpointSid: string;
  eventSid: string;
  eventType: string;
  outcome: 'pending' | 'delivered' | 'failed';
  at: string;
  /** Counted per delivery; null when nothing was tried. */
  number: number | null;
  httpStatus: number | null;
  reason: string | null;
  durationMs: number | null;
};

export type TimelineHooks = {
  /** What was delivered of a resource's events, to whichever endpoint: the first so many tries. */
  deliveryTriesOf(t: TenantTx, resourceSid: string): Promise<DeliveryTry[]>;
};

export type AskedCallback = { url: string } | { sid: string };

export type SendingHooks = {
  /** The verified webhook endpoint each of these names, in their order; null where there is none. */
  findStatusCallbacks(t: TenantTx, asked: readonly AskedCallback[]): Promise<(string | null)[]>;
};
