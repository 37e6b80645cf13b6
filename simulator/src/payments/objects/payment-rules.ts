// How calls, cards and webhooks of the payment service may go wrong, by rule.
import { answers as wireAnswers } from '../../behaviour.ts';
import type { Random } from '../../random.ts';
import { createRuleList, type NewRuleOf, type RuleOf } from '../../rule-list.ts';
import type { DeclineCode } from './cards.ts';

export const answers = {
  ...wireAnswers,
  'error-accepted': 'accepted, answered 500, and that answer is kept under the idempotency key',
  error: 'not accepted, answered 500, and that answer is kept under the idempotency key',
} as const;
export type PaymentAnswer = keyof typeof answers;

export type PaymentMatch = {
  /**
   * What it is about: a path of the API such as payment_intents or checkout/sessions, `card` for a card that is to be
   * charged, `webhooks` for an event on its way. Default: any call.
   */
  path?: string;
  /** HTTP method of a call. */
  method?: string;
  customer?: string;
  /** Last digits of a card. */
  card?: string;
  /** The type of an event. */
  type?: string;
  /** A value of the metadata of the call, of the payment or of the event's object. */
  metadata?: string;
};

export type PaymentBehaviour = {
  /** Nothing happens; the answer is an error that is not kept under the idempotency key. */
  refuse?: { http: number; code?: string };
  answer?: PaymentAnswer;
  answerDelayMs?: number;
  /** The card is declined. */
  decline?: DeclineCode;
  /** The payment is processing at first, as a bank debit is, and then succeeds or fails. */
  settles?: 'later' | 'never';
  /** A webhook is sent so often, so late, never, or after those that follow it. */
  copies?: number;
  delayMs?: number;
  lost?: boolean;
  reversed?: boolean;
};

export type PaymentRule = RuleOf<PaymentMatch, PaymentBehaviour>;
export type NewPaymentRule = NewRuleOf<PaymentMatch, PaymentBehaviour>;

type Facts = {
  path: string;
  about: 'call' | 'card' | 'webhooks';
  method?: string;
  customer?: string | null;
  card?: string;
  type?: string;
  metadata?: Record<string, string> | null;
};

export const ruleParts = {
  behaviours: [
    'refuse',
    'answer',
    'answerDelayMs',
    'decline',
    'settles',
    'copies',
    'delayMs',
    'lost',
    'reversed',
  ],
  answers: Object.keys(answers),
  matches: ['path', 'method', 'customer', 'card', 'type', 'metadata'],
};

const fits = (match: PaymentMatch, facts: Facts) =>
  (match.path === undefined ? facts.about === 'call' : match.path === facts.path) &&
  (match.method === undefined || match.method === facts.method) &&
  (match.customer === undefined || match.customer === facts.customer) &&
  (match.card === undefined || (facts.card ?? '').endsWith(match.card)) &&
  (match.type === undefined || match.type === facts.type) &&
  (match.metadata === undefined || Object.values(facts.metadata ?? {}).includes(match.metadata));

export type PaymentRules = ReturnType<typeof createPaymentRules>;
export const createPaymentRules = (random: Random) =>
  createRuleList<PaymentMatch, PaymentBehaviour, Facts>(random, fits);
