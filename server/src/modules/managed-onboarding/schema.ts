import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  MinorUnits,
  Money,
  NamedObject,
  NotBlank,
  Nullable,
  named,
  Sid,
  sample,
  Text,
  Word,
} from '../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime, sampleTimes } from '../../platform/samples.ts';
import { lineKinds } from './quotes/fingerprint.ts';
import { applicationStates } from './states.ts';
import { taskNames } from './task-names.ts';

export const numberSource = named('ManagedNumberSource', Word('PORT', 'PURCHASE'));
const taskName = named('ManagedTaskName', Word(...taskNames));
const fingerprint = Type.String({ pattern: '^[0-9a-f]{64}$' });
const phoneNumber = Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$' });

export const Acceptance = {
  acceptQuote: Type.Boolean(),
  acceptedQuoteFingerprint: fingerprint,
  acceptedTermsVersion: Text(128),
};
export const AcceptQuote = NamedObject('AcceptManagedOnboardingQuoteRequest', Acceptance);
export type AcceptQuote = Static<typeof AcceptQuote>;

export const NewApplication = NamedObject('CreateManagedApplicationRequest', {
  ...Acceptance,
  country: Type.String({ pattern: '^[A-Z]{2}$' }),
  displayName: NotBlank(200),
  instruction: NotBlank(2000),
  legalName: NotBlank(200),
  numberSource,
  registeredAddress: Type.Optional(NotBlank(500)),
  registrationNumber: Type.Optional(NotBlank(120)),
  representativeEmail: Type.Optional(NotBlank(320)),
  representativeName: Type.Optional(NotBlank(200)),
  requestedNumber: Type.Optional(phoneNumber),
  taxId: Type.Optional(NotBlank(120)),
  website: Type.Optional(NotBlank(500)),
});
export type NewApplication = Static<typeof NewApplication>;

export const Information = NamedObject('UpdateManagedApplicationRequest', { information: NotBlank(4000) });
export const HandoverPhone = NamedObject('SetManagedHandoverPhoneRequest', {
  handoverPhoneNumber: phoneNumber,
});

export const OnboardingQuery = Closed({
  applicationSid: Type.Optional(Sid('MA')),
  wabaSid: Type.Optional(Sid('WB')),
});
export const QuoteQuery = Closed({ numberSource, applicationSid: Type.Optional(Sid('MA')) });

const QuoteLine = NamedObject('ManagedOnboardingQuoteLine', {
  kind: Word(...lineKinds),
  recurrence: Word('ONCE', 'MONTHLY'),
  amountMinor: Type.String(),
  scale: Type.Integer(),
});

