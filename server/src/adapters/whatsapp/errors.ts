// What the provider's error codes mean to us: one table, for answers and for failed statuses alike. Only the code
// decides, never the HTTP status; the few rows that also look at words or at the request say why.
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { ProviderFailure } from '../../modules/provider/index.ts';
import type { ErrorCode } from '../../platform/errors/errors.ts';
import { type Fields, fieldsOf, numberOf, textOf } from './reading.ts';

/** What was being done, where a code means different things. */
export type Doing = {
  purpose: 'send' | 'manage' | 'register' | 'deregister';
  /** The recipient's number, with or without a plus sign. */
  recipient?: string;
};

type Refined = Doing & { words: string };
type Rule = {
  code: ErrorCode;
  /** Whether the same request may succeed later without anybody changing anything. */
  retryable: boolean;
  retryAfterMs: number | null;
  endsAs?: ErrorCode;
  refine?: (doing: Refined) => ErrorCode | null;
  /** How long to wait stands nowhere but in the words. */
  saysWhen?: true;
};

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const final = (code: ErrorCode, refine?: Rule['refine']): Rule => ({
  code,
  retryable: false,
  retryAfterMs: null,
  ...(refine && { refine }),
});
const later = (code: ErrorCode, retryAfterMs: number | null = null): Rule => ({
  code,
  retryable: true,
  retryAfterMs,
});
/** Not to be repeated by itself, though somebody may want to know from when it could. */
const notBefore = (code: ErrorCode, retryAfterMs: number, refine?: Rule['refine']): Rule => ({
  ...final(code, refine),
  retryAfterMs,
});

const saying = (words: RegExp, code: ErrorCode) => (doing: Refined) =>
  words.test(doing.words) ? code : null;

