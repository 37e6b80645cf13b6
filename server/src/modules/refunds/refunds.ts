// The rows of refunds: stored, moved and shown.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { principalName } from '../../platform/principal.ts';
import type { Refund } from './schema.ts';
import { followers, type RefundState } from './states.ts';

export type RefundRow = Pick<
  Refund,
  'id' | 'reason' | 'approvalSid' | 'operationSid' | 'paymentIntentId' | 'invoiceSid' | 'failure'
> & {
  state: RefundState;
  walletId: string;
  currency: string;
  scale: number;
  amountMinor: string;
  /** Null where the money comes out of an invoice's credit. */
  taxMinor: string | null;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
};

const columns = sql`id, state, reason, approval_sid as "approvalSid", operation_sid as "operationSid",
  wallet_id as "walletId", payment_intent_id as "paymentIntentId", invoice_sid as "invoiceSid",
  currency, scale, amount_minor as "amountMinor", tax_minor as "taxMinor", failure, created_by as "createdBy",
  created_at as "createdAt", updated_at as "updatedAt"`;

export type NewRow = Pick<
  RefundRow,
  | 'id'
  | 'reason'
  | 'approvalSid'
  | 'operationSid'
  | 'walletId'
  | 'paymentIntentId'
  | 'invoiceSid'
  | 'currency'
  | 'scale'
> & { amountMinor: bigint; taxMinor: bigint | null };

export const insertRefund = (t: TenantTx, made: NewRow): Promise<RefundRow> =>
  t.one<RefundRow>(sql`
    insert into refunds (account_sid, livemode, id, state, reason, approval_sid, operation_sid, wallet_id, payment_intent_id,
      invoice_sid, currency, scale, amount_minor, tax_minor, created_by, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${made.id}, 'pending', ${made.reason}, ${made.approvalSid},
      ${made.operationSid}, ${made.walletId}, ${made.paymentIntentId}, ${made.invoiceSid},
      ${made.currency}, ${made.scale}, ${made.amountMinor}, ${made.taxMinor}, ${principalName(t.principal)}, ${t.now},
      ${t.now})
    returning ${columns}`);

export const findRefund = (t: TenantTx, id: string): Promise<RefundRow | undefined> =>
  t.maybe<RefundRow>(sql`
    select ${columns} from refunds
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id}`);

export const lockRefund = (t: TenantTx, id: string): Promise<RefundRow | undefined> =>
  t.maybe<RefundRow>(sql`
    select ${columns} from refunds
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id} for update`);

/** Those of a payment that were not refused: the caller has locked the payment. */
export const standingRefunds = (t: TenantTx, paymentIntentId: string): Promise<RefundRow[]> =>
  t.many<RefundRow>(sql`
    select ${columns} from refunds
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and payment_intent_id = ${paymentIntentId}
       and state <> 'failed'
     order by id`);

/** Null where that state does not follow, as from news that come late. */
export async function moveRefund(
  t: TenantTx,
  from: RefundRow,
  state: RefundState,
  failure: string | null,
): Promise<RefundRow | null> {
  if (!followers[from.state].includes(state)) return null;
  const moved = await t.maybe<RefundRow>(sql`
    update refunds set state = ${state}, failure = ${failure}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${from.id} and state = ${from.state}
    returning ${columns}`);
  return moved ?? null;
}

export const toRefund = (t: TenantTx, row: RefundRow): Refund => ({
  object: 'refund',
  id: row.id,
  accountSid: t.accountSid,
  livemode: t.livemode,
  state: row.state,
  reason: row.reason,
  amount: { amountMinor: row.amountMinor, currency: row.currency, scale: row.scale },
  paymentIntentId: row.paymentIntentId,
  invoiceSid: row.invoiceSid,
  approvalSid: row.approvalSid,
  operationSid: row.operationSid,
  failure: row.failure,
  createdBy: row.createdBy,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

export async function getRefund(t: TenantTx, id: string): Promise<Refund> {
  const row = await findRefund(t, id);
  if (!row) throw new ApiError('NOT_FOUND');
  return toRefund(t, row);
}

export async function listRefunds(t: TenantTx, pager: Pager) {
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<RefundRow>(sql`
    select ${columns} from refunds
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and (${before}::uuid is null or id < ${before})
     order by id desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ id }) => [id],
    (row) => toRefund(t, row),
  );
}
