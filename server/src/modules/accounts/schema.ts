import { type Static, Type } from 'typebox';
import {
  DateTime,
  NamedObject,
  NotBlank,
  Nullable,
  Sid,
  Text,
  Word,
} from '../../platform/http/input/schema.ts';
import { sampleSid, sampleTime, sampleTimes } from '../../platform/samples.ts';

export const accountStatuses = ['active', 'suspended'] as const;

export const Account = NamedObject('Account', {
  object: Type.Literal('account'),
  sid: Sid('AC'),
  /** The account it stands below; null for one that stands below none. */
  parentAccountSid: Nullable(Sid('AC')),
  name: Type.String(),
  status: Word(...accountStatuses),
  suspendedAt: Nullable(DateTime),
  /** What the operator says of it. */
  suspensionReason: Nullable(Type.String()),
  region: Type.String(),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type Account = Static<typeof Account>;

export const accountSample: Account = {
  object: 'account',
  sid: sampleSid('AC'),
  parentAccountSid: null,
  name: 'Shop',
  status: 'active',
  suspendedAt: null,
  suspensionReason: null,
  region: 'eu',
  ...sampleTimes,
};

export const suspendedSample = {
  status: 'suspended' as const,
  suspendedAt: sampleTime,
  suspensionReason: 'Complaints about unwanted messages',
};

const reason = NotBlank(500);
const stepUpToken = Text(256);
export const SuspendAccount = NamedObject('SuspendAccountRequest', { reason, stepUpToken });
export const ResumeAccount = NamedObject('ResumeAccountRequest', { reason, stepUpToken });
