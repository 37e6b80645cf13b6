import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  ErrorDetail,
  Money,
  NamedObject,
  Nullable,
  named,
  pageQuery,
  Sid,
  saying,
  Text,
  Uuid,
  Word,
} from '../../platform/http/input/schema.ts';
import { Identifier, IdentifierType } from '../contacts/index.ts';
import { contentObjects, contentTypes } from '../provider/index.ts';
import { priorities, statuses } from './statuses.ts';

const maybe = Type.Optional;
export const FreeForm = Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true });
export const Category = named('MessageCategory', Word('authentication', 'utility', 'marketing', 'service'));
const Transport = named('MessageTransport', Word('cloud_api', 'marketing_messages'));
export const PricingType = named('PricingType', Word('REGULAR', 'FREE_CUSTOMER_SERVICE', 'FREE_ENTRY_POINT'));
export const Status = named('MessageStatus', Word(...statuses));
export const Direction = named('MessageDirection', Word('outbound', 'inbound'));
const Priority = named('MessagePriority', Word(...priorities));
const TextMap = (maxProperties: number, maxLength: number) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    maxProperties,
    additionalProperties: { type: 'string', maxLength },
  });
const Tags = Type.Array(Text(40), { maxItems: 10 });
const MessageType = named('MessageType', Word(...contentTypes));
const optionalContent = Object.fromEntries(
  Object.entries(contentObjects).map(([name, schema]) => [name, maybe(schema)]),
) as { [K in keyof typeof contentObjects]: ReturnType<typeof maybe<(typeof contentObjects)[K]>> };

/** The body of sending and of preflight. What goes with what is judged by `read-message.ts`. */
const oneNamed = (...names: string[]) => ({ oneOf: names.map((name) => ({ required: [name] })) });

export const NewMessage = NamedObject(
  'SendMessageRequest',
  {
    conversationSid: maybe(Sid('CO')),
    composerClaimToken: maybe(Uuid),
    composerOverrideReason: maybe(Text(1000, 1)),
    from: maybe(Sid('WA')),
    senderPoolSid: maybe(Sid('SP')),
    to: maybe(Text(32)),
    recipient: maybe(Closed({ identifierType: IdentifierType, value: Text(64, 1) })),
    contactSid: maybe(Sid('CT')),
    defaultCountry: maybe(Type.String({ pattern: '^[A-Za-z]{2}$' })),
    type: maybe(MessageType),
    contentSid: maybe(Sid('HX')),
    variables: maybe(TextMap(100, 4096)),
    ...optionalContent,
    context: maybe(Closed({ replyToMessageId: maybe(Sid('SM')), providerMessageId: maybe(Text(256)) })),
    priority: maybe(Priority),
    sendAt: maybe(DateTime),
    validityPeriodSeconds: maybe(Type.Integer({ minimum: 30, maximum: 2_592_000 })),
    transport: maybe(Transport),
    transportOptions: maybe(
      NamedObject('MessageTransportOptions', {
        ttlSeconds: maybe(Type.Integer({ minimum: 43_200, maximum: 2_592_000 })),
      }),
    ),
    deferIfCapped: maybe(Type.Boolean()),
    category: maybe(Category),
    statusCallbackUrl: maybe(Type.String({ format: 'uri', maxLength: 2048 })),
    statusCallbackSid: maybe(Sid('WH')),
    metadata: maybe(TextMap(16, 512)),
    tags: maybe(Tags),
  },
  saying(
    oneNamed('to', 'recipient', 'contactSid', 'conversationSid'),
    oneNamed('contentSid', 'type'),
    { not: { required: ['from', 'senderPoolSid'] } },
    { not: { required: ['statusCallbackUrl', 'statusCallbackSid'] } },
  ),
);
export type NewMessage = Static<typeof NewMessage>;

const instant = Nullable(DateTime);

export const Price = NamedObject('MessagePrice', {
  estimate: Money,
  /** Known once the provider told how it charged; null until then. */
  final: Nullable(Money),
  pricingType: PricingType,
  rateCardVersion: Type.Integer(),
});

export const MessageError = NamedObject('MessageError', {
  code: Type.String(),
  type: Type.String(),
  message: Type.String(),
  retryable: Type.Boolean(),
  retryAfterSeconds: Nullable(Type.Integer()),
  docUrl: Type.String(),
  providerCode: Nullable(Type.Integer()),
});
export type MessageError = Static<typeof MessageError>;

