// Payment intents: payments by a card that is known, mostly while its holder is away.
import { createdParam, pageOf, pageParams, within } from '../http/listing.ts';
import {
  checkAmount,
  currency,
  expand,
  flag,
  list,
  maybe,
  metadata,
  params,
  type Read,
  text,
  url,
  whole,
  words,
} from '../http/params.ts';
import { at, invalid, missing, PaymentProblem } from '../http/problems.ts';
import { operation } from '../http/serve.ts';
import { confirmIntent } from '../moves/charging.ts';
import { makeIntent } from '../objects/new-intent.ts';
import type { Payments } from '../objects/payments.ts';
import type { IntentRow, MethodRow } from '../objects/rows.ts';
import { requireCustomer, requireMethod } from './customers.ts';

const createParams = params({
  amount: whole(1),
  currency,
  customer: maybe(text()),
  payment_method: maybe(text()),
  payment_method_types: maybe(list(words('card'))),
  automatic_payment_methods: maybe(
    params({ enabled: flag, allow_redirects: maybe(words('always', 'never')) }),
  ),
  confirm: maybe(flag),
  off_session: maybe(flag),
  error_on_requires_action: maybe(flag),
  return_url: maybe(url),
  setup_future_usage: maybe(words('off_session', 'on_session')),
  capture_method: maybe(words('automatic', 'automatic_async')),
  confirmation_method: maybe(words('automatic')),
  description: maybe(text(1_000)),
  receipt_email: maybe(text(512)),
  statement_descriptor: maybe(text(22)),
  statement_descriptor_suffix: maybe(text(22)),
  metadata,
  expand,
});
type CreateInput = Read<typeof createParams>;

function create(payments: Payments, input: CreateInput): IntentRow {
  checkAmount(input.amount, input.currency, 'amount', 'Amount');
  const { confirm = false, off_session: away = false } = input;
  if (away && !confirm)
    throw invalid('The parameter off_session can only be passed when confirm is true.', 'off_session');
  if (confirm && input.payment_method === undefined) throw missing('payment_method');
  const customer = input.customer === undefined ? null : requireCustomer(payments, input.customer).id;
  const method =
    input.payment_method === undefined ? null : methodFor(payments, input.payment_method, customer);
  const { automatic_payment_methods: automatic, payment_method_types: types } = input;
  const intent = makeIntent(payments, {
    amount: input.amount,
    currency: input.currency,
    customer,
    description: input.description ?? null,
    metadata: input.metadata,
    setupFutureUsage: input.setup_future_usage ?? null,
    receiptEmail: input.receipt_email,
    statementDescriptor: input.statement_descriptor,
    statementDescriptorSuffix: input.statement_descriptor_suffix,
    automaticMethods: automatic ?? (types ? null : { allow_redirects: 'always', enabled: true }),
  });
  if (method && !confirm) {
    intent.payment_method = method.id;
    intent.status = 'requires_confirmation';
  }
  if (method && confirm) pay(payments, intent, method, input);
  return intent;
}

/** A saved card pays for its own customer only. */
function methodFor(payments: Payments, id: string, customer: string | null): MethodRow {
  const method = requireMethod(payments, id);
  if (method.customer !== null && method.customer !== customer) {
    throw invalid(
      customer === null
        ? `The PaymentMethod ${id} belongs to a Customer. Please include the Customer in the \`customer\` parameter on the PaymentIntent.`
        : `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`,
      'payment_method',
      'resource_missing',
    );
  }
  return method;
}

/** Pays, and answers a refusal as an error that carries the payment as it now is. */
function pay(payments: Payments, intent: IntentRow, method: MethodRow, input: CreateInput): void {
  const present = !input.off_session && !input.error_on_requires_action;
  confirmIntent(payments, intent, method, { present, returnUrl: input.return_url ?? null });
  if (intent.last_payment_error) {
    const { type, message = '', ...more } = intent.last_payment_error;
    const body = { ...more, message, type: type as 'card_error', payment_intent: structuredClone(intent) };
    throw new PaymentProblem(402, body);
  }
}

export const intentOperations = [
  operation({
    method: 'POST',
    path: '/v1/payment_intents',
    rule: 'payment_intents',
    params: createParams,
    run: create,
  }),
  operation({
    method: 'GET',
    path: '/v1/payment_intents',
    rule: 'payment_intents',
    params: params({ ...pageParams, ...createdParam, customer: maybe(text()) }),
    run: ({ tables }, input) =>
      pageOf(
        tables.intents,
        '/v1/payment_intents',
        'payment_intent',
        input,
        ({ created, customer }) =>
          within(input.created, created) && (input.customer === undefined || input.customer === customer),
      ),
  }),
  operation({
    method: 'GET',
    path: '/v1/payment_intents/:id',
    rule: 'payment_intents',
    params: params({ expand, client_secret: maybe(text()) }),
    run: (payments, _input, { id }) => at(payments.tables.intents, id, 'payment_intent', 'intent'),
  }),
];