const rules: Record<number, Rule> = {
  0: final('PROVIDER_TOKEN_INVALID'),
  // A bad request or a fault of the provider's own: only trying again tells them apart.
  1: { ...later('PROVIDER_TEMPORARY_ERROR'), endsAs: 'PROVIDER_PERMANENT_ERROR' },
  2: later('PROVIDER_TEMPORARY_ERROR'),
  3: final('PROVIDER_PERMANENT_ERROR'),
  4: later('PROVIDER_RATE_LIMITED', 5 * minute),
  10: final('PROVIDER_TOKEN_INVALID'),
  33: final('SENDER_NOT_READY'),
  // Whoever waits for an answer hears that the request was wrong; a message that was accepted long ago cannot.
  100: final('PROVIDER_PERMANENT_ERROR', ({ purpose }) => (purpose === 'manage' ? 'VALIDATION_ERROR' : null)),
  190: final('PROVIDER_TOKEN_INVALID'),
  192: final('VALIDATION_ERROR'),
  368: final('WABA_RESTRICTED'),
  613: later('PROVIDER_RATE_LIMITED', 5 * minute),
  803: final('NOT_FOUND'),
  1026: final('RECIPIENT_UNREACHABLE'),
  // Codes of a signup: too old, or used.
  36007: final('ONBOARDING_CODE_EXPIRED'),
  36009: final('ONBOARDING_CODE_EXPIRED'),
  80007: later('PROVIDER_RATE_LIMITED', 5 * minute),
  80008: later('PROVIDER_RATE_LIMITED', 5 * minute),
  130403: final('CONTACT_SUPPRESSED'),
  130429: later('PROVIDER_RATE_LIMITED', 2 * second),
  130472: final('RECIPIENT_IN_EXPERIMENT'),
  130497: final('DESTINATION_POLICY_BLOCKED'),
  131000: later('PROVIDER_TEMPORARY_ERROR'),
  131005: final('PROVIDER_TOKEN_INVALID'),
  131008: final('PROVIDER_PERMANENT_ERROR'),
  131009: final('PROVIDER_PERMANENT_ERROR'),
  131016: later('PROVIDER_TEMPORARY_ERROR'),
  131021: final('VALIDATION_ERROR'),
  131026: final('RECIPIENT_UNREACHABLE'),
  131030: final('DESTINATION_POLICY_BLOCKED'),
  // The same code tells of a locked account and, while registering, of a PIN that does not match.
  131031: final('WABA_RESTRICTED', ({ purpose }) => (purpose === 'register' ? 'REGISTRATION_ERROR' : null)),
  131037: final('DISPLAY_NAME_NOT_APPROVED'),
  131042: final('PAYMENT_REQUIRED'),
  131045: final('SENDER_NOT_READY'),
  131047: final('SERVICE_WINDOW_CLOSED'),
  131048: final('SENDER_RESTRICTED'),
  // Marketing to the USA is withheld altogether, and told by the code of the cap each person has.
  131049: notBefore('RECIPIENT_MARKETING_CAP', 24 * hour, ({ recipient }) =>
    recipient !== undefined && isInUsa(recipient) ? 'MARKET_EXCLUDED' : null,
  ),
  131050: final('RECIPIENT_OPTED_OUT'),
  131051: final('CAPABILITY_UNAVAILABLE'),
  131052: final('MEDIA_PROVIDER_ERROR'),
  131053: final('MEDIA_PROVIDER_ERROR'),
  131055: final('TRANSPORT_CATEGORY_MISMATCH'),
  131056: later('PROVIDER_RATE_LIMITED', 6 * second),
  131057: later('PROVIDER_TEMPORARY_ERROR', minute),
  131060: final('CAPABILITY_UNAVAILABLE'),
  131061: final('TRANSPORT_CATEGORY_MISMATCH'),
  131062: final('RECIPIENT_ADDRESSING_UNSUPPORTED'),
  131063: final('TRANSPORT_CATEGORY_MISMATCH'),
  131064: final('SENDER_TEMPLATE_RESTRICTED'),
  132000: final('TEMPLATE_PROVIDER_ERROR'),
  132001: final('TEMPLATE_NOT_APPROVED'),
  132005: final('TEMPLATE_PROVIDER_ERROR'),
  132007: final('TEMPLATE_PROVIDER_ERROR'),
  132008: final('TEMPLATE_PROVIDER_ERROR'),
  132012: final('TEMPLATE_PROVIDER_ERROR'),
  132015: final('TEMPLATE_PAUSED'),
  132016: final('TEMPLATE_NOT_APPROVED'),
  132018: final('TEMPLATE_PROVIDER_ERROR'),
  132068: final('FLOW_BLOCKED'),
  132069: later('FLOW_ERROR', hour),
  133000: later('REGISTRATION_ERROR'),
  133004: later('PROVIDER_TEMPORARY_ERROR'),
  133005: final('REGISTRATION_ERROR'),
  133006: final('REGISTRATION_ERROR'),
  133008: { ...later('REGISTRATION_ERROR'), saysWhen: true },
  133009: { ...later('REGISTRATION_ERROR'), saysWhen: true },
  133010: final('SENDER_NOT_READY'),
  133015: later('REGISTRATION_ERROR', 5 * minute),
  // Another try would only lengthen the lock.
  133016: notBefore('REGISTRATION_ERROR', 72 * hour),
  134011: final('PAYMENT_REQUIRED'),
  134100: final('TRANSPORT_CATEGORY_MISMATCH'),
  134101: later('MARKETING_MESSAGES_ERROR', minute),
  // One code for a template that cannot be used and for an account that never accepted the terms.
  134102: final(
    'MARKETING_MESSAGES_ERROR',
    saying(/onboard|terms of service/i, 'MARKETING_MESSAGES_NOT_ONBOARDED'),
  ),
  134103: final('MARKETING_MESSAGES_ERROR'),
  135000: final('PROVIDER_PERMANENT_ERROR'),
  136024: final('REGISTRATION_ERROR'),
  136025: final('REGISTRATION_ERROR'),
  137000: final('PROVIDER_PERMANENT_ERROR'),
  139000: final('FLOW_BLOCKED'),
  139001: final('FLOW_ERROR'),
  139002: final('FLOW_ERROR', saying(/public key/i, 'FLOW_ENCRYPTION_KEY_MISSING')),
  139003: final('FLOW_ERROR'),
  139004: final('FLOW_ERROR'),
  139006: final('FLOW_ERROR'),
  139100: final('PROVIDER_PERMANENT_ERROR'),
  139101: final('PROVIDER_PERMANENT_ERROR'),
  139102: later('PROVIDER_TEMPORARY_ERROR'),
  139103: later('PROVIDER_TEMPORARY_ERROR'),
  147001: final('CONFLICT'),
  147002: final('CAPABILITY_UNAVAILABLE'),
  147003: final('CAPABILITY_UNAVAILABLE'),
  147004: final('CAPABILITY_UNAVAILABLE'),
  147005: final('CONFLICT'),
  200002: final('TEMPLATE_PROVIDER_ERROR'),
  200005: final('CAPABILITY_UNAVAILABLE'),
  200006: final('CAPABILITY_UNAVAILABLE'),
  200007: final('CAPABILITY_UNAVAILABLE'),
  1752041: final('CONFLICT'),
  2388001: final('REGISTRATION_ERROR'),
  2388012: final('CONFLICT'),
  2388019: final('TEMPLATE_CAP_REACHED'),
  2388023: final('TEMPLATE_NAME_LOCKED'),
  2388024: final('CONFLICT'),
  2388039: final('TEMPLATE_PROVIDER_ERROR'),
  2388040: final('VALIDATION_ERROR'),
  2388047: final('VALIDATION_ERROR'),
  2388072: final('VALIDATION_ERROR'),
  2388073: final('VALIDATION_ERROR'),
  2388077: final('VALIDATION_ERROR'),
  2388091: final('REGISTRATION_ERROR'),
  2388093: final('REGISTRATION_ERROR'),
  // Nine causes under one code, told apart only by words.
  2388103: final(
    'REGISTRATION_ERROR',
    ({ words }) =>
      (/payment/i.test(words) && 'PAYMENT_REQUIRED') ||
      (/display name/i.test(words) && 'DISPLAY_NAME_NOT_APPROVED') ||
      null,
  ),
  2388293: final('VALIDATION_ERROR'),
  2388299: final('VALIDATION_ERROR'),
  2494100: later('PROVIDER_TEMPORARY_ERROR', 2 * minute),
  2593079: final('PROVIDER_PERMANENT_ERROR'),
  2593085: final('PROVIDER_PERMANENT_ERROR'),
  2593107: final('CONFLICT'),
  2593108: final('CONFLICT'),
  2593109: final('CAPABILITY_UNAVAILABLE'),
};

