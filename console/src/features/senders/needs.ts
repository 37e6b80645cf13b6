// What keeps a sender from sending, or will.
import type { Sender, Waba } from '@godwit/sdk';

export type Need =
  | 'connection'
  | 'name'
  | 'restriction'
  | 'quality'
  | 'waba'
  | 'token'
  | 'subscription'
  | 'flowKey'
  | 'verification';

export function needsOf(sender: Sender, waba: Waba | null): Need[] {
  const { status, nameStatus, quality, restrictions, flowKey, verificationStatus } = sender;
  const connection = waba?.connection;
  const needs: Record<Need, boolean> = {
    connection: status !== 'CONNECTED',
    restriction: restrictions.length > 0,
    quality: quality === 'RED',
    name: /DECLINED|EXPIRED/i.test(nameStatus ?? ''),
    verification: /NOT_VERIFIED|EXPIRED/i.test(verificationStatus ?? ''),
    waba: connection?.state === 'DISCONNECTED',
    token: connection?.token === 'INVALID',
    subscription: connection?.subscription === 'MISSING',
    flowKey: flowKey === 'NONE' || flowKey === 'MISMATCH',
  };
  return (Object.keys(needs) as Need[]).filter((need) => needs[need]);
}
