// What the provider tells us, in our words: one item for each thing that happened, told apart from how it was written.
// The adapter reads them out of a callback's body; `hooks.ts` says who hears of which.
import type { ProviderFailure } from './failure.ts';

/** A person as the provider names them. A hidden phone number leaves `waId` null. */
export type ProviderUser = {
  /** Digits, no plus sign. */
  waId: string | null;
  bsuid: string | null;
  parentBsuid: string | null;
};

export type ProviderStatus = {
  providerMessageId: string;
  status: 'sent' | 'delivered' | 'read' | 'played' | 'failed';
  /** What the message carried for us: its SID. Null for a message that was not ours. */
  opaque: string | null;
  occurredAt: Date;
  recipient: ProviderUser;
  /** Words as the provider writes them, in lower case with underscores; new ones may appear. */
  pricing: {
    billable: boolean | null;
    model: string | null;
    type: string | null;
    category: string | null;
  } | null;
  conversation: { id: string; originType: string | null; expiresAt: Date | null } | null;
  /** Only on `failed`. */
  failure: ProviderFailure | null;
};

export type InboundMedia = {
  providerMediaId: string;
  mimeType: string | null;
  sha256: string | null;
  caption: string | null;
  filename: string | null;
  voice: boolean;
  animated: boolean;
};

type Named = { name: string | null; value: string };
export type InboundContactCard = {
  formattedName: string | null;
  firstName: string | null;
  lastName: string | null;
  phones: (Named & { waId: string | null })[];
  emails: Named[];
};

export type InboundContent =
  | { type: 'text'; body: string }
  | { type: 'image' | 'video' | 'audio' | 'document' | 'sticker'; media: InboundMedia }
  | {
      type: 'location';
      latitude: number;
      longitude: number;
      name: string | null;
      address: string | null;
      url: string | null;
    }
  | { type: 'contacts'; contacts: InboundContactCard[] }
  /** Without an emoji the reaction was taken back. */
  | { type: 'reaction'; targetProviderMessageId: string; emoji: string | null }
  /** A quick-reply button of a template. */
  | { type: 'button'; payload: string | null; text: string | null }
  | { type: 'button_reply'; id: string; title: string | null }
  | { type: 'list_reply'; id: string; title: string | null; description: string | null }
  | { type: 'flow_reply' | 'address_reply'; body: string | null; response: Record<string, unknown> }
  | {
      type: 'order';
      catalogId: string | null;
      text: string | null;
      items: {
        productRetailerId: string;
        quantity: number | null;
        /** Decimal text in the currency's main unit. */
        itemPrice: string | null;
        currency: string | null;
      }[];
    }
  /** The person changed: number, id or the keys of their device. */
  | { type: 'system'; kind: string; body: string | null; waId: string | null; bsuid: string | null }
  | { type: 'edit'; targetProviderMessageId: string; content: InboundContent }
  | { type: 'revoke'; targetProviderMessageId: string }
  /** Something the provider itself cannot hand over, such as a poll. */
  | { type: 'unsupported'; kind: string | null; failure: ProviderFailure | null }
  /** A type nobody has told us of; `raw` is what came. */
  | { type: 'unknown'; name: string; raw: unknown };

export type InboundMessage = {
  providerMessageId: string;
  occurredAt: Date;
  from: ProviderUser & { profileName: string | null; username: string | null };
  content: InboundContent;
  /** The provider's id of the message this one answers. */
  replyTo: string | null;
  forwarded: 'no' | 'once' | 'often';
  referredProduct: { catalogId: string; productRetailerId: string } | null;
  /** The advertisement or post that led here. */
  referral: Record<string, unknown> | null;
};

type OfTemplate = { templateId: string | null; name: string | null; language: string | null };
export type TemplateUpdate = OfTemplate & { occurredAt: Date | null } & (
    | {
        kind: 'status';
        /** APPROVED, REJECTED, PAUSED … as the provider writes it. */
        event: string;
        category: string | null;
        reason: string | null;
        recommendation: string | null;
        /** FIRST_PAUSE, SECOND_PAUSE, UNPAUSE … */
        title: string | null;
        description: string | null;
      }
    | { kind: 'quality'; previous: string | null; current: string }
    /** `announced` tells what the category will become; the others what it is. */
    | {
        kind: 'category';
        previous: string | null;
        current: string | null;
        announced: string | null;
        announcedFor: Date | null;
      }
    | { kind: 'components'; value: Record<string, unknown> }
  );

export type FlowUpdate = {
  flowId: string;
  event: string;
  oldStatus: string | null;
  newStatus: string | null;
  message: string | null;
  occurredAt: Date | null;
};

/** The provider names the number here by its digits and not by its id. */
export type PhoneNumberUpdate = { displayPhoneNumber: string; occurredAt: Date | null } & (
  | { kind: 'quality'; event: string; messagingLimit: string | null }
  | { kind: 'name'; decision: string; requestedName: string | null; rejectionReason: string | null }
  | { kind: 'security'; event: string; requester: string | null }
  | { kind: 'username'; username: string | null; status: string }
);

export type AccountUpdate = {
  /** Which field it came in: account_update, account_review_update, business_capability_update or account_alerts. */
  field: string;
  /** ACCOUNT_RESTRICTION, DISABLED_UPDATE, PARTNER_REMOVED …; the decision of a review; null where there is none. */
  event: string | null;
  banState: string | null;
  restrictions: { type: string; expiresAt: Date | null }[];
  messagingLimit: string | null;
  /** Everything else, as it came. */
  value: Record<string, unknown>;
  occurredAt: Date | null;
};

export type UserPreference = {
  user: ProviderUser;
  profileName: string | null;
  category: string;
  value: 'stop' | 'resume';
  detail: string | null;
  occurredAt: Date;
};

export type UserIdUpdate = {
  waId: string | null;
  previousBsuid: string | null;
  currentBsuid: string | null;
  previousParentBsuid: string | null;
  currentParentBsuid: string | null;
  occurredAt: Date;
};

export type Changes = {
  statuses: ProviderStatus;
  inbound: InboundMessage;
  templateUpdates: TemplateUpdate;
  flowUpdates: FlowUpdate;
  phoneNumberUpdates: PhoneNumberUpdate;
  accountUpdates: AccountUpdate;
  userPreferences: UserPreference;
  userIdUpdates: UserIdUpdate;
};
export type ChangeKind = keyof Changes;

/** Whom a change concerns, as the provider names them: a phone number, or a whole business account. */
export type Address = { phoneNumberId: string } | { wabaId: string };

/** One change out of a callback. `key` and `occurredAt` are the same however often the provider repeats it. */
export type ReadChange = {
  [K in ChangeKind]: { kind: K; address: Address; key: string; occurredAt: Date | null; item: Changes[K] };
}[ChangeKind];

/** A callback, read. What nobody understands is named and does not disturb the rest. */
export type ReadCallback = { changes: ReadChange[]; unknown: string[] };
