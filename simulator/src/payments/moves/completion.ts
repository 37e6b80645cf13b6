// What becomes of a checkout session once its payment has been made, or has not.
import { makeCustomer } from '../objects/new-customer.ts';
import { customerDetails } from '../objects/new-session.ts';
import type { Payments } from '../objects/payments.ts';
import type { IntentRow, MethodRow, SessionRow } from '../objects/rows.ts';

export function sessionOf({ tables }: Payments, intent: IntentRow): SessionRow | null {
  for (const session of tables.sessions.values()) if (session.payment_intent === intent.id) return session;
  return null;
}

/** Whoever saves a card without being a customer becomes one. */
export function giveCustomer(payments: Payments, intent: IntentRow, method: MethodRow): void {
  const session = sessionOf(payments, intent);
  if (intent.customer !== null || session === null) return;
  if (intent.setup_future_usage === null && session.customer_creation !== 'always') return;
  const { name } = method.billing_details;
  const customer = makeCustomer(payments, {
    name: name ?? undefined,
    email: session.customer_email ?? undefined,
  });
  intent.customer = customer.id;
  session.customer = customer.id;
}

/** `unpaid`: the customer has done everything, and the money is still on its way. */
export function completeSession(payments: Payments, intent: IntentRow, payment: 'paid' | 'unpaid'): void {
  const session = sessionOf(payments, intent);
  if (session?.status !== 'open') return;
  const method = payments.tables.methods.get(intent.payment_method ?? '');
  session.status = 'complete';
  session.payment_status = payment;
  session.url = null;
  session.customer_details = customerDetails(
    session.customer_details?.email ?? session.customer_email,
    method?.billing_details.name ?? session.customer_details?.name ?? null,
  );
  payments.changed();
  payments.emit('checkout.session.completed', session);
}

/** The money of a session that was completed unpaid has come, or will not come. */
export function settleSession(payments: Payments, intent: IntentRow, paid: boolean): void {
  const session = sessionOf(payments, intent);
  if (session?.status !== 'complete') return;
  if (paid) session.payment_status = 'paid';
  payments.changed();
  payments.emit(`checkout.session.async_payment_${paid ? 'succeeded' : 'failed'}`, session);
}
