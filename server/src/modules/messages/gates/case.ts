// Everything the gates judge a message by. It is loaded before they run, for many messages at once; the gates only look.

import type { ErrorCode, ErrorDetail } from '../../../platform/errors/errors.ts';
import type { Standing as AccountStanding } from '../../accounts/index.ts';
import type { Quote, RateCard, Wallet } from '../../billing/index.ts';
import type { ConsentStanding } from '../../consent/index.ts';
import type { Identifier } from '../../contacts/index.ts';
import type { OpenWindow } from '../../conversations/index.ts';
import type { MediaFact } from '../../media/index.ts';
import type { SendRoom } from '../../plans/index.ts';
import type { Content } from '../../provider/index.ts';
import type { Sender } from '../../senders/index.ts';
import type { FlowFacts, TemplateFacts } from '../../templates/index.ts';
import type { PortfolioRoom, Waba } from '../../wabas/index.ts';
import type { Draft } from '../drafts/read-message.ts';
import type { Against } from './standing.ts';

export type Category = 'authentication' | 'utility' | 'marketing' | 'service';

/** Why something that was named cannot be used. */
export type Unusable = { code: ErrorCode; details?: ErrorDetail[] };

export type Case = {
  draft: Draft;
  now: Date;
  /** The version of the provider's API it would be sent with. */
  apiVersion: string;
  account: Pick<AccountStanding, 'accountStatus'> & {
    /** What the plan leaves to be sent; null where it limits no sending. */
    sends: SendRoom | null;
  };
  sender: Sender | Unusable;
  waba: Waba | null;
  recipient: Recipient | Unusable;
  /** Who may write in the conversation that was named; null when none was. */
  composer: Composer | Unusable | null;
  /** What will be sent; or what is wrong with the stored content it was to be made from. */
  content: Content | Unusable;
  template: TemplateFacts | null;
  media: ReadonlyMap<string, MediaFact>;
  flow: FlowFacts | null;
  /** What it answers or reacts to; null when it does neither. */
  replyTarget: { providerMessageId: string | null } | Unusable | null;
  statusCallback: { endpointSid: string } | Unusable | null;
  suppressions: readonly Against[];
  consents: ConsentStanding | null;
  window: OpenWindow;
  /** What the two sides have said to each other so far, where there is such a thing. */
  conversationSid: string | null;
  /** Until when the provider lets the contact receive no marketing. */
  cappedUntil: Date | null;
  portfolio: (PortfolioRoom & { id: string; counted: boolean }) | null;
  rates: RateCard;
  wallet: Wallet;
};

export type Composer = {
  /** Whose claim stands, if anybody's. */
  heldBy: string | null;
  /** True when the message is sent although somebody else is writing. */
  overrides: boolean;
};

export type Recipient = {
  identifier: Identifier;
  /** Null for somebody nobody has written to yet. */
  contactSid: string | null;
  /** Upper-case letters of the country the address belongs to; null when it does not tell. */
  country: string | null;
};

export const isUnusable = (value: object | null): value is Unusable => value !== null && 'code' in value;

/** What a SID names is not there, or not this tenant's. */
export const missing = (path: string, noun: string): Unusable => ({
  code: 'NOT_FOUND',
  details: [{ path, issue: `is no ${noun} of this account and environment` }],
});

/** Templates go where nothing else may. */
export const isTemplate = ({ content }: Pick<Case, 'content'>) =>
  !isUnusable(content) && content.type === 'template';

/** What the gates read out of the case together, once. */
export type Resolved = {
  category: Category;
  quote: Quote | null;
  /** When it would be handed over. */
  dueAt: Date;
  /** Set when a cap puts it off. */
  deferred: boolean;
};

export type Evidence = Record<string, unknown>;
export type Finding =
  | { outcome: 'pass' | 'skip'; evidence: Evidence }
  | { outcome: 'warn'; code: ErrorCode; evidence: Evidence }
  | {
      outcome: 'fail';
      code: ErrorCode;
      evidence: Evidence;
      details?: ErrorDetail[];
      retryAfterSeconds?: number;
      /** Of the answer, where the limit that refuses is told there too. */
      headers?: Record<string, string>;
    };

export type Gate = { name: string; judge(c: Case, resolved: Resolved): Finding };

const none: Evidence = {};
export const pass = (evidence: Evidence = none): Finding => ({ outcome: 'pass', evidence });
/** For evidence that costs something: only preflight asks for it. */
export const passBy = (evidence: () => Evidence): Finding => ({
  outcome: 'pass',
  get evidence() {
    return evidence();
  },
});
export const skip = (evidence: Evidence = none): Finding => ({ outcome: 'skip', evidence });
export const fail = (code: ErrorCode, evidence: Evidence = none, details?: ErrorDetail[]): Finding => ({
  outcome: 'fail',
  code,
  evidence,
  ...(details && { details }),
});
export const unusable = ({ code, details }: Unusable): Finding => fail(code, none, details);
