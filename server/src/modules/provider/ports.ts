// What the features ask of the messaging provider. One adapter answers, for the provider and its simulator alike: only
// the connection differs.
import type { Readable } from 'node:stream';
import type { ReadCallback } from './changes.ts';
import type { Content } from './content.ts';
import type { ProviderFailure } from './failure.ts';

/** Where and as whom to call. The token is unsealed for the call and kept nowhere. */
export type Connection = { baseUrl: string; apiVersion: string; accessToken: string };

/** PROVIDER_RESULT_UNKNOWN means that the request left and nobody knows what became of it: it is never simply repeated. */
export type Answered<T> = { ok: true; value: T } | { ok: false; failure: ProviderFailure };

export type OutboundMessage = {
  phoneNumberId: string;
  transport: 'cloud_api' | 'marketing_messages';
  recipient: { phone: string } | { bsuid: string };
  content: Content;
  /** The provider's name for each ME SID and FL SID the content mentions. */
  mediaIds: ReadonlyMap<string, string>;
  flowIds: ReadonlyMap<string, string>;
  /** The provider's id of the message this one answers. */
  replyTo: string | null;
  /** Comes back in every status: our message SID. */
  opaque: string;
};

export type Accepted = {
  providerMessageId: string;
  /** Digits of the recipient as the provider knows them; absent for a recipient addressed by BSUID. */
  waId: string | null;
  bsuid: string | null;
  messageStatus: string | null;
};

/** Takes a file as it comes: no more is read while a write is under way, and more than `maxBytes` is a failure. */
export type Sink = { maxBytes: number; write(chunk: Buffer): Promise<void> };
export type MediaFile = { filename: string; mimeType: string; sizeBytes: number; open(): Readable };

export type ProviderTemplate = {
  id: string;
  name: string;
  language: string;
  category: string;
  status: string;
  components: unknown[];
  parameterFormat: 'POSITIONAL' | 'NAMED';
  qualityScore: string | null;
  rejectedReason: string | null;
};
export type NewProviderTemplate = Pick<
  ProviderTemplate,
  'name' | 'language' | 'category' | 'components' | 'parameterFormat'
> & { messageSendTtlSeconds?: number };

export type ProviderPhoneNumber = {
  id: string;
  displayPhoneNumber: string;
  verifiedName: string;
  status: string;
  qualityRating: string;
  throughputLevel: string;
  messagingLimit: string | null;
  nameStatus: string | null;
  isOnBizApp: boolean;
  codeVerificationStatus: string | null;
};

export type ProviderFlow = {
  id: string;
  name: string;
  status: string;
  /** Where the flow asks for data while it is filled in; null when it never does. */
  endpointUri: string | null;
};

export type NewPhoneNumber = {
  /** Digits; the number without them. */
  countryCode: string;
  number: string;
  /** The display name wanted for it; one that moves keeps the name it has. */
  verifiedName?: string;
  /** Whether it moves here from another business account. */
  migrate: boolean;
};

/** MISMATCH: there is a key, and its signature does not fit. */
export type FlowKey = 'VALID' | 'MISMATCH' | 'NONE';

/** A bill of the provider, or what it takes back of one. */
export type BusinessInvoice = {
  id: string;
  /** The month it is about, such as `2026-10`. */
  month: string;
  /** Null for what only announces a bill. */
  kind: 'bill' | 'credit' | null;
  currency: string;
  /** Without tax, in parts of the currency of which `scale` digits stand behind the point. */
  netMinor: bigint;
  scale: number;
};

/** A credit line of ours, shared with a business: all its business accounts may be paid by the credential it received. */
export type CreditAllocation = {
  id: string;
  receivingBusinessId: string | null;
  receivingCredentialId: string | null;
  /** In the provider's words; DELETED once it was revoked. */
  requestStatus: string | null;
};

export type BusinessProfile = {
  about?: string;
  address?: string;
  description?: string;
  email?: string;
  websites?: string[];
  vertical?: string;
  profilePictureHandle?: string;
};

/** How many messages the provider counted in one place, and what it says they cost; its figures are approximate. */
export type PricingCount = {
  /** In UTC. */
  day: string;
  /** Digits, no plus sign. */
  phoneNumber: string | null;
  country: string | null;
  /** Words as in statuses: lower case with underscores; new ones may appear. */
  category: string;
  type: string;
  volume: number;
  /** In the currency of the business account; null where it does not say. */
  cost: number | null;
};

/** sent, delivered, read, failed or deleted; new ones may appear. */
export type ProviderHistoryEvent = { status: string; occurredAt: Date | null };

