// A message without recipient and moment: what somebody keeps in order to send it later to whomever they then have to do with.
import type { Static } from 'typebox';
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import { Closed } from '../../../platform/http/input/schema.ts';
import { judgeBy } from '../../../platform/http/input/validation.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { sampleSid } from '../../../platform/samples.ts';
import { readMessage } from '../drafts/read-message.ts';
import { judgeContent } from '../gates/content-rules.ts';
import { NewMessage } from '../schema.ts';

const {
  to: _to,
  recipient: _recipient,
  contactSid: _contactSid,
  conversationSid: _conversationSid,
  defaultCountry: _defaultCountry,
  // Who is writing in a conversation, and when a message leaves, is known when it is sent.
  composerClaimToken: _composerClaimToken,
  composerOverrideReason: _composerOverrideReason,
  sendAt: _sendAt,
  ...unaddressed
} = NewMessage.properties;

export const UnaddressedMessage = Closed(unaddressed);
export type UnaddressedMessage = Static<typeof UnaddressedMessage>;

const judge = judgeBy(UnaddressedMessage);
const anybody = { contactSid: sampleSid('CT') };
const author = systemPrincipal('unaddressed', false);

/** Everything that can be said against it before a recipient is known. */
export function judgeUnaddressed(message: unknown): ErrorDetail[] {
  const details = judge(message);
  if (details.length > 0) return details;
  const body = { ...(message as UnaddressedMessage), ...anybody };
  // The moment matters to `sendAt` alone, which is not among the fields.
  const draft = readMessage({ body, author }, new Date(0));
  if (Array.isArray(draft)) return draft;
  return 'type' in draft.content ? judgeContent(draft.content) : [];
}
