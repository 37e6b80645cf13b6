import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  ListOf,
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
import { operationStates } from '../operations/index.ts';
import { awaited, migrationSteps, stepOutcomes } from './steps.ts';

const stepUpToken = Text(256);
const why = { caseRef: Text(128), reason: Text(2000) };
const pin = Type.String({ pattern: '^[0-9]{6}$' });
const code = Type.String({ pattern: '^[0-9]{6}$' });

export const NewMigrationBody = NamedObject('CreateMigrationRequest', {
  ...why,
  countryCode: Type.String({ pattern: '^[0-9]{1,3}$' }),
  destinationWabaSid: Sid('WB'),
  phoneNumber: Type.String({ pattern: '^[0-9]{4,15}$' }),
  registrationPin: pin,
  senderSid: Sid('WA'),
  sourceWabaSid: Type.Optional(Sid('WB')),
  stepUpToken,
  validation: Closed({ contactSid: Sid('CT'), templateSid: Sid('TM') }),
});
export type NewMigrationBody = Static<typeof NewMigrationBody>;

export const PinBody = NamedObject('SubmitMigrationPinRequest', {
  ...why,
  registrationPin: pin,
  stepUpToken,
});
export const CodeBody = NamedObject('SubmitMigrationCodeRequest', { ...why, code, stepUpToken });
export const CodeRequestBody = NamedObject('RequestMigrationCodeRequest', {
  ...why,
  method: Word('SMS', 'VOICE'),
  stepUpToken,
});
export type Why = Static<typeof CodeRequestBody>;

export const PageQuery = Closed(pageQuery);

export const MigrationError = NamedObject('NumberMigrationError', {
  code: Type.String(),
  message: Type.String(),
});
export type MigrationError = Static<typeof MigrationError>;

/** What will be missing at the destination. Lists name a hundred at most; totals count all. */
export const MigrationImpact = NamedObject('NumberMigrationImpact', {
  /** Messages that wait for their turn when the migration is asked for; 10,000 means as many or more. */
  queuedMessages: Type.Integer(),
  missingTemplates: Closed({
    total: Type.Integer(),
    templates: Type.Array(Closed({ name: Type.String(), language: Type.String() })),
  }),
  missingFlows: Closed({
    total: Type.Integer(),
    flows: Type.Array(Closed({ sid: Sid('FL'), name: Type.String() })),
  }),
  /** Published workflows that send one of them. */
  workflows: Type.Array(Closed({ sid: Sid('WF'), name: Type.String() })),
});
export type MigrationImpact = Static<typeof MigrationImpact>;

const migrationFields = {
  object: Word('number_migration'),
  /** The SID of its operation. */
  sid: Sid('OP'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  senderSid: Sid('WA'),
  phoneNumber: Type.String(),
  sourceWabaSid: Sid('WB'),
  destinationWabaSid: Sid('WB'),
  /** What the provider calls the number at the destination; null until it was added there. */
  providerPhoneNumberId: Nullable(Type.String()),
  state: named('NumberMigrationState', Word(...operationStates)),
  step: named('NumberMigrationStep', Word(...migrationSteps)),
  awaits: Nullable(named('NumberMigrationAwaited', Word(...awaited))),
  /** What to do now, and until when. */
  nextAction: Nullable(
    NamedObject('NumberMigrationAction', {
      method: Word('POST'),
      url: Type.String(),
      expiresAt: DateTime,
    }),
  ),
  cancelable: Type.Boolean(),
  retryEligible: Type.Boolean(),
  pinTriesLeft: Type.Integer(),
  validation: NamedObject('NumberMigrationValidation', {
    contactSid: Sid('CT'),
    templateSid: Sid('TM'),
    messageSid: Nullable(Sid('SM')),
  }),
  impact: MigrationImpact,
  caseRef: Type.String(),
  reason: Type.String(),
  error: Nullable(MigrationError),
  createdBy: Type.String(),
  createdAt: DateTime,
  updatedAt: DateTime,
};

export const NumberMigration = NamedObject('NumberMigration', migrationFields);
export type NumberMigration = Static<typeof NumberMigration>;

export const MigrationEntry = NamedObject('NumberMigrationEntry', {
  object: Word('number_migration_entry'),
  step: named('NumberMigrationStep', Word(...migrationSteps)),
  outcome: Word(...stepOutcomes),
  detail: Nullable(Type.String()),
  providerCode: Nullable(Type.Integer()),
  createdBy: Type.String(),
  createdAt: DateTime,
});
export type MigrationEntry = Static<typeof MigrationEntry>;

export const MigrationWithHistory = NamedObject('NumberMigrationWithHistory', {
  ...migrationFields,
  history: ListOf(MigrationEntry),
});
export type MigrationWithHistory = Static<typeof MigrationWithHistory>;

export const migrationSample: NumberMigration = {
  object: 'number_migration',
  sid: sampleSid('OP'),
  ...sampleOwner,
  senderSid: sampleSid('WA'),
  phoneNumber: '+33187654321',
  sourceWabaSid: sampleSid('WB'),
  destinationWabaSid: sampleSid('WB', '1'),
  providerPhoneNumberId: '100000000000002',
  state: 'WAITING',
  step: 'VERIFY',
  awaits: 'VERIFICATION_CODE',
  nextAction: {
    method: 'POST',
    url: `/v1/accounts/${sampleOwner.accountSid}/migrations/${sampleSid('OP')}/verification-code`,
    expiresAt: sampleTime,
  },
  cancelable: true,
  retryEligible: false,
  pinTriesLeft: 5,
  validation: { contactSid: sampleSid('CT'), templateSid: sampleSid('TM'), messageSid: null },
  impact: {
    queuedMessages: 12,
    missingTemplates: { total: 1, templates: [{ name: 'spring_offer', language: 'fr' }] },
    missingFlows: { total: 0, flows: [] },
    workflows: [],
  },
  caseRef: 'CASE-4711',
  reason: 'The shop moves to the account of its new owner.',
  error: null,
  createdBy: `user:${sampleSid('US')}`,
  ...sampleTimes,
};
const entrySample: MigrationEntry = {
  object: 'number_migration_entry',
  step: 'REQUEST_CODE',
  outcome: 'DONE',
  detail: null,
  providerCode: null,
  createdBy: 'system:jobs',
  createdAt: sampleTime,
};
sample(NumberMigration, migrationSample);
sample(MigrationEntry, entrySample);
sample(MigrationWithHistory, {
  ...migrationSample,
  history: { object: 'list', data: [entrySample], hasMore: false, nextCursor: null },
});