export type AppCredentials = { appId: string; appSecret: string };

/** This installation's app at the provider: it exchanges codes and looks at tokens in its own name. */
export type ProviderApp = AppCredentials & Pick<Connection, 'baseUrl' | 'apiVersion'>;

/** What a token is worth. */
export type TokenFacts = {
  valid: boolean;
  /** The app it was given to. */
  appId: string | null;
  /** The business accounts it can both manage and send from, as far as it names them. */
  wabaIds: string[];
};

/** An app that the provider tells of a business account's events; elsewhere than to the app itself where it has another address. */
export type SubscribedApp = { appId: string; overrideUrl: string | null };

export type Page<T> = { items: T[]; after: string | null };
type Done = Promise<Answered<null>>;

export interface Provider {
  /** Ends the connections it holds. */
  close?(): Promise<void>;
  /** `mayBegin` is asked just before the first byte leaves: when it says no, nothing was sent, and the failure is retryable. */
  send(
    connection: Connection,
    message: OutboundMessage,
    mayBegin?: () => boolean,
  ): Promise<Answered<Accepted>>;
  markRead(connection: Connection, phoneNumberId: string, providerMessageId: string): Done;

  uploadMedia(
    connection: Connection,
    phoneNumberId: string,
    file: MediaFile,
  ): Promise<Answered<{ mediaId: string }>>;
  describeMedia(
    connection: Connection,
    mediaId: string,
  ): Promise<Answered<{ url: string; mimeType: string; sha256: string; sizeBytes: number }>>;
  /** The bytes of received media. After a failure the sink may have taken some of them. */
  downloadMedia(connection: Connection, url: string, sink: Sink): Done;
  deleteMedia(connection: Connection, mediaId: string): Done;
  /** The resumable upload, whole: open a session, send the bytes, go on from the offset reached after a break. */
  uploadTemplateHeader(
    connection: Connection,
    appId: string,
    file: MediaFile,
  ): Promise<Answered<{ handle: string }>>;

  listTemplates(
    connection: Connection,
    wabaId: string,
    after: string | null,
  ): Promise<Answered<Page<ProviderTemplate>>>;
  createTemplate(
    connection: Connection,
    wabaId: string,
    template: NewProviderTemplate,
  ): Promise<Answered<{ id: string; status: string; category: string }>>;
  editTemplate(
    connection: Connection,
    templateId: string,
    change: { category?: string; components?: unknown[]; messageSendTtlSeconds?: number },
  ): Done;
  /** Without an id every language of the name goes. */
  deleteTemplate(connection: Connection, wabaId: string, name: string, templateId?: string): Done;

  getFlow(connection: Connection, flowId: string): Promise<Answered<ProviderFlow>>;

  listPhoneNumbers(
    connection: Connection,
    wabaId: string,
    after: string | null,
  ): Promise<Answered<Page<ProviderPhoneNumber>>>;
  getPhoneNumber(connection: Connection, phoneNumberId: string): Promise<Answered<ProviderPhoneNumber>>;
  /**
   * Adds a number to a business account: its id there. It sends once it was verified and registered. When the answer is lost
   * the number may be there: the list of the account's numbers tells.
   */
  addPhoneNumber(
    connection: Connection,
    wabaId: string,
    number: NewPhoneNumber,
  ): Promise<Answered<{ phoneNumberId: string }>>;
  /** Has a code sent to the number, in words of the language. */
  requestVerificationCode(
    connection: Connection,
    phoneNumberId: string,
    how: { method: 'SMS' | 'VOICE'; language: string },
  ): Done;
  verifyPhoneNumber(connection: Connection, phoneNumberId: string, code: string): Done;
  registerPhoneNumber(connection: Connection, phoneNumberId: string, pin: string): Done;
  deregisterPhoneNumber(connection: Connection, phoneNumberId: string): Done;
  setTwoStepPin(connection: Connection, phoneNumberId: string, pin: string): Done;
  getBusinessProfile(connection: Connection, phoneNumberId: string): Promise<Answered<BusinessProfile>>;
  updateBusinessProfile(connection: Connection, phoneNumberId: string, profile: BusinessProfile): Done;

  /** What the business account may use: how far it came with the marketing messages transport. */
  getWaba(connection: Connection, wabaId: string): Promise<Answered<{ marketingMessages: string | null }>>;
  /** The catalogs connected to a business account, whose products its numbers can show. */
  listCatalogs(connection: Connection, wabaId: string): Promise<Answered<{ catalogIds: string[] }>>;
  /** Whether a number has the public key that flows with an endpoint need. */
  getFlowKey(connection: Connection, phoneNumberId: string): Promise<Answered<{ flowKey: FlowKey }>>;

