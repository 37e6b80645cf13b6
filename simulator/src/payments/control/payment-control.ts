// What people and tests tell the payment simulator to do: in the same process by these functions, else by `/_control`.
import { wrong } from '../../control/control-http.ts';
import { answerChallenge } from '../moves/charging.ts';
import { closeDispute, isOpen, openDispute } from '../moves/disputes.ts';
import { failRefund, finishRefund } from '../moves/refunds.ts';
import { expireSession, paySession } from '../moves/sessions.ts';
import type { NewPaymentRule, PaymentRule } from '../objects/payment-rules.ts';
import { newId, type Payments } from '../objects/payments.ts';
import {
  type ChargeRow,
  type DisputeRow,
  type Endpoint,
  emptyTables,
  type IntentRow,
} from '../objects/rows.ts';
import type { PaymentSettings } from '../settings.ts';
import type { SentWebhook, Webhooks } from '../webhooks/webhooks.ts';

export type PaymentControl = ReturnType<typeof createPaymentControl>;

type PayInput = { number: string; name?: string; authenticate?: boolean };
type DisputeOptions = { amount?: number; reason?: string; inquiry?: boolean };
type EndpointInput = { url: string; secrets: string[]; events?: string[] };

/** What a behaviour is about, when its rule does not say. */
function withPath({ match, behaviour, ...rest }: NewPaymentRule): NewPaymentRule {
  const aboutCard = behaviour.decline !== undefined || behaviour.settles !== undefined;
  const aboutWebhooks = (['copies', 'delayMs', 'lost', 'reversed'] as const).some(
    (name) => behaviour[name] !== undefined,
  );
  const path = match?.path ?? (aboutCard ? 'card' : aboutWebhooks ? 'webhooks' : undefined);
  return { match: { ...match, ...(path && { path }) }, behaviour, ...rest };
}

export function createPaymentControl(payments: Payments, webhooks: Webhooks) {
  const { rules, settings, tables, timeline } = payments;

  const need = <T>(table: Map<string, T>, what: string, id: string): T => {
    const found = table.get(id);
    if (!found) throw wrong(`There is no ${what} "${id}".`);
    return found;
  };

  /** Does what has fallen due, and waits until every webhook on its way has arrived or failed. */
  const settle = async (): Promise<void> => {
    for (;;) {
      timeline.runDue();
      await new Promise<void>((next) => setImmediate(next));
      await webhooks.idle();
      if (timeline.soon() === 0 && webhooks.isIdle()) return;
    }
  };

  return {
    settle,
    /** Moves the simulator's clock on and settles. */
    async advance(ms: number): Promise<void> {
      timeline.advance(ms);
      await settle();
    },
    now: () => new Date(timeline.nowMs()),
    settings,
    configure: (change: Partial<PaymentSettings>): PaymentSettings => Object.assign(settings, change),
    addRule: (rule: NewPaymentRule): PaymentRule => rules.add(withPath(rule)),
    removeRule: (id: string) => rules.remove(id),
    rules: () => rules.list(),
    clearRules: () => rules.clear(),
    counts: () => ({
      charges: countBy(tables.charges.values(), ({ status }) => status),
      refunds: countBy(tables.refunds.values(), ({ status }) => status ?? 'none'),
      disputes: countBy(tables.disputes.values(), ({ status }) => status),
      webhooks: { ...webhooks.counts },
      scheduled: timeline.waiting(),
    }),
    /** The charges that succeeded, or those with this value in their metadata: the proof that nothing was charged twice. */
    charges: (metadata?: string): ChargeRow[] =>
      [...tables.charges.values()].filter(
        (charge) =>
          charge.status === 'succeeded' &&
          (metadata === undefined || Object.values(charge.metadata).includes(metadata)),
      ),
    callbacks(after = 0, limit = 100) {
      const { items, last } = webhooks.record.page(after, limit);
      return { data: items as SentWebhook[], after: last, total: webhooks.record.total() };
    },
    resend: (event: string) => webhooks.resend(need(tables.events, 'event', event)),
    /** Pays a checkout session as somebody does who types this card into its page, and answers their bank. */
    pay(sessionId: string, { number, name = 'Jenny Rosen', authenticate = true }: PayInput): IntentRow {
      const session = need(tables.sessions, 'checkout session', sessionId);
      if (session.status !== 'open') throw wrong(`The checkout session is ${session.status}.`);
      const expYear = new Date(timeline.nowMs()).getUTCFullYear() + 2;
      const intent = paySession(payments, session, { number, name, expMonth: 12, expYear });
      const challenge = tables.challenges.get(intent.id);
      if (challenge) answerChallenge(payments, intent, challenge.token, authenticate);
      return intent;
    },
    expire(sessionId: string): void {
      if (!expireSession(payments, need(tables.sessions, 'checkout session', sessionId)))
        throw wrong('The checkout session is not open.');
    },
    dispute(chargeId: string, options: DisputeOptions = {}): DisputeRow {
      const charge = need(tables.charges, 'charge', chargeId);
      if (charge.status !== 'succeeded') throw wrong('Only a charge that succeeded can be disputed.');
      const { amount = charge.amount, reason = 'fraudulent', inquiry = false } = options;
      if (!(Number.isInteger(amount) && amount > 0)) throw wrong('"amount" must be a positive whole number.');
      return openDispute(payments, charge, { amount, reason, inquiry });
    },
    closeDispute(id: string, outcome: 'won' | 'lost'): DisputeRow {
      const dispute = need(tables.disputes, 'dispute', id);
      if (!isOpen(dispute)) throw wrong(`The dispute is ${dispute.status}.`);
      closeDispute(payments, dispute, outcome);
      return dispute;
    },
    changeRefund(id: string, status: 'succeeded' | 'failed', reason?: string): void {
      const refund = need(tables.refunds, 'refund', id);
      if (status === 'failed') failRefund(payments, refund, reason);
      else finishRefund(payments, refund);
    },
    endpoints: (): Endpoint[] => [...tables.endpoints.values()],
    addEndpoint({ url, secrets, events = ['*'] }: EndpointInput): Endpoint {
      const endpoint = { id: newId(payments, 'we'), url, secrets, events, enabled: true };
      tables.endpoints.set(endpoint.id, endpoint);
      payments.changed();
      return endpoint;
    },
    changeEndpoint(id: string, change: Partial<Omit<Endpoint, 'id'>>): Endpoint {
      const endpoint = Object.assign(need(tables.endpoints, 'webhook endpoint', id), change);
      payments.changed();
      return endpoint;
    },
    removeEndpoint(id: string): void {
      need(tables.endpoints, 'webhook endpoint', id);
      tables.endpoints.delete(id);
      payments.changed();
    },
    /** Forgets rules and what was sent; with `everything`, also every object and what was still to happen. */
    reset({ everything = false, seed }: { everything?: boolean; seed?: string } = {}): void {
      rules.clear();
      webhooks.record.clear();
      if (seed !== undefined) payments.random.reseed(seed);
      if (!everything) return;
      timeline.clear();
      webhooks.forget();
      for (const name of Object.keys(emptyTables()) as (keyof typeof tables)[])
        if (name !== 'endpoints') tables[name].clear();
      payments.changed();
    },
  };
}

function countBy<T>(items: Iterable<T>, wordOf: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[wordOf(item)] = (counts[wordOf(item)] ?? 0) + 1;
  return counts;
}