export const Quote = NamedObject('ManagedOnboardingQuote', {
  object: Word('managed_onboarding_quote'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  /** Null for what is offered before there is an application. */
  applicationSid: Nullable(Sid('MA')),
  numberSource,
  lines: Type.Array(QuoteLine),
  currency: Type.String(),
  /** All lines together: set aside when the application is approved. */
  dueOnApproval: Money,
  terms: NamedObject('ManagedOnboardingTerms', {
    version: Type.String(),
    /** SHA-256 of the text, in hex. */
    hash: Type.String(),
    text: Type.String(),
  }),
  fingerprint,
  accepted: Type.Boolean(),
});
export type Quote = Static<typeof Quote>;

const Failure = NamedObject('ManagedApplicationError', { code: Type.String(), message: Type.String() });

const application = {
  object: Word('managed_application'),
  sid: Sid('MA'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  state: named('ManagedApplicationState', Word(...applicationStates)),
  displayName: Type.String(),
  country: Type.String(),
  numberSource,
  requestedNumber: Nullable(Type.String()),
  website: Nullable(Type.String()),
  documentSids: Type.Array(Sid('ME')),
  /** What the operator asks for, while it waits for it. */
  informationRequest: Nullable(Type.String()),
  /** Why it was rejected. */
  reason: Nullable(Type.String()),
  error: Nullable(Failure),
  acceptedQuote: NamedObject('ManagedAcceptedQuote', {
    fingerprint,
    termsVersion: Type.String(),
    acceptedBy: Type.String(),
    acceptedAt: DateTime,
  }),
  /** The fingerprint of what is offered instead, while that waits to be accepted. */
  offeredQuoteFingerprint: Nullable(fingerprint),
  fee: NamedObject('ManagedApplicationFee', {
    state: Word('NONE', 'HELD', 'CAPTURED', 'RELEASED'),
    amount: Money,
  }),
  /** What the operator's people have to do by hand now. */
  openTasks: Type.Array(taskName),
  operationSid: Nullable(Sid('OP')),
  phoneNumber: Nullable(Type.String()),
  wabaSid: Nullable(Sid('WB')),
  senderSid: Nullable(Sid('WA')),
  createdAt: DateTime,
  updatedAt: DateTime,
};
export const Application = NamedObject('ManagedApplication', application);
export type Application = Static<typeof Application>;

export const Details = NamedObject('ManagedApplicationDetails', {
  legalName: Type.String(),
  instruction: Type.String(),
  representativeName: Nullable(Type.String()),
  representativeEmail: Nullable(Type.String()),
  registeredAddress: Nullable(Type.String()),
  registrationNumber: Nullable(Type.String()),
  taxId: Nullable(Type.String()),
  handoverPhoneNumber: Nullable(Type.String()),
  /** What was sent since, the oldest first. */
  information: Type.Array(
    NamedObject('ManagedApplicationInformation', { text: Type.String(), givenAt: DateTime }),
  ),
});
export type Details = Static<typeof Details>;

const DetailsState = named('ManagedDetailsState', Word('OPEN', 'WITHHELD', 'UNREADABLE'));

export const OpenedApplication = NamedObject('ManagedApplicationWithDetails', {
  ...application,
  /** WITHHELD from whoever does not belong to the account itself; UNREADABLE when they cannot be opened. */
  detailsState: DetailsState,
  details: Nullable(Details),
});
export type OpenedApplication = Static<typeof OpenedApplication>;

export const Onboarding = NamedObject('ManagedOnboarding', {
  object: Word('managed_onboarding'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  permitted: Type.Boolean(),
  /** Why not; null when it is permitted. */
  reason: Nullable(Word('CLOSED', 'CURRENCY_NOT_OFFERED')),
  /** The application that has not ended. */
  open: Nullable(Sid('MA')),
  applications: Type.Array(OpenedApplication),
});
export type Onboarding = Static<typeof Onboarding>;

export const RevealedDetails = NamedObject('RevealedManagedApplicationDetails', {
  object: Word('managed_application_details'),
  applicationSid: Sid('MA'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  detailsState: DetailsState,
  details: Nullable(Details),
});
export type RevealedDetails = Static<typeof RevealedDetails>;

const stepUpToken = Text(256);
export const RequestInformation = NamedObject('RequestManagedInformationRequest', {
  request: NotBlank(2000),
});
export const Requote = NamedObject('RequoteManagedApplicationRequest', {
  /** In minor units of the wallet; without them the price list for the country decides. */
  lines: Type.Optional(
    NamedObject('RequotedLines', {
      setup: MinorUnits('^(0|[1-9][0-9]*)$'),
      number: MinorUnits('^(0|[1-9][0-9]*)$'),
      rent: MinorUnits('^(0|[1-9][0-9]*)$'),
    }),
  ),
  reason: NotBlank(500),
});
export type Requote = Static<typeof Requote>;
export const Approve = NamedObject('ApproveManagedApplicationRequest', { stepUpToken });
export const Reject = NamedObject('RejectManagedApplicationRequest', { reason: NotBlank(500) });
export const Reveal = NamedObject('RevealManagedDetailsRequest', { reason: NotBlank(500), stepUpToken });
export const EndTask = NamedObject('EndManagedTaskRequest', {
  task: taskName,
  outcome: Word('DONE', 'FAILED'),
  /** Of a number that was ordered or ported. */
  number: Type.Optional(phoneNumber),
  /** Of the business account that was opened. */
  providerWabaId: Type.Optional(Type.String({ pattern: '^[0-9]{5,20}$' })),
  code: Type.Optional(Type.String({ pattern: '^[0-9]{6}$' })),
  /** Why it failed. */
  reason: Type.Optional(NotBlank(500)),
});
export type EndTask = Static<typeof EndTask>;

const sampleHash = 'd0b425e00e15a0d36b9b361f02bab63563aed6cb4665083905386c55d5b679fa';

export const applicationSample: Application = {
  object: 'managed_application',
  sid: sampleSid('MA'),
  ...sampleOwner,
  state: 'SUBMITTED',
  displayName: 'Depot',
  country: 'FR',
  numberSource: 'PURCHASE',
  requestedNumber: null,
  website: 'https://depot.example',
  documentSids: [],
  informationRequest: null,
  reason: null,
  error: null,
  acceptedQuote: {
    fingerprint: sampleHash,
    termsVersion: 'sandbox-2026-11',
    acceptedBy: `user:${sampleSid('US')}`,
    acceptedAt: sampleTime,
  },
  offeredQuoteFingerprint: null,
  fee: { state: 'NONE', amount: { amountMinor: '0', currency: 'USD', scale: 6 } },
  openTasks: [],
  operationSid: null,
  phoneNumber: null,
  wabaSid: null,
  senderSid: null,
  ...sampleTimes,
};
sample(Application, applicationSample);

const detailsSample: Details = {
  legalName: 'Depot SA',
  instruction: 'Please set us up at the provider with a number in France.',
  representativeName: 'Ines Moreau',
  representativeEmail: 'ines@depot.example',
  registeredAddress: '1 quai Demo, 69000 Lyon',
  registrationNumber: '552 100 554',
  taxId: 'FR40303265045',
  handoverPhoneNumber: '+33612003400',
  information: [],
};
const opened = { detailsState: 'OPEN' as const, details: detailsSample };

sample(RevealedDetails, {
  object: 'managed_application_details',
  applicationSid: sampleSid('MA'),
  ...sampleOwner,
  ...opened,
});

sample(Onboarding, {
  object: 'managed_onboarding',
  ...sampleOwner,
  permitted: true,
  reason: null,
  open: sampleSid('MA'),
  applications: [{ ...applicationSample, ...opened }],
});

sample(Quote, {
  object: 'managed_onboarding_quote',
  ...sampleOwner,
  applicationSid: null,
  numberSource: 'PURCHASE',
  lines: [
    { kind: 'SETUP', recurrence: 'ONCE', amountMinor: '25000000', scale: 6 },
    { kind: 'NUMBER', recurrence: 'ONCE', amountMinor: '5000000', scale: 6 },
    { kind: 'NUMBER_RENT', recurrence: 'MONTHLY', amountMinor: '3500000', scale: 6 },
  ],
  currency: 'USD',
  dueOnApproval: { amountMinor: '33500000', currency: 'USD', scale: 6 },
  terms: { version: 'sandbox-2026-11', hash: sampleHash, text: 'These are the terms of the sandbox.' },
  fingerprint: sampleHash,
  accepted: false,
});
