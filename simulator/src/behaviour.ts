// How a send may go wrong. One vocabulary for recipients whose number says so and for rules of the control API.
import type { Pricing } from './messages/pricing.ts';

/** How the analytics count a message when they are to differ from what its statuses tell. */
export type CountedAs = {
  volume?: number;
  category?: string;
  type?: string;
  /** What each of them costs, in the currency of its account. */
  cost?: number;
};

export type Status = 'sent' | 'delivered' | 'read' | 'played';

export type Behaviour = {
  /** Nothing is accepted; the answer carries this error. `times`: only that often for one recipient. */
  refuse?: { code: number; http?: number; times?: number };
  /** Accepted, then a `failed` status instead of the others, or after `sent`. */
  fail?: { code: number; afterSent?: boolean };
  /** What becomes of the answer. The first four accept the message all the same, the others do not. */
  answer?: Answer;
  answerDelayMs?: number;
  /** These statuses, in this order, and no others. */
  statuses?: Status[];
  /** How often each callback is sent. */
  copies?: number;
  /** Statuses come this many times later. */
  slowness?: number;
  /** The recipient's phone is off for so long; what lives shorter is dropped without a word. */
  offlineMs?: number;
  /** Held back by pacing, then sent or dropped. */
  held?: 'released' | 'dropped';
  /** What the statuses say of the price, where it is not the usual. */
  pricing?: Partial<Pricing>;
  /** The price that `read` tells once more, and otherwise than before. */
  repricedAs?: Partial<Pricing>;
  /** Everything happens, and no callback tells of it. */
  unreported?: true;
  /** How `pricing_analytics` counts the message; a volume of 0 leaves it out. */
  countedAs?: CountedAs;
};

export const answers = {
  lost: 'accepted, and the connection is closed without an answer',
  hang: 'accepted, and no answer ever comes',
  garbage: 'accepted, and the answer is not JSON',
  'bad-gateway-accepted': 'accepted, and answered 502 with an HTML page',
  'bad-gateway': 'not accepted, answered 502 with an HTML page',
  'closed-before': 'not accepted, and the connection is closed without an answer',
  'hang-before': 'not accepted, and no answer ever comes',
} as const;
export type Answer = keyof typeof answers;

export const acceptsFirst = (answer: Answer | undefined): boolean =>
  answer !== 'bad-gateway' && answer !== 'closed-before' && answer !== 'hang-before';

export type MagicBehaviour = { suffix: string; means: string; behaviour: Behaviour };

const magic = (number: number, means: string, behaviour: Behaviour): MagicBehaviour => ({
  suffix: `92${String(number).padStart(6, '0')}`,
  means,
  behaviour,
});

/** Recipients whose last eight digits name a behaviour. */
export const magicBehaviours: MagicBehaviour[] = [
  magic(1, 'is sent and never delivered', { statuses: ['sent'] }),
  magic(2, 'is delivered and never read', { statuses: ['sent', 'delivered'] }),
  magic(3, 'is read without having been delivered', { statuses: ['sent', 'read'] }),
  magic(4, 'is accepted, and no callback ever comes', { statuses: [] }),
  magic(5, 'has every callback sent twice', { copies: 2 }),
  magic(6, 'has its callbacks in the opposite order', { statuses: ['read', 'delivered', 'sent'] }),
  magic(7, 'has its callbacks thirty times later', { slowness: 30 }),
  magic(8, 'is sent and then fails with 131026', { fail: { code: 131026, afterSent: true } }),
  magic(9, 'loses the callback for sent', { statuses: ['delivered', 'read'] }),
  magic(10, 'is held for quality assessment, then sent', { held: 'released' }),
  magic(11, 'is held for quality assessment, then dropped with 132015', { held: 'dropped' }),
  magic(12, 'is offline for an hour: a login code is dropped without a callback, the rest arrives then', {
    offlineMs: 3_600_000,
  }),
  magic(20, answers.lost, { answer: 'lost' }),
  magic(21, answers.hang, { answer: 'hang' }),
  magic(22, answers['closed-before'], { answer: 'closed-before' }),
  magic(23, answers['hang-before'], { answer: 'hang-before' }),
  magic(24, answers.garbage, { answer: 'garbage' }),
  magic(25, answers['bad-gateway'], { answer: 'bad-gateway' }),
  magic(26, answers['bad-gateway-accepted'], { answer: 'bad-gateway-accepted' }),
  magic(27, 'is refused three times with HTTP 429 and 130429, then accepted', {
    refuse: { code: 130429, http: 429, times: 3 },
  }),
  magic(28, 'is refused twice with HTTP 500 and 131000, then accepted', {
    refuse: { code: 131000, times: 2 },
  }),
  magic(29, 'is answered three seconds late', { answerDelayMs: 3_000 }),
];

const bySuffix = new Map(magicBehaviours.map(({ suffix, behaviour }) => [suffix, behaviour]));

/**
 * What a recipient's last eight digits say: 90 and a six-digit code fails with that code, 91 and a code is refused with
 * it, 92 and a number is one of the behaviours above. Null for everybody else.
 */
export function magicOf(digits: string): Behaviour | null {
  const suffix = digits.slice(-8);
  if (suffix.length < 8 || suffix[0] !== '9') return null;
  const code = Number(suffix.slice(2));
  if (suffix[1] === '0') return { fail: { code } };
  if (suffix[1] === '1') return { refuse: { code } };
  return bySuffix.get(suffix) ?? null;
}
