// Everything that depends on the provider, on its version or on what the operator set up, and who decides over it. Whoever asks
// whether something can be done asks here: the list, and the refusals.
import {
  isReady,
  isRestricted,
  notReady,
  refusedOfSender,
  refusedOfWaba,
  refusedUnconnected,
  type SenderStanding,
  type WabaStanding,
} from './standing.ts';
import { available, limited, unavailable, type Verdict } from './verdicts.ts';

/** Where the fact comes from that decides: a reading of the provider, the operator's settings, or our reviewed tables. */
export const factSources = ['PROVIDER', 'CONFIGURATION', 'REVIEWED_FACTS'] as const;
export type FactSource = (typeof factSources)[number];

export type AccountFacts = {
  /** Whether the provider's hosted signup is set up. */
  signup: boolean;
  /** Whether the operator can pay the provider for the account. */
  partnerBilling: boolean;
};
export type OfWaba = { waba: WabaStanding };
export type OfSender = { sender: SenderStanding; waba: WabaStanding | null };

export type Moment = { now: Date };
type Versions = { since?: string; until?: string };

type Entry<Scope, Facts> = Versions & {
  scope: Scope;
  source: FactSource;
  judge(facts: Facts & Moment): Verdict;
};

const ofAccount = (
  source: FactSource,
  judge: (facts: AccountFacts) => Verdict,
  versions: Versions = {},
): Entry<'ACCOUNT', AccountFacts> => ({ scope: 'ACCOUNT', source, judge, ...versions });

const ofWaba = (judge: (waba: WabaStanding) => Verdict): Entry<'WABA', OfWaba> => ({
  scope: 'WABA',
  source: 'PROVIDER',
  judge: ({ waba }) => refusedUnconnected(waba) ?? judge(waba),
});

const ofSender = (judge: (facts: OfSender & Moment) => Verdict): Entry<'SENDER', OfSender> => ({
  scope: 'SENDER',
  source: 'PROVIDER',
  judge: (facts) => refusedOfSender(facts.sender, facts.waba) ?? judge(facts),
});

const noSignup = unavailable(
  "The provider's hosted signup is not set up here: the operator sets PROVIDER_APP_ID, PROVIDER_APP_SECRET and PROVIDER_SIGNUP_CONFIG_ID.",
);
const noPartner = unavailable(
  'The operator does not pay the provider for accounts here, or has no price for it.',
);
const phonesOnly = limited('Codes to sign in with go to phone numbers only.');
const knownNames = limited('A username reaches somebody once it was seen in a message of theirs.');
const mayBeRefused = limited('The provider has disabled the business account, and may refuse.');
const notAskedYet = limited('The provider has not been asked yet.');
const noCatalog = unavailable('No catalog is connected to the business account.');
const noFlowKey = unavailable(
  'The number has no valid public key for flows that exchange data.',
  'FLOW_ENCRYPTION_KEY_MISSING',
);
const inPhoneApp = unavailable(
  'A number that is also used in the phone app cannot be moved.',
  'COEXISTENCE_DEREGISTER_UNSUPPORTED',
);
const nameless = unavailable('The display name of the number is not approved.', 'DISPLAY_NAME_NOT_APPROVED');

/** An account of which the provider has not said how far it came is given the benefit of the doubt. */
function judgeMarketing(waba: WabaStanding): Verdict {
  const { marketingMessages } = waba;
  const refused = refusedOfWaba(waba);
  if (refused) return refused;
  if (marketingMessages === null) return notAskedYet;
  if (marketingMessages === 'ONBOARDED') return available;
  const reason = `The provider says of marketing messages: ${marketingMessages}.`;
  return unavailable(reason, 'MARKETING_MESSAGES_NOT_ONBOARDED');
}

function judgeProducts(waba: WabaStanding): Verdict {
  const refused = refusedOfWaba(waba);
  if (refused) return refused;
  if (waba.catalogIds === null) return notAskedYet;
  return waba.catalogIds.length > 0 ? available : noCatalog;
}

