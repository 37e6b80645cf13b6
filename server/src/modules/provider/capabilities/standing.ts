// What the provider says of a business account and of a number decides over everything they could do.
import { inForce, type Restriction } from './restrictions.ts';
import { unavailable, type Verdict } from './verdicts.ts';

export type WabaStanding = {
  connectionState: string;
  banState: string;
  restrictions: readonly Restriction[];
  marketingMessages: string | null;
  catalogIds: readonly string[] | null;
};

export type SenderStanding = {
  status: string;
  providerPhoneNumberId: string | null;
  onBusinessApp: boolean;
  nameStatus: string | null;
  flowKey: string | null;
};

const restrictedStatuses = new Set(['RESTRICTED', 'FLAGGED', 'RATE_LIMITED', 'BANNED']);

const notConnected = unavailable('The business account is not connected.', 'WABA_NOT_CONNECTED');
const disabled = unavailable('The provider has disabled the business account.', 'WABA_RESTRICTED');
const restricted = unavailable('The provider restricts the number.', 'SENDER_RESTRICTED');
export const notReady = unavailable('The number is not connected.', 'SENDER_NOT_READY');

export const refusedUnconnected = (waba: WabaStanding | null): Verdict | null =>
  waba?.connectionState === 'CONNECTED' ? null : notConnected;

/** Why a business account can do nothing at all; null when it can. */
export const refusedOfWaba = (waba: WabaStanding | null): Verdict | null =>
  refusedUnconnected(waba) ?? (waba!.banState === 'DISABLED' ? disabled : null);

/** Why a number can do nothing at all; null when it can. */
export function refusedOfSender(sender: SenderStanding, waba: WabaStanding | null): Verdict | null {
  if (restrictedStatuses.has(sender.status)) return restricted;
  if (!isReady(sender)) return notReady;
  return refusedOfWaba(waba);
}

export const isReady = ({ status, providerPhoneNumberId }: SenderStanding): boolean =>
  status === 'CONNECTED' && providerPhoneNumberId !== null;

/** Whether a restriction of this kind holds at this moment. */
export const isRestricted = ({ restrictions }: WabaStanding, type: string, now: Date): boolean =>
  restrictions.length > 0 && inForce(restrictions, now).some((restriction) => restriction.type === type);