export const Message = NamedObject('Message', {
  object: Word('message'),
  sid: Sid('SM'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  direction: Direction,
  status: Status,
  /** The sender of ours that sent or received it. */
  from: Sid('WA'),
  /** The pool that chose the sender, where one was asked to. */
  senderPoolSid: Nullable(Sid('SP')),
  to: Closed({ identifierType: IdentifierType, value: Type.String(), contactSid: Sid('CT') }),
  conversationSid: Nullable(Sid('CO')),
  type: Type.String(),
  content: Nullable(FreeForm),
  /** Since when the content is gone, for it was kept long enough. */
  contentRemovedAt: instant,
  /** The content again when it is text, at the place where events promise it. */
  text: Nullable(FreeForm),
  contentSid: Nullable(Sid('HX')),
  /** What the stored content was filled with. */
  variables: Nullable(FreeForm),
  context: Nullable(FreeForm),
  category: Nullable(Category),
  transport: Nullable(Transport),
  transportOptions: Nullable(Closed({ ttlSeconds: Type.Integer() })),
  priority: Priority,
  price: Nullable(Price),
  error: Nullable(MessageError),
  providerMessageId: Nullable(Type.String()),
  statusCallbackUrl: Nullable(Type.String()),
  /** The endpoint that hears of this message, by whichever name it was asked for. */
  statusCallbackSid: Nullable(Sid('WH')),
  campaignSid: Nullable(Sid('CP')),
  /** The run of a workflow that sent it. */
  workflowRunSid: Nullable(Sid('WR')),
  metadata: FreeForm,
  tags: Type.Array(Type.String()),
  createdAt: DateTime,
  updatedAt: DateTime,
  queuedAt: instant,
  sendAt: instant,
  validityPeriodSeconds: Nullable(Type.Integer()),
  deferIfCapped: Type.Boolean(),
  sentAt: instant,
  deliveredAt: instant,
  readAt: instant,
  failedAt: instant,
  canceledAt: instant,
  expiresAt: instant,
});
export type Message = Static<typeof Message>;

export const MessageQuery = Closed({
  contactSid: maybe(Sid('CT')),
  conversationSid: maybe(Sid('CO')),
  senderSid: maybe(Sid('WA')),
  status: maybe(Status),
  direction: maybe(Direction),
  campaignSid: maybe(Sid('CP')),
  tag: maybe(Text(40, 1)),
  createdAfter: maybe(DateTime),
  createdBefore: maybe(DateTime),
  ...pageQuery,
});
export type MessageQuery = Static<typeof MessageQuery>;

const Check = NamedObject('PreflightCheck', {
  gate: Type.String(),
  outcome: Word('pass', 'fail', 'skip', 'warn'),
  code: Nullable(Type.String()),
  message: Nullable(Type.String()),
  /** The records that decided, by name. */
  evidence: FreeForm,
});

/** The error sending would answer with. */
const RefusedMessage = NamedObject('MessageRefusal', {
  code: Type.String(),
  type: Type.String(),
  message: Type.String(),
  retryable: Type.Boolean(),
  retryAfterSeconds: Nullable(Type.Integer()),
  docUrl: Type.String(),
  details: Type.Array(ErrorDetail),
});
export type RefusedMessage = Static<typeof RefusedMessage>;

export const Preflight = NamedObject('Preflight', {
  object: Word('preflight'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  accepted: Type.Boolean(),
  checks: Type.Array(Check),
  error: Nullable(RefusedMessage),
  resolved: Closed({
    senderSid: Nullable(Sid('WA')),
    contactSid: Nullable(Sid('CT')),
    identifier: Nullable(Identifier),
    conversationSid: Nullable(Sid('CO')),
    category: Category,
    transport: Transport,
    window: Closed({
      open: Type.Boolean(),
      expiresAt: instant,
      /** A message that leaves before it is free: the person came from an advertisement or a page's button. */
      freeUntil: instant,
    }),
  }),
  cost: Nullable(
    Closed({
      total: Money,
      lines: Type.Array(Closed({ kind: Type.String(), amount: Money })),
      pricingType: PricingType,
      market: Type.String(),
      rateCardVersion: Type.Integer(),
    }),
  ),
  wouldSendAt: instant,
});
export type Preflight = Static<typeof Preflight>;

export const mostInBatch = 1000;
export const NewMessages = NamedObject('SendMessagesRequest', {
  messages: Type.Array(NewMessage, { minItems: 1, maxItems: mostInBatch }),
});

/** One outcome per body, in order: the message, or why it was refused. */
export const MessageBatch = NamedObject('MessageBatch', {
  object: Word('message_batch'),
  accepted: Type.Integer(),
  refused: Type.Integer(),
  results: Type.Array(
    NamedObject('MessageBatchResult', {
      index: Type.Integer(),
      message: Nullable(Message),
      error: Nullable(RefusedMessage),
    }),
  ),
});

export const Timeline = NamedObject('MessageTimeline', {
  object: Word('message_timeline'),
  messageSid: Sid('SM'),
  status: Status,
  entries: Type.Array(
    NamedObject('MessageTimelineEntry', {
      kind: Word('status', 'attempt', 'money', 'delivery'),
      at: DateTime,
      /**
       * The status; or what became of a hand-off (open, accepted, refused, retry, unknown), of money (held, charged, released)
       * or of a delivery (pending, delivered, failed).
       */
      status: Type.String(),
      attempt: Nullable(Type.Integer()),
      code: Nullable(Type.String()),
      providerCode: Nullable(Type.Integer()),
      reason: Nullable(Type.String()),
      durationMs: Nullable(Type.Integer()),
      amount: Nullable(Money),
      delivery: Nullable(
        Closed({
          deliverySid: Sid('WD'),
          endpointSid: Sid('WH'),
          eventSid: Sid('EV'),
          eventType: Type.String(),
          httpStatus: Nullable(Type.Integer()),
        }),
      ),
    }),
  ),
});
export type Timeline = Static<typeof Timeline>;
