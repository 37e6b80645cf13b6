// A customer may not decide alone that money goes back. Somebody of the platform agrees to one refund of one amount; in the sandbox
// the platform agrees at once.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { defineApprovable } from '../../platform/http/operations/approvable.ts';
import { created } from '../../platform/http/operations/operation.ts';
import { format } from '../../platform/money.ts';
import { approveInSandbox, findApproval, type NewApproval, queueApproval } from '../approvals/index.ts';
import { moneyOf } from '../payments/index.ts';
import { resolveTarget, type Target } from './refundable.ts';
import type { NewRefund, NewRefundRequest } from './schema.ts';

type Consent = {
  invoiceSid: string | null;
  paymentIntentId: string | null;
  currency: string;
  amountMinor: string;
  reason: string;
};

/** Asks for the platform's consent, and answers with the approval that waits for it, or has it. */
export async function requestRefund(t: TenantTx, body: NewRefundRequest) {
  const { intent, amountMinor } = await resolveTarget(t, body);
  const { invoiceSid = null, paymentIntentId = null, reason } = body;
  const consent: Consent = {
    invoiceSid,
    paymentIntentId,
    currency: intent.currency,
    amountMinor: amountMinor.toString(),
    reason,
  };
  const what = invoiceSid === null ? `payment ${paymentIntentId}` : `invoice ${invoiceSid}`;
  const summary = `Refund ${format(moneyOf(intent, amountMinor))} of the ${what} (${reason})`;
  const asked = { action: refundApprovable.action, summary, request: consent };
  const approval = t.livemode ? await queueApproval(t, asked) : await agreeAtOnce(t, asked);
  return created(approval, `/v1/accounts/${t.accountSid}/approvals/${approval.sid}`);
}

async function agreeAtOnce(t: TenantTx, asked: NewApproval & { request: Consent }) {
  const { approvalSid } = await approveInSandbox(t, asked, (sid) => storeConsent(t, asked.request, sid));
  return (await findApproval(t, approvalSid))!;
}

async function storeConsent(t: TenantTx, consent: Consent, approvalSid: string) {
  const { invoiceSid, paymentIntentId, currency, amountMinor, reason } = consent;
  await t.run(sql`
    insert into refund_consents (account_sid, livemode, approval_sid, invoice_sid, payment_intent_id, currency, amount_minor,
      reason, created_at)
    values (${t.accountSid}, ${t.livemode}, ${approvalSid}, ${invoiceSid}, ${paymentIntentId}, ${currency},
      ${amountMinor}::bigint, ${reason}, ${t.now})`);
  return { approvalSid };
}

export const refundApprovable = defineApprovable<Consent>({
  action: 'refund.create',
  scope: 'platform:staff',
  run: storeConsent,
});

/** Uses the consent up for this refund, which must be the one that was agreed to. */
export async function useConsent(
  t: TenantTx,
  body: NewRefund,
  { intent, amountMinor }: Target,
  refundId: string,
): Promise<void> {
  const { approvalSid } = body;
  const consent = await t.maybe<Consent & { refundId: string | null }>(sql`
    select invoice_sid as "invoiceSid", payment_intent_id as "paymentIntentId", currency, amount_minor as "amountMinor",
      reason, refund_id as "refundId" from refund_consents
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and approval_sid = ${approvalSid} for update`);
  if (!consent) throw await unapproved(t, approvalSid);
  if (consent.refundId !== null) throw conflict('The approval was used for another refund.');
  const same =
    consent.invoiceSid === (body.invoiceSid ?? null) &&
    consent.paymentIntentId === (body.paymentIntentId ?? null) &&
    consent.currency === intent.currency &&
    BigInt(consent.amountMinor) === amountMinor &&
    consent.reason === body.reason;
  if (!same) {
    const amount = format(moneyOf(intent, BigInt(consent.amountMinor)));
    const what = consent.invoiceSid ?? consent.paymentIntentId;
    throw conflict(`The approval is for ${amount} of ${what}, ${consent.reason}.`);
  }
  await t.run(sql`
    update refund_consents set refund_id = ${refundId}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and approval_sid = ${approvalSid}`);
}

const conflict = (message: string) => new ApiError('CONFLICT', { message });

/** Nobody has agreed: not yet, not any more, or to something else. */
async function unapproved(t: TenantTx, sid: string): Promise<ApiError> {
  const approval = await findApproval(t, sid);
  const details = [{ path: 'approvalSid', issue: sid }];
  if (!approval || approval.action !== refundApprovable.action)
    return new ApiError('NOT_FOUND', {
      details: [{ path: 'approvalSid', issue: 'is no request for a refund of this account and environment' }],
    });
  if (approval.state === 'PENDING') return new ApiError('APPROVAL_REQUIRED', { details });
  return conflict(`The request for a refund is ${approval.state}.`);
}
