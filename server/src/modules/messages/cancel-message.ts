import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import { release } from '../billing/index.ts';
import { getMessage } from './messages.ts';
import type { Message } from './schema.ts';
import { ranks } from './statuses.ts';

/** Possible until the message is handed to the provider. Of a cancel and a hand-off that meet, the row's lock lets one win. */
export async function cancelMessage(t: TenantTx, sid: string): Promise<Message> {
  const canceled = await t.run(sql`
    update message_states set status = 'canceled', rank = ${ranks.canceled}, waiting = false, due_at = null,
      turn_at = null, canceled_at = ${t.now}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${sid} and waiting`);
  const message = await getMessage(t, sid);
  if (canceled === 0) {
    // Asking twice is no mistake.
    if (message.status === 'canceled') return message;
    throw new ApiError('MESSAGE_NOT_CANCELABLE');
  }
  await release(t, [sid]);
  emit(t, 'message.canceled', message);
  return message;
}
