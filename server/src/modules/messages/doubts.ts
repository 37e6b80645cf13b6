// What looks wrong about the money of a message: told to whoever reconciles, by a job that is queued with what happened. The jobs
// themselves are `reconciliation`'s, which stands below and knows what to make of it.
import { type Static, Type } from 'typebox';
import type { TenantTx } from '../../platform/db/database.ts';
import { Closed, Nullable, Sid } from '../../platform/http/input/schema.ts';
import { enqueue, untilDone } from '../../platform/jobs/jobs.ts';

/** The provider named another price than the one that was taken. */
export const doubtedPrices = {
  name: 'reconciliation.doubted-prices',
  payload: Closed({
    messages: Type.Array(
      Closed({
        messageSid: Sid('SM'),
        reportedMinor: Type.String({ pattern: '^[0-9]{1,18}$' }),
        category: Type.String(),
        pricingType: Type.String(),
        transport: Type.String(),
      }),
    ),
  }),
  attempts: untilDone,
};
export type DoubtedPrice = Static<typeof doubtedPrices.payload>['messages'][number];

/** Money was given back because the provider never said what became of the message. */
export const silentMessages = {
  name: 'reconciliation.silent-messages',
  payload: Closed({ messageSids: Type.Array(Sid('SM')) }),
  attempts: untilDone,
};

/** The provider charges for messages nobody here knows. */
export const unknownMessages = {
  name: 'reconciliation.unknown-messages',
  payload: Closed({
    messages: Type.Array(
      Closed({
        providerMessageId: Type.String(),
        senderSid: Nullable(Sid('WA')),
        wabaSid: Nullable(Sid('WB')),
        day: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
      }),
    ),
  }),
  attempts: untilDone,
};
export type UnknownMessage = Static<typeof unknownMessages.payload>['messages'][number];

export function doubtPrices(t: TenantTx, messages: DoubtedPrice[]): void {
  if (messages.length > 0) enqueue(t, doubtedPrices, { messages });
}

export function doubtSilence(t: TenantTx, messageSids: string[]): void {
  if (messageSids.length > 0) enqueue(t, silentMessages, { messageSids });
}

export function doubtUnknown(t: TenantTx, messages: UnknownMessage[]): void {
  if (messages.length > 0) enqueue(t, unknownMessages, { messages });
}