  /** The credit lines of a business, as which the call is made. */
  listCreditLines(connection: Connection, businessId: string): Promise<Answered<{ creditLineIds: string[] }>>;
  /** With whom a line is shared now. */
  listCreditAllocations(
    connection: Connection,
    creditLineId: string,
    which: { receivingBusinessId: string; after: string | null },
  ): Promise<Answered<Page<CreditAllocation>>>;
  /** Shares the line with the business of the account, unless it is, and lets it pay for the account. */
  shareCreditLine(
    connection: Connection,
    creditLineId: string,
    to: { wabaId: string; currency: string },
  ): Promise<Answered<{ allocationId: string }>>;
  getCreditAllocation(connection: Connection, allocationId: string): Promise<Answered<CreditAllocation>>;
  /** Takes the line from the business, and so from every account it pays for. */
  revokeCreditAllocation(connection: Connection, allocationId: string): Done;
  /** The credential that pays for a business account, as the partner sees it; null when it is none of the partner's. */
  getFunding(connection: Connection, wabaId: string): Promise<Answered<{ primaryFundingId: string | null }>>;

  /**
   * The token that a code of a signup stands for. A code lives 30 seconds and is used once: when the answer is lost, so is
   * the token.
   */
  exchangeCode(
    app: ProviderApp,
    code: { code: string; redirectUri: string },
  ): Promise<Answered<{ accessToken: string }>>;
  debugToken(app: ProviderApp, accessToken: string): Promise<Answered<TokenFacts>>;

  listSubscribedApps(connection: Connection, wabaId: string): Promise<Answered<{ apps: SubscribedApp[] }>>;
  /** Has our app told of the account's events, at the app's own address. */
  subscribe(connection: Connection, wabaId: string): Done;
  unsubscribe(connection: Connection, wabaId: string): Done;

  /**
   * What the provider billed a business for the accounts its credit line pays for. `from` and `to` are the first days of the
   * billing months, the last not in it.
   */
  listBusinessInvoices(
    connection: Connection,
    businessId: string,
    span: { from: Date; to: Date; after: string | null },
  ): Promise<Answered<Page<BusinessInvoice>>>;

  /** By day, number, country, category and type. `from` and `to` are days in UTC; it looks back a year at most. */
  pricingAnalytics(
    connection: Connection,
    wabaId: string,
    span: { from: Date; to: Date },
  ): Promise<Answered<{ counts: PricingCount[] }>>;
  /** What it knows of one message; nothing of one it does not know. */
  messageHistory(
    connection: Connection,
    phoneNumberId: string,
    providerMessageId: string,
  ): Promise<Answered<{ events: ProviderHistoryEvent[] }>>;

  blockUsers(connection: Connection, phoneNumberId: string, users: string[]): Done;
  unblockUsers(connection: Connection, phoneNumberId: string, users: string[]): Done;
}

export type CallbackSecrets = { appSecret: string; verifyToken: string };

/** The provider's callbacks: how they prove themselves, and how their bodies read. */
export type ProviderCallbacks = {
  /** Null where no callbacks are expected: a live connection that has not been set up. */
  secrets: { live: CallbackSecrets | null; sandbox: CallbackSecrets | null };
  /** Null for a body that is no callback at all. Never throws. What tells no time happened when it was received. */
  read(body: Buffer, receivedAt: Date): ReadCallback | null;
};

/** Where the messaging provider answers, and which version of its API is spoken. */
export type ProviderPlace = {
  baseUrl: string;
  apiVersion: string;
  /** This installation's app there; null when it has none. */
  appId: string | null;
  /** Which hosted signup people are sent to; null where it is not set up. */
  signupConfigId: string | null;
  /** Where the hosted signup is. */
  signupUrl: string;
};

/** The operator as solution partner of its customers, whose credit line may pay for them. */
export type PartnerAccount = { businessId: string; accessToken: string };

declare module '../../platform/ports.ts' {
  interface Ports {
    provider: Provider;
    /** Null where the operator is no partner: nobody can then be billed through it. */
    providerPartner: { live: PartnerAccount | null; sandbox: PartnerAccount };
    providerCallbacks: ProviderCallbacks;
    /** Null where this installation has no app at the provider, or does not know its secret. */
    providerApp: { live: AppCredentials | null; sandbox: AppCredentials };
  }
  interface Site {
    provider: { live: ProviderPlace; sandbox: ProviderPlace };
  }
}
