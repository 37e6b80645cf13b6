// What a campaign sends, as it is kept: everything of the draft but its name and its audience.
import type { CampaignMessage, NewCampaign, QuietHours } from '../schema.ts';

export type Definition = Pick<
  NewCampaign,
  | 'message'
  | 'variants'
  | 'variables'
  | 'from'
  | 'senderPoolSid'
  | 'sendAt'
  | 'localTime'
  | 'messagesPerMinute'
> & {
  quietHours?: QuietHours;
  budget?: NonNullable<NewCampaign['budget']>;
};

/** The messages it may send, each with the place it has in the draft. */
export const messagesOf = ({
  message,
  variants,
}: Definition): { path: string; message: CampaignMessage }[] =>
  variants
    ? variants.map((variant, at) => ({ path: `variants[${at}].message`, message: variant.message }))
    : message
      ? [{ path: 'message', message }]
      : [];
