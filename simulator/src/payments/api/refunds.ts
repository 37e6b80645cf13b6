// Refunds, whole or in part.
import { createdParam, pageOf, pageParams, within } from '../http/listing.ts';
import { expand, maybe, metadata, params, type Read, text, whole, words } from '../http/params.ts';
import { at, invalid, noSuch } from '../http/problems.ts';
import { operation } from '../http/serve.ts';
import { chargeBack } from '../moves/disputes.ts';
import { refund, unrefunded } from '../moves/refunds.ts';
import type { Payments } from '../objects/payments.ts';
import type { ChargeRow, RefundRow } from '../objects/rows.ts';

const createParams = params({
  payment_intent: maybe(text()),
  charge: maybe(text()),
  amount: maybe(whole(1)),
  reason: maybe(words('duplicate', 'fraudulent', 'requested_by_customer')),
  metadata,
  expand,
});
type CreateInput = Read<typeof createParams>;

function create(payments: Payments, input: CreateInput): RefundRow {
  const charge = chargeOf(payments, input);
  if (chargeBack(payments, charge))
    throw invalid(
      `Charge ${charge.id} has been charged back; cannot issue a refund.`,
      undefined,
      'charge_disputed',
    );
  const left = unrefunded(charge);
  if (left === 0)
    throw invalid(`Charge ${charge.id} has already been refunded.`, undefined, 'charge_already_refunded');
  const amount = input.amount ?? left;
  if (amount > left) {
    const money = (minor: number) => `${(minor / 100).toFixed(2)} ${charge.currency}`;
    throw invalid(
      `Refund amount (${money(amount)}) is greater than unrefunded amount on charge (${money(left)})`,
      'amount',
    );
  }
  return refund(payments, charge, { amount, reason: input.reason ?? null, metadata: input.metadata });
}

function chargeOf({ tables }: Payments, input: CreateInput): ChargeRow {
  if ((input.payment_intent === undefined) === (input.charge === undefined))
    throw invalid(
      'One of the following params should be provided for this request: payment_intent or charge.',
    );
  const intent = input.payment_intent === undefined ? null : tables.intents.get(input.payment_intent);
  if (intent === undefined) throw noSuch('payment_intent', input.payment_intent!, 'payment_intent');
  const id = intent ? intent.latest_charge : input.charge!;
  const charge = tables.charges.get(id ?? '');
  if (!charge && !intent) throw noSuch('charge', input.charge!, 'charge');
  if (charge?.status !== 'succeeded') {
    throw invalid(
      intent
        ? `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`
        : `Charge ${id} is not refundable: it did not succeed.`,
      intent ? 'payment_intent' : 'charge',
    );
  }
  return charge;
}

export const refundOperations = [
  operation({
    method: 'POST',
    path: '/v1/refunds',
    rule: 'refunds',
    params: createParams,
    run: create,
  }),
  operation({
    method: 'GET',
    path: '/v1/refunds',
    rule: 'refunds',
    params: params({
      ...pageParams,
      ...createdParam,
      payment_intent: maybe(text()),
      charge: maybe(text()),
    }),
    run: ({ tables }, input) =>
      pageOf(
        tables.refunds,
        '/v1/refunds',
        'refund',
        input,
        ({ created, payment_intent: intent, charge }) =>
          within(input.created, created) &&
          (input.payment_intent === undefined || input.payment_intent === intent) &&
          (input.charge === undefined || input.charge === charge),
      ),
  }),
  operation({
    method: 'GET',
    path: '/v1/refunds/:id',
    rule: 'refunds',
    params: params({ expand }),
    run: ({ tables }, _input, { id }) => at(tables.refunds, id, 'refund'),
  }),
];
