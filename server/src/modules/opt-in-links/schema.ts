import { type Static, Type } from 'typebox';
import {
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  named,
  Sid,
  sample,
  Text,
  Word,
  Words,
} from '../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime, sampleUuid } from '../../platform/samples.ts';

const purpose = named('OptInPurpose', Word('MARKETING', 'TRANSACTIONAL', 'SUPPORT'));

export const NewOptInLink = NamedObject('CreateOptInLinkRequest', {
  consentText: Words(1000),
  label: Words(120),
  purpose: Type.Optional(purpose),
  defaultCountry: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2}$' })),
  expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650 })),
});
export type NewOptInLink = Static<typeof NewOptInLink>;

const link = {
  object: Word('opt_in_link'),
  sid: Sid('OL'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  /** For the account alone: visitors never see it. */
  label: Type.String(),
  purpose,
  consentText: Type.String(),
  /** Consents cite it followed by a colon and the language of the form. */
  wordingVersion: Type.String(),
  /** Whose numbers may be written without their country code. */
  defaultCountry: Nullable(Type.String()),
  state: named('OptInLinkState', Word('ACTIVE', 'EXPIRED', 'REVOKED')),
  expiresAt: Nullable(DateTime),
  revokedAt: Nullable(DateTime),
  submissions: Type.Integer(),
  lastSubmittedAt: Nullable(DateTime),
  createdAt: DateTime,
};

export const OptInLink = NamedObject('OptInLink', link);
export type OptInLink = Static<typeof OptInLink>;

/** As it is answered once, to its maker. */
export const CreatedOptInLink = NamedObject('CreatedOptInLink', {
  ...link,
  token: Type.String(),
  url: Type.String(),
});
export type CreatedOptInLink = Static<typeof CreatedOptInLink>;

export const OptInToken = Closed({ token: Type.String({ maxLength: 256 }) });

const locale = Word('en', 'fr');

export const OptInForm = NamedObject('OptInForm', {
  object: Word('opt_in_form'),
  organizationName: Type.String(),
  purpose,
  consentText: Type.String(),
  wordingVersion: Type.String(),
  locale,
  defaultCountry: Nullable(Type.String()),
});
export type OptInForm = Static<typeof OptInForm>;

export const OptInSubmission = NamedObject('SubmitOptInFormRequest', {
  agreed: Type.Boolean(),
  phone: Text(32),
  name: Type.Optional(Text(200)),
});
export type OptInSubmission = Static<typeof OptInSubmission>;

/** What the form posts: every field is a text. */
export const OptInFormFields = NamedObject('OptInFormFields', {
  phone: Type.String(),
  name: Type.Optional(Type.String()),
  /** `yes` when the box is ticked. */
  agreed: Type.Optional(Type.String()),
  ticket: Type.String(),
  /** Stays empty: people do not see it. */
  website: Type.Optional(Type.String()),
  /** A solved challenge, where the form asked for one. */
  solution: Type.Optional(Type.String()),
});

export const OptInReceipt = NamedObject('OptInReceipt', {
  object: Word('opt_in_receipt'),
  /** The number, masked. */
  phone: Type.String(),
  organizationName: Type.String(),
  purpose,
  wordingVersion: Type.String(),
  submittedAt: DateTime,
  /** A JWS to be verified with the keys of `GET /v1/receipt-keys`. */
  receipt: Type.String(),
  /** What to send from the phone itself; null where the account has no connected sender. */
  confirmation: Nullable(Closed({ text: Type.String(), url: Type.String() })),
});
export type OptInReceipt = Static<typeof OptInReceipt>;

const Jwk = NamedObject('ReceiptKey', {
  kty: Word('EC'),
  crv: Word('P-256'),
  x: Type.String(),
  y: Type.String(),
  kid: Type.String(),
  alg: Word('ES256'),
  use: Word('sig'),
});
export type Jwk = Static<typeof Jwk>;

export const ReceiptKeys = NamedObject('ReceiptKeySet', { keys: Type.Array(Jwk) });

const consentText = 'Yes, Blue Heron may send me offers on WhatsApp. I can stop them at any time.';
const wordingVersion = `${sampleSid('OL')}:5f6c1d1ae97a0b3c:form-1`;

export const optInLinkSample = sample(OptInLink, {
  object: 'opt_in_link',
  sid: sampleSid('OL'),
  ...sampleOwner,
  label: 'Newsletter, autumn',
  purpose: 'MARKETING',
  consentText,
  wordingVersion,
  defaultCountry: 'FR',
  state: 'ACTIVE',
  expiresAt: null,
  revokedAt: null,
  submissions: 42,
  lastSubmittedAt: sampleTime,
  createdAt: sampleTime,
});

const sampleToken = 'r1vVb3mQ2f8x0a9TqkGmYw7dJ5uP4sLhNcEzXoBiKtA';

sample(CreatedOptInLink, {
  ...optInLinkSample,
  submissions: 0,
  lastSubmittedAt: null,
  token: sampleToken,
  url: `https://api.example.com/v1/opt-in/${sampleToken}`,
});

sample(OptInForm, {
  object: 'opt_in_form',
  organizationName: 'Blue Heron',
  purpose: 'MARKETING',
  consentText,
  wordingVersion: `${wordingVersion}:en`,
  locale: 'en',
  defaultCountry: 'FR',
});

sample(OptInReceipt, {
  object: 'opt_in_receipt',
  phone: '+33•••••••78',
  organizationName: 'Blue Heron',
  purpose: 'MARKETING',
  wordingVersion: `${wordingVersion}:en`,
  submittedAt: sampleTime,
  receipt: `eyJhbGciOiJFUzI1NiJ9.${Buffer.from(JSON.stringify({ jti: sampleUuid })).toString('base64url')}.c2lnbmF0dXJl`,
  confirmation: { text: 'START 7K3QX9AB', url: 'https://wa.me/15550100001?text=START%207K3QX9AB' },
});

sample(ReceiptKeys, {
  keys: [
    {
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
      kid: 'cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s',
      alg: 'ES256',
      use: 'sig',
    },
  ],
});
