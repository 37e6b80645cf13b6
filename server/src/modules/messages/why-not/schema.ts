import { type Static, Type } from 'typebox';
import { Money, NamedObject, Nullable, Sid, sample, Word } from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid } from '../../../platform/samples.ts';
import { UnaddressedMessage } from '../admission/unaddressed-messages.ts';
import { FreeForm } from '../schema.ts';

export const mostJudged = 100;
export const mostSamples = 10;

// What is said to many answers none of them.
const { context: _context, ...answeringNobody } = UnaddressedMessage.properties;

export const AskWhyNot = NamedObject('SegmentWhyNotRequest', {
  /** What would be sent to each of them. */
  message: NamedObject('WhyNotMessage', answeringNobody),
  /** Only these members. */
  contactSids: Type.Optional(Type.Array(Sid('CT'), { minItems: 1, maxItems: mostJudged, uniqueItems: true })),
  /** The members after this one: `nextAfter` of the answer before. */
  after: Type.Optional(Sid('CT')),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostJudged })),
});
export type AskWhyNot = Static<typeof AskWhyNot>;

const Reason = NamedObject('WhyNotReason', {
  /** The gate of sending that refuses; null where no message can be made for the person. */
  gate: Nullable(Type.String()),
  code: Type.String(),
  message: Type.String(),
  /** The records that decided, by name. */
  evidence: FreeForm,
});
export type Reason = Static<typeof Reason>;

const Member = NamedObject('WhyNotMember', {
  contactSid: Sid('CT'),
  reached: Type.Boolean(),
  /** Every gate that refuses, in the order in which sending asks them. */
  reasons: Type.Array(Reason),
  /** What the message would cost; null where nobody can be reached. */
  cost: Nullable(Money),
});

export const WhyNot = NamedObject('SegmentWhyNot', {
  object: Word('segment_why_not'),
  segmentSid: Sid('SG'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  judged: Type.Integer(),
  reached: Type.Integer(),
  /** How many of those judged each reason stands against; somebody may have several. */
  reasons: Type.Array(
    NamedObject('WhyNotCount', {
      gate: Nullable(Type.String()),
      code: Type.String(),
      contacts: Type.Integer(),
      /** Ten of them at the most. */
      samples: Type.Array(Sid('CT')),
    }),
  ),
  members: Type.Array(Member),
  /** For `after` of the next request; null when there are no more. */
  nextAfter: Nullable(Sid('CT')),
});
export type WhyNot = Static<typeof WhyNot>;

sample(WhyNot, {
  object: 'segment_why_not',
  segmentSid: sampleSid('SG'),
  ...sampleOwner,
  judged: 1,
  reached: 0,
  reasons: [{ gate: 'consent', code: 'CONSENT_REQUIRED', contacts: 1, samples: [sampleSid('CT')] }],
  members: [
    {
      contactSid: sampleSid('CT'),
      reached: false,
      reasons: [
        {
          gate: 'consent',
          code: 'CONSENT_REQUIRED',
          message: 'There is no consent of the recipient to marketing.',
          evidence: { purpose: 'MARKETING', status: 'UNKNOWN' },
        },
      ],
      cost: { amountMinor: '68200', currency: 'USD', scale: 6 },
    },
  ],
  nextAfter: null,
});
