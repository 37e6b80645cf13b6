import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import { release } from '../billing/index.ts';
import { messageEvents } from './events.ts';
import { getMessage } from './messages.ts';
import type { Message } from './schema.ts';
import { cancelWaiting } from './states/live-messages.ts';

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
