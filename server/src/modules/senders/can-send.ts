import { inForce } from '../provider/index.ts';
import type { Waba } from '../wabas/index.ts';
import type { Sender } from './senders.ts';

/** Restrictions under which a sender cannot begin a conversation. */
const blocking = new Set(['RESTRICTED_BIZ_INITIATED_MESSAGING']);

/** Whether a sender can send now, and the account it belongs to lets it. */
export function canSend(sender: Sender, waba: Waba | undefined, now: Date): boolean {
  if (sender.status !== 'CONNECTED') return false;
  if (!waba) return sender.wabaSid === null;
  return (
    waba.connectionState === 'CONNECTED' &&
    waba.banState !== 'DISABLED' &&
    !inForce(waba.restrictions, now).some(({ type }) => blocking.has(type))
  );
}
