import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  named,
  pageQuery,
  Sid,
  sample,
  Uuid,
  Word,
} from '../../../platform/http/input/schema.ts';
import { sampleSid, sampleTime, sampleUuid } from '../../../platform/samples.ts';
import { User, userSample } from '../users/schema.ts';

export const SessionEnvironment = named('Environment', Word('live', 'sandbox'));
const session = {
  object: Word('session'),
  id: Uuid,
  userSid: Sid('US'),
  organizationId: Uuid,
  environment: SessionEnvironment,
  livemode: Type.Boolean(),
  methods: Type.Array(Word('password', 'oidc', 'saml', 'webauthn', 'totp', 'recovery_code')),
  // The organization demands a second factor: until one is added and proved, nothing else is possible.
  enrollmentOnly: Type.Boolean(),
  address: Type.String(),
  userAgent: Type.String(),
  createdAt: DateTime,
  lastSeenAt: DateTime,
  expiresAt: DateTime,
};

export const Session = NamedObject('Session', { ...session, current: Type.Boolean() });
export type Session = Static<typeof Session>;

/** The session that asks, with what its page must send along in X-CSRF-Token. */
export const OwnSession = NamedObject('OwnSession', { ...session, csrfToken: Type.String(), user: User });
export type OwnSession = Static<typeof OwnSession>;

export const SessionChange = NamedObject('UpdateSessionRequest', { environment: SessionEnvironment });
export const SessionQuery = Closed(pageQuery);

const opened = {
  object: 'session',
  id: sampleUuid,
  userSid: sampleSid('US'),
  organizationId: sampleUuid,
  environment: 'live',
  livemode: true,
  methods: ['password', 'totp'],
  enrollmentOnly: false,
  address: '203.0.113.7',
  userAgent: 'Mozilla/5.0',
  createdAt: sampleTime,
  lastSeenAt: sampleTime,
  expiresAt: '2026-08-21T22:00:00.000Z',
} satisfies Omit<Session, 'current'>;

sample(Session, { ...opened, current: true });

export const ownSessionSample = sample(OwnSession, {
  ...opened,
  csrfToken: 'repeat-this-in-X-CSRF-Token',
  user: userSample,
});