/** Codes that mean the same by the dozen. */
const ranges: { from: number; to: number; rule: Rule }[] = [
  { from: 200, to: 299, rule: final('PROVIDER_TOKEN_INVALID') },
  { from: 131020, to: 131020, rule: final('PROVIDER_PERMANENT_ERROR') },
  { from: 131041, to: 131041, rule: final('PROVIDER_PERMANENT_ERROR') },
  { from: 131044, to: 131044, rule: final('PROVIDER_PERMANENT_ERROR') },
  { from: 131059, to: 131059, rule: final('PROVIDER_PERMANENT_ERROR') },
  { from: 131201, to: 131215, rule: final('PROVIDER_PERMANENT_ERROR') },
  { from: 138000, to: 138025, rule: final('PROVIDER_PERMANENT_ERROR') },
  { from: 2494164, to: 2494179, rule: final('PROVIDER_PERMANENT_ERROR') },
];

/** An object the token does not reach, told as a bad parameter. */
const unreachable = final('WABA_NOT_CONNECTED');
const unknownPassing = later('PROVIDER_TEMPORARY_ERROR');
const unknownFinal = final('PROVIDER_PERMANENT_ERROR');

function ruleOf(code: number, subcode: number | null, passing: boolean): Rule {
  if (code === 100 && subcode === 33) return unreachable;
  // Management calls say what is wrong in the subcode and "bad parameter" in the code.
  const special = code === 100 && subcode !== null ? knownRule(subcode) : undefined;
  return special ?? knownRule(code) ?? (passing ? unknownPassing : unknownFinal);
}

