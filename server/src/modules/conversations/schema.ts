import { type Static, Type } from 'typebox';
import { Closed, DateTime, Nullable, Sid, Word } from '../../platform/schema.ts';

export const ServiceWindow = Closed({
  object: Word('service_window'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  senderSid: Sid('WA'),
  /** The contact asked for, or the survivor it was merged into. */
  contactSid: Sid('CT'),
  open: Type.Boolean(),
  /** When the contact first wrote in this window; null when it never has. */
  openedAt: Nullable(DateTime),
  lastInboundAt: Nullable(DateTime),
  expiresAt: Nullable(DateTime),
  createdAt: Nullable(DateTime),
  updatedAt: Nullable(DateTime),
});
export type ServiceWindow = Static<typeof ServiceWindow>;
