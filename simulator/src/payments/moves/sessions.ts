// Somebody pays on the hosted page, or the page expires.
import { makeIntent } from '../objects/new-intent.ts';
import { type CardInput, makeMethod } from '../objects/new-method.ts';
import { nowS, type Payments } from '../objects/payments.ts';
import type { IntentRow, SessionRow } from '../objects/rows.ts';
import { confirmIntent } from './charging.ts';

/** Pays an open session by a card; what became of it is the intent's status. */
export function paySession(payments: Payments, session: SessionRow, card: CardInput): IntentRow {
  const intent = intentOf(payments, session);
  const method = makeMethod(payments, card);
  confirmIntent(payments, intent, method, { present: true, returnUrl: session.url });
  return intent;
}

/** One for all the cards that are tried. */
function intentOf(payments: Payments, session: SessionRow): IntentRow {
  const known = payments.tables.intents.get(session.payment_intent ?? '');
  if (known) return known;
  const plan = payments.tables.plans.get(session.id)!;
  const intent = makeIntent(payments, {
    amount: session.amount_total!,
    currency: session.currency!,
    customer: session.customer,
    description: plan.description,
    metadata: plan.intentMetadata,
    setupFutureUsage: plan.setupFutureUsage,
    receiptEmail: plan.receiptEmail,
    statementDescriptor: plan.statementDescriptor,
  });
  session.payment_intent = intent.id;
  payments.changed();
  return intent;
}

/** False when it is over already. A payment that was begun is given up with it. */
export function expireSession(payments: Payments, session: SessionRow): boolean {
  if (session.status !== 'open') return false;
  session.status = 'expired';
  session.url = null;
  payments.changed();
  const intent = payments.tables.intents.get(session.payment_intent ?? '');
  if (intent) {
    payments.tables.challenges.delete(intent.id);
    Object.assign(intent, {
      status: 'canceled',
      canceled_at: nowS(payments),
      cancellation_reason: 'expired',
      next_action: null,
    });
    payments.emit('payment_intent.canceled', intent);
  }
  payments.emit('checkout.session.expired', session);
  return true;
}
