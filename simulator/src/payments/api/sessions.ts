// Checkout sessions: pages on which somebody pays once, by card.
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
import { at, invalid, missing } from '../http/problems.ts';
import { operation } from '../http/serve.ts';
import { expireSession } from '../moves/sessions.ts';
import { type LineInput, makeSession } from '../objects/new-session.ts';
import { later, nowS, type Payments } from '../objects/payments.ts';
import type { SessionRow } from '../objects/rows.ts';
import { requireCustomer } from './customers.ts';

const futureUsage = words('off_session', 'on_session');

const createParams = params({
  mode: words('payment'),
  success_url: url,
  cancel_url: maybe(url),
  line_items: maybe(
    list(
      params({
        quantity: maybe(whole(1, 999_999)),
        price_data: params({
          currency,
          unit_amount: whole(0),
          tax_behavior: maybe(words('exclusive', 'inclusive', 'unspecified')),
          product_data: params({
            name: text(),
            description: maybe(text()),
            images: maybe(list(url, 8)),
            tax_code: maybe(text()),
            metadata,
          }),
        }),
      }),
    ),
  ),
  customer: maybe(text()),
  customer_email: maybe(text(512)),
  customer_creation: maybe(words('always', 'if_required')),
  client_reference_id: maybe(text(200)),
  expires_at: maybe(whole(0)),
  locale: maybe(text(10)),
  submit_type: maybe(words('auto', 'book', 'donate', 'pay', 'subscribe')),
  ui_mode: maybe(words('hosted_page')),
  payment_method_types: maybe(list(words('card'))),
  allowed_payment_method_types: maybe(list(words('card'))),
  payment_intent_data: maybe(
    params({
      setup_future_usage: maybe(futureUsage),
      metadata,
      description: maybe(text(1_000)),
      receipt_email: maybe(text(512)),
      statement_descriptor: maybe(text(22)),
      capture_method: maybe(words('automatic', 'automatic_async')),
    }),
  ),
  payment_method_options: maybe(
    params({
      card: maybe(
        params({
          setup_future_usage: maybe(futureUsage),
          request_three_d_secure: maybe(words('any', 'automatic', 'challenge')),
        }),
      ),
    }),
  ),
  billing_address_collection: maybe(words('auto', 'required')),
  allow_promotion_codes: maybe(flag),
  metadata,
  expand,
});
type CreateInput = Read<typeof createParams>;

const leastLifeS = 30 * 60;
const mostLifeS = 24 * 3600;

function create(payments: Payments, input: CreateInput): SessionRow {
  const lines = linesOf(input);
  if (input.customer && input.customer_email)
    throw invalid(
      'You may only specify one of these parameters: customer, customer_email.',
      'customer_email',
    );
  const customer = input.customer === undefined ? null : requireCustomer(payments, input.customer);
  const intent = input.payment_intent_data;
  const usage = intent?.setup_future_usage ?? input.payment_method_options?.card?.setup_future_usage;
  const expiresAt = expiryOf(payments, input.expires_at);
  const session = makeSession(payments, {
    customer,
    customerEmail: input.customer_email ?? null,
    customerCreation: input.customer_creation ?? 'if_required',
    clientReferenceId: input.client_reference_id ?? null,
    successUrl: input.success_url,
    cancelUrl: input.cancel_url ?? null,
    expiresAt,
    locale: input.locale ?? null,
    metadata: input.metadata,
    submitType: input.submit_type ?? null,
    allowedTypes: input.allowed_payment_method_types ?? null,
    lines,
    plan: {
      setupFutureUsage: usage ?? null,
      intentMetadata: intent?.metadata ?? {},
      description: intent?.description ?? null,
      statementDescriptor: intent?.statement_descriptor ?? null,
      receiptEmail: intent?.receipt_email ?? null,
    },
  });
  const lifeMs = expiresAt * 1000 - payments.timeline.nowMs();
  later(payments, 'expire', session.id, lifeMs, { lasting: true });
  return session;
}

function linesOf({ line_items: items }: CreateInput): LineInput[] {
  if (items === undefined || items.length === 0) throw missing('line_items');
  const lines = items.map(({ quantity, price_data: price }, at) => {
    if (quantity === undefined) throw missing(`line_items[${at}][quantity]`);
    return {
      name: price.product_data.name,
      description: price.product_data.description ?? null,
      currency: price.currency,
      unitAmount: price.unit_amount,
      quantity,
      taxBehavior: price.tax_behavior ?? null,
    };
  });
  const [{ currency: first }] = lines as [LineInput];
  if (lines.some((line) => line.currency !== first))
    throw invalid('All line items must have the same currency.', 'line_items');
  const total = lines.reduce((sum, { unitAmount, quantity }) => sum + unitAmount * quantity, 0);
  checkAmount(total, first, 'line_items', "The Checkout Session's total amount");
  return lines;
}

function expiryOf(payments: Payments, asked: number | undefined): number {
  const nowInS = nowS(payments);
  if (asked === undefined) return nowInS + mostLifeS;
  const bound = (words_: string) =>
    invalid(`The \`expires_at\` timestamp must be ${words_} from Checkout Session creation.`, 'expires_at');
  if (asked < nowInS + leastLifeS) throw bound('at least 30 minutes');
  if (asked > nowInS + mostLifeS) throw bound('less than 24 hours');
  return asked;
}

const sessionAt = ({ tables }: Payments, id: string): SessionRow =>
  at(tables.sessions, id, 'checkout.session', 'session');

export const sessionOperations = [
  operation({
    method: 'POST',
    path: '/v1/checkout/sessions',
    rule: 'checkout/sessions',
    params: createParams,
    run: create,
  }),
  operation({
    method: 'GET',
    path: '/v1/checkout/sessions',
    rule: 'checkout/sessions',
    params: params({
      ...pageParams,
      ...createdParam,
      customer: maybe(text()),
      payment_intent: maybe(text()),
      status: maybe(words('open', 'complete', 'expired')),
    }),
    run: ({ tables }, input) =>
      pageOf(
        tables.sessions,
        '/v1/checkout/sessions',
        'checkout.session',
        input,
        (session) =>
          within(input.created, session.created) &&
          (input.customer === undefined || session.customer === input.customer) &&
          (input.payment_intent === undefined || session.payment_intent === input.payment_intent) &&
          (input.status === undefined || session.status === input.status),
      ),
  }),
  operation({
    method: 'GET',
    path: '/v1/checkout/sessions/:id',
    rule: 'checkout/sessions',
    params: params({ expand }),
    run: (payments, _input, { id }) => sessionAt(payments, id),
  }),
  operation({
    method: 'GET',
    path: '/v1/checkout/sessions/:id/line_items',
    rule: 'checkout/sessions',
    params: params(pageParams),
    run(payments, input, { id }) {
      const { lineItems } = payments.tables.plans.get(sessionAt(payments, id).id)!;
      // In the order they were given, which of a table is the newest last.
      const table = new Map(lineItems.toReversed().map((item) => [item.id, item]));
      return pageOf(table, `/v1/checkout/sessions/${id}/line_items`, 'item', input, () => true);
    },
  }),
  operation({
    method: 'POST',
    path: '/v1/checkout/sessions/:id/expire',
    rule: 'checkout/sessions',
    params: params({ expand }),
    run(payments, _input, { id }) {
      const session = sessionAt(payments, id);
      if (!expireSession(payments, session))
        throw invalid(
          `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
        );
      return session;
    },
  }),
];
