import { type Static, Type } from 'typebox';
import { apiVersion } from '../../../platform/events.ts';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  named,
  PrincipalRef,
  pageQuery,
  Sid,
  sample,
  Text,
  Uuid,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime, sampleTimes, sampleUuid } from '../../../platform/samples.ts';
import { NewPassword } from '../passwords/password-rules.ts';

// What every mail server takes: no quoting, no comments, no line breaks, nothing that could end a header.
export const EmailAddress = Type.String({
  pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(\\.[A-Za-z0-9-]{1,63}){1,8}$",
  maxLength: 254,
});

/** A name as people write theirs: it also stands in mail headers, so no control characters. */
export const DisplayName = Type.String({
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$',
  minLength: 1,
  maxLength: 128,
});
export const Locale = named('NotificationLocale', Word('en', 'fr'));

export const NewInvitation = NamedObject('InviteUserRequest', {
  email: EmailAddress,
  displayName: Type.Optional(DisplayName),
  locale: Type.Optional(Locale),
});
export type NewInvitation = Static<typeof NewInvitation>;

export const Acceptance = NamedObject('AcceptInvitationRequest', {
  token: Type.String({ minLength: 1, maxLength: 128 }),
  password: NewPassword,
  displayName: DisplayName,
});
export type Acceptance = Static<typeof Acceptance>;

export const Deactivation = NamedObject('DeactivateUserRequest', { reason: Text(1000, 1) });

export const ProfileChange = NamedObject('UpdateProfileRequest', {
  displayName: Type.Optional(DisplayName),
  locale: Type.Optional(Locale),
});
export type ProfileChange = Static<typeof ProfileChange>;

const status = named('UserStatus', Word('INVITED', 'ACTIVE', 'DEACTIVATED'));
export type UserStatus = Static<typeof status>;

export const User = NamedObject('User', {
  object: Word('user'),
  sid: Sid('US'),
  organizationId: Uuid,
  email: Type.String(),
  displayName: Nullable(Type.String()),
  status,
  locale: Locale,
  // The invitation that waits to be accepted; sentAt is null until the mail has left.
  invitation: Nullable(
    Closed({
      sentAt: Nullable(DateTime),
      expiresAt: DateTime,
      invitedBy: Type.String(),
      createdAt: DateTime,
    }),
  ),
  createdAt: DateTime,
  updatedAt: DateTime,
});
export type User = Static<typeof User>;

export const UserQuery = Closed({ ...pageQuery, status: Type.Optional(status) });

const account = {
  accountSid: Sid('AC'),
  accountName: Type.String(),
  accountStatus: Word('active', 'suspended'),
  parentAccountSid: Nullable(Sid('AC')),
  region: Type.String(),
  scopes: Type.Array(Type.String()),
};

/** A key has one account; a person has `user` and `accounts` instead, and null where a key has its account. */
export const Me = NamedObject('Me', {
  object: Word('me'),
  principal: PrincipalRef,
  accountSid: Nullable(account.accountSid),
  accountName: Nullable(account.accountName),
  accountStatus: Nullable(account.accountStatus),
  parentAccountSid: account.parentAccountSid,
  organizationId: Uuid,
  organizationName: Type.String(),
  livemode: Type.Boolean(),
  region: account.region,
  scopes: account.scopes,
  apiVersion: Type.String(),
  user: Type.Optional(User),
  accounts: Type.Optional(Type.Array(NamedObject('ReachableAccount', account))),
});

export const Revocation = NamedObject('SessionRevocation', {
  object: Word('session_revocation'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  userSid: Sid('US'),
  revoked: Type.Integer({ minimum: 0 }),
  revokedAt: DateTime,
});

export const userSample = sample(User, {
  object: 'user',
  sid: sampleSid('US'),
  organizationId: sampleUuid,
  email: 'ada@example.com',
  displayName: 'Ada Byron',
  status: 'ACTIVE',
  locale: 'en',
  invitation: null,
  ...sampleTimes,
});

sample(Me, {
  object: 'me',
  principal: { type: 'api_key', ref: sampleUuid },
  ...sampleOwner,
  accountName: 'My account',
  accountStatus: 'active',
  parentAccountSid: null,
  organizationId: sampleUuid,
  organizationName: 'My organization',
  region: 'local',
  scopes: ['messages:read', 'messages:send'],
  apiVersion,
});

sample(Revocation, {
  object: 'session_revocation',
  ...sampleOwner,
  userSid: sampleSid('US'),
  revoked: 2,
  revokedAt: sampleTime,
});
