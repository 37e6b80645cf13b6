import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  Money,
  NamedObject,
  NotBlank,
  Nullable,
  named,
  pageQuery,
  Sid,
  saying,
  Text,
  Word,
} from '../../platform/http/input/schema.ts';
import { UnaddressedMessage } from '../messages/index.ts';
import { campaignStates } from './states.ts';

const maybe = Type.Optional;
const FreeForm = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true });

export const mostContacts = 10_000;
export const mostVariables = 50;

// By whom it is sent is said once for all variants, and it answers nobody.
const {
  from: _from,
  senderPoolSid: _pool,
  context: _context,
  ...withoutSender
} = UnaddressedMessage.properties;
export const CampaignMessage = NamedObject('CampaignMessage', withoutSender);
export type CampaignMessage = Static<typeof CampaignMessage>;

const CampaignVariant = NamedObject('CampaignVariant', {
  message: CampaignMessage,
  weight: Type.Integer({ minimum: 1, maximum: 99 }),
});
export type CampaignVariant = Static<typeof CampaignVariant>;

const CampaignVariable = NamedObject(
  'CampaignVariable',
  {
    attribute: maybe(Text(64, 1)),
    field: maybe(Word('displayName', 'locale')),
    fallback: maybe(Text(1024, 1)),
  },
  saying({ not: { required: ['attribute', 'field'] } }, { minProperties: 1 }),
);
export type CampaignVariable = Static<typeof CampaignVariable>;

const CampaignVariables = named(
  'CampaignVariables',
  Type.Unsafe<Record<string, CampaignVariable>>({
    type: 'object',
    maxProperties: mostVariables,
    additionalProperties: CampaignVariable,
  }),
);

const TimeOfDay = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' });
const QuietHours = NamedObject('CampaignQuietHours', {
  from: TimeOfDay,
  /** The first minute that is not quiet; earlier than `from` where the hours pass midnight. */
  to: TimeOfDay,
});
export type QuietHours = Static<typeof QuietHours>;

const GivenAudience = NamedObject(
  'CampaignAudienceRequest',
  {
    segmentSid: maybe(Sid('SG')),
    contactSids: maybe(Type.Array(Sid('CT'), { minItems: 1, maxItems: mostContacts, uniqueItems: true })),
  },
  saying({ oneOf: [{ required: ['segmentSid'] }, { required: ['contactSids'] }] }),
);
export type GivenAudience = Static<typeof GivenAudience>;

const Variants = Type.Array(CampaignVariant, { minItems: 2, maxItems: 4 });
const Pace = Type.Integer({ minimum: 1, maximum: 1_000_000 });

export const NewCampaign = NamedObject(
  'CreateCampaignRequest',
  {
    name: NotBlank(128),
    audience: GivenAudience,
    message: maybe(CampaignMessage),
    variants: maybe(Variants),
    variables: maybe(CampaignVariables),
    from: maybe(Sid('WA')),
    senderPoolSid: maybe(Sid('SP')),
    sendAt: maybe(DateTime),
    localTime: maybe(Type.Boolean()),
    quietHours: maybe(QuietHours),
    messagesPerMinute: maybe(Pace),
    budget: maybe(Money),
  },
  saying({ oneOf: [{ required: ['message'] }, { required: ['variants'] }] }),
);
export type NewCampaign = Static<typeof NewCampaign>;

export const CampaignChange = NamedObject('UpdateCampaignRequest', {
  name: maybe(NotBlank(128)),
  audience: maybe(GivenAudience),
  message: maybe(CampaignMessage),
  variants: maybe(Variants),
  variables: maybe(CampaignVariables),
  from: maybe(Nullable(Sid('WA'))),
  senderPoolSid: maybe(Nullable(Sid('SP'))),
  sendAt: maybe(Nullable(DateTime)),
  localTime: maybe(Type.Boolean()),
  quietHours: maybe(Nullable(QuietHours)),
  messagesPerMinute: maybe(Nullable(Pace)),
  budget: maybe(Nullable(Money)),
});
export type CampaignChange = Static<typeof CampaignChange>;

const CampaignState = named('CampaignState', Word(...campaignStates));
const instant = Nullable(DateTime);

export const Campaign = NamedObject('Campaign', {
  object: Word('campaign'),
  sid: Sid('CP'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  name: Type.String(),
  state: CampaignState,
  /** The code of the error it paused or failed by itself with. */
  reason: Nullable(Type.String()),
  version: Type.Integer(),
  audience: Closed({
    segmentSid: Nullable(Sid('SG')),
    /** Left out, as null, in lists and events. */
    contactSids: Nullable(Type.Array(Sid('CT'))),
    contactCount: Nullable(Type.Integer()),
  }),
  message: Nullable(CampaignMessage),
  variants: Nullable(Type.Array(CampaignVariant)),
  variables: CampaignVariables,
  from: Nullable(Sid('WA')),
  senderPoolSid: Nullable(Sid('SP')),
  sendAt: instant,
  localTime: Type.Boolean(),
  quietHours: Nullable(QuietHours),
  messagesPerMinute: Nullable(Type.Integer()),
  budget: Nullable(Money),
  /** Of the budget: what the messages so far can cost at most. */
  budgetUsed: Nullable(Money),
  approvalSid: Nullable(Sid('AP')),
  operationSid: Nullable(Sid('OP')),
  progress: Closed({
    recipients: Type.Integer(),
    pending: Type.Integer(),
    admitted: Type.Integer(),
    refused: Type.Integer(),
  }),
  createdBy: Type.String(),
  launchedBy: Nullable(Type.String()),
  launchedAt: instant,
  startedAt: instant,
  finishedAt: instant,
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type Campaign = Static<typeof Campaign>;

export const CampaignQuery = Closed({ state: maybe(CampaignState), ...pageQuery });
export type CampaignQuery = Static<typeof CampaignQuery>;

const Outcome = named('CampaignOutcome', Word('PENDING', 'ADMITTED', 'REFUSED', 'CANCELED'));

export const CampaignRecipient = NamedObject('CampaignRecipient', {
  object: Word('campaign_recipient'),
  campaignSid: Sid('CP'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  position: Type.Integer(),
  contactSid: Sid('CT'),
  variant: Nullable(Type.Integer()),
  outcome: Outcome,
  messageSid: Nullable(Sid('SM')),
  code: Nullable(Type.String()),
  message: Nullable(Type.String()),
  /** The gate that refused, and the records it decided by. */
  evidence: Nullable(FreeForm),
  /** When it may be admitted at the earliest. */
  dueAt: DateTime,
  decidedAt: instant,
});
export type CampaignRecipient = Static<typeof CampaignRecipient>;

export const RecipientQuery = Closed({
  outcome: maybe(Outcome),
  code: maybe(Text(64, 1)),
  ...pageQuery,
});
export type RecipientQuery = Static<typeof RecipientQuery>;

const approvalAbove = Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000_000 }));
const Zone = Text(64, 1);

export const CampaignSettings = NamedObject('CampaignSettings', {
  object: Word('campaign_settings'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  /** Launching to more people than this takes a second person; null where it never does. */
  approvalAbove,
  /** For people of whom no time zone is known. */
  fallbackTimezone: Type.String(),
  updatedAt: instant,
});
export type CampaignSettings = Static<typeof CampaignSettings>;

export const SettingsChange = NamedObject('UpdateCampaignSettingsRequest', {
  approvalAbove: maybe(approvalAbove),
  fallbackTimezone: maybe(Zone),
  stepUpToken: Text(256),
});
export type SettingsChange = Static<typeof SettingsChange>;
