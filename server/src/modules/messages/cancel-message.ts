import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import { release } from '../billing/index.ts';
import { messageEvents } from './events.ts';
import { getMessage, readMessages } from './messages.ts';
import type { Message } from './schema.ts';
import { cancelWaiting, cancelWaitingOf } from './states/live-messages.ts';

/** Possible until the message is handed to the provider. */
export async function cancelMessage(t: TenantTx, sid: string): Promise<Message> {
  const canceled = await cancelWaiting(t, sid);
  const message = await getMessage(t, sid);
  if (!canceled) {
    // Asking twice is no mistake.
    if (message.status === 'canceled') return message;
    throw new ApiError('MESSAGE_NOT_CANCELABLE');
  }
  await release(t, [sid]);
  emit(t, messageEvents.canceled, message);
  return message;
}

/** Cancels what still waits for somebody, so many at a time; tells how many there were. */
export async function cancelMessagesOf(
  t: TenantTx,
  contactSids: readonly string[],
  limit: number,
): Promise<number> {
  const sids = await cancelWaitingOf(t, contactSids, limit);
  await release(t, sids);
  for (const message of (await readMessages(t, sids)).values()) emit(t, messageEvents.canceled, message);
  return sids.length;
}