const knownRule = (code: number): Rule | undefined =>
  rules[code] ?? ranges.find(({ from, to }) => code >= from && code <= to)?.rule;

/** An error as the provider writes it, in an answer or in a status; null when it carries no code. */
export function failureOf(
  error: unknown,
  doing: Doing,
  { httpStatus = 400 }: { httpStatus?: number } = {},
): ProviderFailure | null {
  const fields = fieldsOf(error);
  const code = numberOf(fields.code);
  if (code === null || !Number.isSafeInteger(code)) return null;
  const subcode = numberOf(fields.error_subcode);
  const words = wordsOf(fields);
  const rule = ruleOf(code, subcode, httpStatus >= 500 || fields.is_transient === true);
  const refined = coexisting({ ...doing, words }) ?? rule.refine?.({ ...doing, words }) ?? rule.code;
  const { retryable, endsAs } = rule;
  const retryAfterMs = rule.saysWhen ? waitIn(words) : rule.retryAfterMs;
  return {
    code: refined,
    retryable,
    providerCode: code,
    providerSubcode: subcode,
    reason: words.slice(0, maxReason) || 'The provider gave no reason.',
    retryAfterMs: refined === 'MARKET_EXCLUDED' ? null : retryAfterMs,
    ...(endsAs && { endsAs }),
  };
}

// Enough for any sentence of the provider's, and little enough to keep with every failed message.
const maxReason = 1_000;

/** The most telling words there are: for people first, then the details, then the title. */
function wordsOf(fields: Fields): string {
  const data = fieldsOf(fields.error_data);
  const details = textOf(data.details) ?? textOf(fields.error_data);
  const parts = [textOf(fields.error_user_msg), details, textOf(fields.message) ?? textOf(fields.title)];
  return [...new Set(parts.filter((part) => part !== null))].join(' ');
}

const units: Record<string, number> = { second, minute, hour };

/** The wait a sentence names, such as "in 12 hours"; null when it names none. */
function waitIn(words: string): number | null {
  const [, count, unit] = /\b(\d{1,6}) (second|minute|hour)s?\b/i.exec(words) ?? [];
  return count === undefined ? null : Number(count) * units[unit!.toLowerCase()]!;
}

/** No code of its own: only the words tell that the number lives in the phone app as well. */
function coexisting({ purpose, words }: Refined): ErrorCode | null {
  const told = /coexist|business app/i.test(words);
  return purpose === 'deregister' && told ? 'COEXISTENCE_DEREGISTER_UNSUPPORTED' : null;
}

function isInUsa(phone: string): boolean {
  const digits = phone.replace(/^\+/, '');
  if (!digits.startsWith('1')) return false;
  return parsePhoneNumberFromString(`+${digits}`)?.country === 'US';
}

type KnownCode = Pick<Rule, 'code' | 'retryable' | 'endsAs'> & { codes: string; sample: number };

/** Every code of the table, for those who print or try it. */
export const knownCodes: KnownCode[] = [
  ...Object.entries(rules).map(([code, rule]) => ({ codes: code, sample: Number(code), ...rule })),
  ...ranges.map(({ from, to, rule }) => ({
    codes: from === to ? String(from) : `${from} to ${to}`,
    sample: from,
    ...rule,
  })),
]
  .map(({ codes, sample, code, retryable, endsAs }) => ({
    codes,
    sample,
    code,
    retryable,
    ...(endsAs && { endsAs }),
  }))
  .sort((a, b) => a.sample - b.sample);
