import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  named,
  pageQuery,
  Sid,
  sample,
  Text,
  Word,
} from '../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime, sampleTimes } from '../../platform/samples.ts';
import { templateCategories, templateStatuses } from './find-template.ts';

const maybe = Type.Optional;
const NamedExample = NamedObject('NamedTemplateExample', { paramName: Text(128, 1), example: Text(1024, 1) });

const Button = NamedObject('TemplateButton', {
  type: Word('QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'COPY_CODE', 'OTP', 'FLOW', 'CATALOG', 'MPM', 'SPM'),
  text: maybe(Text(25, 1)),
  url: maybe(Text(2000, 1)),
  phoneNumber: maybe(Type.String({ pattern: '^\\+?[0-9]{4,20}$' })),
  example: maybe(Type.Array(Text(2000, 1), { minItems: 1, maxItems: 1 })),
  otpType: maybe(Word('COPY_CODE', 'ONE_TAP', 'ZERO_TAP')),
  autofillText: maybe(Text(25, 1)),
  zeroTapTermsAccepted: maybe(Type.Boolean()),
  supportedApps: maybe(
    Type.Array(Closed({ packageName: Text(224, 1), signatureHash: Text(11, 11) }), {
      minItems: 1,
      maxItems: 5,
    }),
  ),
  flowId: maybe(Text(64, 1)),
  flowName: maybe(Text(128, 1)),
  flowAction: maybe(Word('navigate', 'data_exchange')),
  navigateScreen: maybe(Text(128, 1)),
});
export type Button = Static<typeof Button>;

export const TemplatePart = NamedObject('TemplatePart', {
  type: Word('HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'LIMITED_TIME_OFFER'),
  format: maybe(Word('TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION', 'PRODUCT')),
  text: maybe(Text(1024, 1)),
  example: maybe(
    Closed({
      headerText: maybe(Type.Array(Text(1024, 1), { minItems: 1, maxItems: 1 })),
      headerTextNamedParams: maybe(Type.Array(NamedExample, { minItems: 1, maxItems: 1 })),
      headerHandle: maybe(Type.Array(Text(8192, 1), { minItems: 1, maxItems: 1 })),
      bodyText: maybe(
        Type.Array(Type.Array(Text(1024, 1), { minItems: 1, maxItems: 100 }), { minItems: 1, maxItems: 1 }),
      ),
      bodyTextNamedParams: maybe(Type.Array(NamedExample, { minItems: 1, maxItems: 100 })),
    }),
  ),
  buttons: maybe(Type.Array(Button, { minItems: 1, maxItems: 10 })),
  addSecurityRecommendation: maybe(Type.Boolean()),
  codeExpirationMinutes: maybe(Type.Integer({ minimum: 1, maximum: 90 })),
  limitedTimeOffer: maybe(Closed({ text: Text(16, 1), hasExpiration: maybe(Type.Boolean()) })),
});
export type TemplatePart = Static<typeof TemplatePart>;

const parts = Type.Array(TemplatePart, { minItems: 1, maxItems: 5 });
const parameterFormat = named('TemplateParameterFormat', Word('POSITIONAL', 'NAMED'));
const category = named('TemplateCategory', Word(...templateCategories));
const messageSendTtlSeconds = maybe(Type.Integer({ minimum: -1, maximum: 2_592_000 }));

export const NewTemplate = NamedObject('CreateTemplateRequest', {
  wabaSid: maybe(Sid('WB')),
  name: Type.String({ pattern: '^[a-z0-9_]{1,512}$' }),
  language: Type.String({ pattern: '^[a-z]{2,3}(_[A-Za-z]{2,4})?$' }),
  category,
  parameterFormat: maybe(parameterFormat),
  components: parts,
  messageSendTtlSeconds,
});
export type NewTemplate = Static<typeof NewTemplate>;

export const TemplateChange = NamedObject('UpdateTemplateRequest', {
  category: maybe(category),
  components: maybe(parts),
  messageSendTtlSeconds,
});
export type TemplateChange = Static<typeof TemplateChange>;

const status = named('TemplateStatus', Word(...templateStatuses));

export const Template = NamedObject('Template', {
  object: Word('template'),
  sid: Sid('TM'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  wabaSid: Sid('WB'),
  providerTemplateId: Nullable(Type.String()),
  name: Type.String(),
  language: Type.String(),
  category,
  status,
  statusChangedAt: DateTime,
  quality: Word('GREEN', 'YELLOW', 'RED', 'UNKNOWN'),
  parameterFormat,
  components: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-free-form': true })),
  messageSendTtlSeconds: Nullable(Type.Integer()),
  rejectedReason: Nullable(Type.String()),
  /** What the provider has not been told yet. */
  pendingChange: Nullable(Word('CREATE', 'EDIT', 'DELETE')),
  /** Why it did not take the last change, or has not yet. */
  failure: Nullable(
    Closed({ code: Type.String(), message: Type.String(), providerCode: Nullable(Type.Integer()) }),
  ),
  approvedAt: Nullable(DateTime),
  deletedAt: Nullable(DateTime),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type Template = Static<typeof Template>;

export const TemplateQuery = Closed({
  wabaSid: maybe(Sid('WB')),
  name: maybe(Text(512, 1)),
  language: maybe(Text(16, 2)),
  status: maybe(status),
  category: maybe(category),
  ...pageQuery,
});
export type TemplateQuery = Static<typeof TemplateQuery>;

export const TemplateStatusChange = NamedObject('TemplateStatusChange', {
  object: Word('template_status_change'),
  templateSid: Sid('TM'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  status,
  previousStatus: Nullable(status),
  category,
  reason: Nullable(Type.String()),
  occurredAt: DateTime,
  createdAt: DateTime,
});
export type TemplateStatusChange = Static<typeof TemplateStatusChange>;

export const SyncTemplates = NamedObject('SyncTemplatesRequest', { wabaSid: maybe(Sid('WB')) });
export const PageQuery = Closed(pageQuery);

sample(TemplateStatusChange, {
  object: 'template_status_change',
  templateSid: sampleSid('TM'),
  ...sampleOwner,
  status: 'APPROVED',
  previousStatus: 'PENDING',
  category: 'UTILITY',
  reason: null,
  occurredAt: sampleTime,
  createdAt: sampleTime,
});

export const templateSample: Template = {
  object: 'template',
  sid: sampleSid('TM'),
  ...sampleOwner,
  wabaSid: sampleSid('WB'),
  providerTemplateId: '300000000000001',
  name: 'order_update',
  language: 'en',
  category: 'UTILITY',
  status: 'APPROVED',
  statusChangedAt: sampleTime,
  quality: 'UNKNOWN',
  parameterFormat: 'POSITIONAL',
  components: [{ type: 'BODY', text: 'Your order {{1}} is on its way.', example: { bodyText: [['1001']] } }],
  messageSendTtlSeconds: null,
  rejectedReason: null,
  pendingChange: null,
  failure: null,
  approvedAt: sampleTime,
  deletedAt: null,
  ...sampleTimes,
};