function judgeFlowKey({ sender: { flowKey } }: OfSender): Verdict {
  if (flowKey === null) return notAskedYet;
  return flowKey === 'VALID' ? available : noFlowKey;
}

/** A name that nobody has told us of is judged by the provider. */
function judgeMove({ sender, waba }: OfSender): Verdict {
  if (!isReady(sender)) return notReady;
  if (sender.onBusinessApp) return inPhoneApp;
  if (sender.nameStatus !== null && sender.nameStatus !== 'APPROVED') return nameless;
  return refusedUnconnected(waba) ?? (refusedOfWaba(waba) ? mayBeRefused : available);
}

/** What the provider calls its restrictions. */
const unlessRestricted = (type: string, refused: Verdict) =>
  ofSender(({ waba, now }) => (isRestricted(waba!, type, now) ? refused : available));

export const capabilities = {
  EMBEDDED_SIGNUP: ofAccount('CONFIGURATION', ({ signup }) => (signup ? available : noSignup)),
  PARTNER_BILLING: ofAccount('CONFIGURATION', ({ partnerBilling }) =>
    partnerBilling ? available : noPartner,
  ),
  BSUID_RECIPIENTS: ofAccount('REVIEWED_FACTS', () => phonesOnly),
  USERNAME_RECIPIENTS: ofAccount('REVIEWED_FACTS', () => knownNames),
  /** `conversation` in what the provider reports of each message. */
  CONVERSATION_REPORTS: ofAccount('REVIEWED_FACTS', () => available, { until: 'v23.0' }),
  /** The portfolio's limits in callbacks. */
  PORTFOLIO_LIMIT_REPORTS: ofAccount('REVIEWED_FACTS', () => available, { since: 'v24.0' }),

  TEMPLATE_MANAGEMENT: ofWaba((waba) => (refusedOfWaba(waba) ? mayBeRefused : available)),
  MARKETING_MESSAGES: ofWaba(judgeMarketing),
  PRODUCT_MESSAGES: ofWaba(judgeProducts),

  SERVICE_WINDOW_MESSAGES: unlessRestricted(
    'RESTRICTED_CUSTOMER_INITIATED_MESSAGING',
    unavailable('The provider lets the business account answer nobody for now.', 'SENDER_RESTRICTED'),
  ),
  OPENING_TEMPLATES: unlessRestricted(
    'RESTRICTED_BIZ_INITIATED_MESSAGING',
    unavailable(
      'The provider lets the business account open no conversations for now.',
      'SENDER_TEMPLATE_RESTRICTED',
    ),
  ),
  UTILITY_TEMPLATES: unlessRestricted(
    'RESTRICTED_UTILITY_TEMPLATES',
    unavailable(
      'The provider lets the business account send no utility templates for now.',
      'SENDER_TEMPLATE_RESTRICTED',
    ),
  ),
  FLOW_DATA_EXCHANGE: ofSender(judgeFlowKey),
  NUMBER_MIGRATION: { scope: 'SENDER', source: 'PROVIDER', judge: judgeMove },
} satisfies Record<
  string,
  Entry<'ACCOUNT', AccountFacts> | Entry<'WABA', OfWaba> | Entry<'SENDER', OfSender>
>;

export type CapabilityName = keyof typeof capabilities;
export type CapabilityScope = (typeof capabilities)[CapabilityName]['scope'];
export type NamesOf<Scope extends CapabilityScope> = {
  [Name in CapabilityName]: (typeof capabilities)[Name]['scope'] extends Scope ? Name : never;
}[CapabilityName];

export type FactsOf<Name extends CapabilityName> = Parameters<(typeof capabilities)[Name]['judge']>[0];

export const isOf = <Scope extends CapabilityScope>(
  scope: Scope,
  name: CapabilityName,
): name is NamesOf<Scope> => capabilities[name].scope === scope;

export const namesOf = <Scope extends CapabilityScope>(scope: Scope): NamesOf<Scope>[] =>
  (Object.keys(capabilities) as CapabilityName[]).filter((name): name is NamesOf<Scope> => isOf(scope, name));
