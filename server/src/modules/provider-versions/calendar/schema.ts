import { type Static, Type } from 'typebox';
import {
  DateTime,
  NamedObject,
  Nullable,
  named,
  Sid,
  sample,
  Uuid,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleTime, sampleUuid } from '../../../platform/samples.ts';
import { Day, Precision } from '../changes/schema.ts';

const ContractEvidence = NamedObject('ProviderContractEvidence', {
  id: Uuid,
  version: Type.String(),
  /** Who answered, as the answers themselves told. */
  against: Word('simulator', 'provider'),
  /** The revision of the service whose checks were made; null where nobody knew it. */
  suiteCommit: Nullable(Type.String()),
  /** SHA-256 of the checks. */
  suiteDigest: Type.String(),
  startedAt: DateTime,
  finishedAt: DateTime,
  passed: Type.Integer(),
  /** Not made, because they would have changed something in a live account. */
  leftOut: Type.Integer(),
  failed: Type.Array(
    NamedObject('ProviderContractFailure', {
      check: Type.String(),
      expected: Type.String(),
      got: Type.String(),
    }),
  ),
  /** SHA-256 of all of this. */
  digest: Type.String(),
});
const orNull = <S extends typeof ContractEvidence>(schema: S) => Type.Union([schema, Type.Null()]);

const end = {
  /** When it ends; null while the provider has not announced it. */
  deprecationDate: Nullable(Day),
  datePrecision: Nullable(Precision),
  /** Below zero once it is over. Counted from the first of the month where only that is known. */
  daysLeft: Nullable(Type.Integer()),
};

const EnvironmentVersions = NamedObject('ProviderVersionsOfEnvironment', {
  environment: Word('live', 'sandbox'),
  pinned: NamedObject('PinnedProviderVersion', {
    version: Type.String(),
    ...end,
    /** What answers in its place: a version that has ended is served by the oldest that has not. */
    servedVersion: Type.String(),
    evidence: orNull(ContractEvidence),
  }),
  /** The oldest version after it that is out and has not ended. */
  next: Type.Union([NamedObject('NextProviderVersion', { version: Type.String(), ...end }), Type.Null()]),
  /** The later version that was tried last, or else the next one. */
  canary: Type.Union([
    NamedObject('CanaryProviderVersion', {
      version: Type.String(),
      state: named('CanaryState', Word('PASSED', 'FAILED', 'UNTESTED')),
      evidence: orNull(ContractEvidence),
    }),
    Type.Null(),
  ]),
});
export type EnvironmentVersions = Static<typeof EnvironmentVersions>;

export const ProviderVersionCalendar = NamedObject('ProviderVersionCalendar', {
  object: Word('provider_version_calendar'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  environments: Type.Array(EnvironmentVersions),
  calendar: Type.Array(
    NamedObject('ProviderVersion', {
      version: Type.String(),
      releaseDate: Day,
      releaseDatePrecision: Precision,
      ...end,
      ended: Type.Boolean(),
    }),
  ),
  /** When somebody last held the calendar against the provider's own pages. */
  revisedAt: DateTime,
});
export type ProviderVersionCalendar = Static<typeof ProviderVersionCalendar>;

const pinned = {
  version: 'v24.0',
  deprecationDate: '2028-02-18',
  datePrecision: 'DAY',
  daysLeft: 546,
} as const;
const next = {
  version: 'v25.0',
  deprecationDate: '2028-07-29',
  datePrecision: 'DAY',
  daysLeft: 708,
} as const;
sample(ProviderVersionCalendar, {
  object: 'provider_version_calendar',
  ...sampleOwner,
  environments: [
    {
      environment: 'live',
      pinned: { ...pinned, servedVersion: 'v24.0', evidence: null },
      next,
      canary: { version: 'v25.0', state: 'UNTESTED', evidence: null },
    },
    {
      environment: 'sandbox',
      pinned: { ...pinned, servedVersion: 'v24.0', evidence: null },
      next,
      canary: {
        version: 'v25.0',
        state: 'FAILED',
        evidence: {
          id: sampleUuid,
          version: 'v25.0',
          against: 'simulator',
          suiteCommit: '3f1c2b9d0e8a7c6b5a4f3e2d1c0b9a8f7e6d5c4b',
          suiteDigest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
          startedAt: sampleTime,
          finishedAt: sampleTime,
          passed: 80,
          leftOut: 0,
          failed: [{ check: 'text is accepted', expected: 'v25.0 to serve the call', got: 'v24.0 did' }],
          digest: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
        },
      },
    },
  ],
  calendar: [
    {
      version: 'v24.0',
      releaseDate: '2025-10-08',
      releaseDatePrecision: 'DAY',
      deprecationDate: '2028-02-18',
      datePrecision: 'DAY',
      daysLeft: 546,
      ended: false,
    },
  ],
  revisedAt: '2026-09-30T00:00:00.000Z',
});
