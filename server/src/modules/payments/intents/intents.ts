// Payments as they stand. A payment's row is the one lock around what the service tells of it, refunds and disputes; whoever
// also needs the wallet locks it afterwards.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { type Money, money, toWire } from '../../../platform/money.ts';
import type { TaxLine } from '../../billing-documents/index.ts';
import type { PaymentCard, PaymentFailure } from '../ports.ts';
import type { PaymentIntentResource, PaymentQuery } from '../schema.ts';
import { isOpen, isPaid, type PaymentState, paymentStates } from '../states.ts';

/** A payment. Amounts are in minor units of the currency itself. */
export type Intent = {
  id: string;
  purpose: 'top_up' | 'invoice';
  provider: 'stripe' | 'transfer';
  state: PaymentState;
  walletId: string;
  currency: string;
  scale: number;
  amountMinor: bigint;
  netMinor: bigint;
  taxMinor: bigint;
  taxLines: TaxLine[];
  refundedMinor: bigint;
  /** Asked for and not decided. */
  refundingMinor: bigint;
  disputedMinor: bigint;
  feeMinor: bigint | null;
  description: string;
  invoiceSid: string | null;
  operationSid: string | null;
  receiptSid: string | null;
  saveCard: boolean;
  sealedToken: Buffer | null;
  customerId: string | null;
  methodId: string | null;
  paymentId: string | null;
  chargeId: string | null;
  card: PaymentCard | null;
  failure: PaymentFailure | null;
  parked: string | null;
  cancelAskedAt: string | null;
  expiresAt: string | null;
  succeededAt: string | null;
  createdAt: string;
  updatedAt: string;
};

type BigFields =
  | 'amountMinor'
  | 'netMinor'
  | 'taxMinor'
  | 'refundedMinor'
  | 'refundingMinor'
  | 'disputedMinor'
  | 'feeMinor';
export type IntentRow = Omit<Intent, BigFields> & {
  netMinor: string;
  taxMinor: string;
  refundedMinor: string;
  refundingMinor: string;
  disputedMinor: string;
  feeMinor: string | null;
};

export const intentColumns = sql`id, purpose, provider, state, wallet_id as "walletId", currency, scale,
  net_minor as "netMinor", tax_minor as "taxMinor", tax_lines as "taxLines", refunded_minor as "refundedMinor",
  refunding_minor as "refundingMinor", disputed_minor as "disputedMinor", fee_minor as "feeMinor",
  description, invoice_sid as "invoiceSid", operation_sid as "operationSid", receipt_sid as "receiptSid", save_card as "saveCard",
  sealed_token as "sealedToken", customer_id as "customerId", method_id as "methodId", payment_id as "paymentId", charge_id as "chargeId", card,
  failure, parked, cancel_asked_at as "cancelAskedAt", expires_at as "expiresAt", succeeded_at as "succeededAt", created_at as "createdAt",
  updated_at as "updatedAt"`;

export function toIntent(row: IntentRow): Intent {
  const netMinor = BigInt(row.netMinor);
  const taxMinor = BigInt(row.taxMinor);
  return {
    ...row,
    netMinor,
    taxMinor,
    amountMinor: netMinor + taxMinor,
    refundedMinor: BigInt(row.refundedMinor),
    refundingMinor: BigInt(row.refundingMinor),
    disputedMinor: BigInt(row.disputedMinor),
    feeMinor: row.feeMinor === null ? null : BigInt(row.feeMinor),
  };
}

export const intentAt = (t: TenantTx, id: string) =>
  sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id}`;

export async function findIntent(t: TenantTx, id: string): Promise<Intent | null> {
  const row = await t.maybe<IntentRow>(
    sql`select ${intentColumns} from payment_intents where ${intentAt(t, id)}`,
  );
  return row ? toIntent(row) : null;
}

/** The payment, locked until the transaction ends; NOT_FOUND for one that is not this account's. */
export async function lockIntent(t: TenantTx, id: string): Promise<Intent> {
  const row = await t.maybe<IntentRow>(sql`
    select ${intentColumns} from payment_intents where ${intentAt(t, id)} for update`);
  if (!row) throw new ApiError('NOT_FOUND');
  return toIntent(row);
}

/** Those that paid, or were to pay, an invoice, the oldest first. */
export async function intentsOfInvoice(t: TenantTx, invoiceSid: string): Promise<Intent[]> {
  const rows = await t.many<IntentRow>(sql`
    select ${intentColumns} from payment_intents
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and invoice_sid = ${invoiceSid} order by id`);
  return rows.map(toIntent);
}

/** What of a payment can still be given back: nothing that is being given back, or that a bank has taken. */
export function refundableOf(intent: Intent): bigint {
  if (!isPaid(intent.state)) return 0n;
  const left = intent.amountMinor - intent.refundedMinor - intent.refundingMinor - intent.disputedMinor;
  return left > 0n ? left : 0n;
}

export const moneyOf = (
  { currency, scale }: Pick<Intent, 'currency' | 'scale'>,
  amountMinor: bigint,
): Money => money(amountMinor, currency, scale);

export const tokenContext = (accountSid: string, id: string) => `payment link ${accountSid} ${id}`;

/** Where somebody pays it; null when nobody can any more. */
export function hostedUrlOf(t: TenantTx, { id, state, sealedToken }: Intent): string | null {
  if (!sealedToken || !isOpen(state)) return null;
  const token = t.sealer.open(sealedToken, tokenContext(t.accountSid, id)).toString('utf8');
  return `${t.site.publicUrl}/pay/${token}`;
}

export function toPayment(t: TenantTx, intent: Intent): PaymentIntentResource {
  const wire = (amountMinor: bigint) => toWire(moneyOf(intent, amountMinor));
  return {
    object: 'payment_intent',
    id: intent.id,
    accountSid: t.accountSid,
    livemode: t.livemode,
    purpose: intent.purpose,
    state: intent.state,
    amount: wire(intent.amountMinor),
    net: wire(intent.netMinor),
    tax: wire(intent.taxMinor),
    refunded: wire(intent.refundedMinor),
    disputed: wire(intent.disputedMinor),
    hostedUrl: hostedUrlOf(t, intent),
    card: intent.card,
    invoiceSid: intent.invoiceSid,
    receiptSid: intent.receiptSid,
    failure: intent.failure,
    provider: intent.provider,
    expiresAt: intent.expiresAt,
    succeededAt: intent.succeededAt,
    createdAt: intent.createdAt,
    updatedAt: intent.updatedAt,
  };
}

/** The newest first. A state that there is not is that of no payment. */
export async function listPayments(t: TenantTx, { state }: PaymentQuery, pager: Pager) {
  const before = pager.after?.[0] ?? null;
  const unknown = state !== undefined && !(paymentStates as readonly string[]).includes(state);
  const rows = unknown
    ? []
    : await t.many<IntentRow>(sql`
    select ${intentColumns} from payment_intents
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and (${state ?? null}::text is null or state = ${state ?? null})
       and (${before}::uuid is null or id < ${before}::uuid)
     order by id desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ id }) => [id],
    (row) => toPayment(t, toIntent(row)),
  );
}
