// What is asked of the service, written down before it is asked.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { Intent } from '../intents/intents.ts';

export type Step = 'session' | 'charge' | 'refund';

export type Attempt = {
  id: string;
  intentId: string;
  step: Step;
  attempt: number;
  idempotencyKey: string;
  invoiceSid: string | null;
  refundId: string | null;
  amountMinor: string | null;
  reason: string | null;
  expiresAt: string | null;
  url: string | null;
  objectId: string | null;
  outcome: string | null;
  createdAt: string;
  answeredAt: string | null;
  resolvedAt: string | null;
};

const columns = sql`id, intent_id as "intentId", step, attempt, idempotency_key as "idempotencyKey",
  invoice_sid as "invoiceSid", refund_id as "refundId", amount_minor as "amountMinor", reason, expires_at as "expiresAt",
  url, object_id as "objectId", outcome, created_at as "createdAt", answered_at as "answeredAt",
  resolved_at as "resolvedAt"`;

/** Keys are remembered by the service for a day; within this time the same key means the same request. */
export const keyLivesMs = 23 * 3_600_000;
/** How long a page can be paid on: the service gives it a day at most, by its own clock. */
export const pageLivesMs = 23 * 3_600_000;

const environmentOf = (livemode: boolean) => (livemode ? 'live' : 'sandbox');

export const keyOf = (livemode: boolean, subject: string, step: string, attempt: number): string =>
  `godwit:${environmentOf(livemode)}:${subject}:${step}:${attempt}`;

type NewAttempt = {
  step: Step;
  attempt: number;
  refund?: { id: string; amountMinor: bigint; reason: string | null };
};

/** The next thing asked for a payment. For an invoice there is one unresolved at most: a second is a unique violation. */
export async function addAttempt(t: TenantTx, intent: Intent, asked: NewAttempt): Promise<Attempt> {
  const { step, attempt, refund } = asked;
  const stepName = refund ? `refund-${refund.id}` : step;
  const expiresAt = step === 'session' ? new Date(t.now.getTime() + pageLivesMs) : null;
  return t.one<Attempt>(sql`
    insert into payment_attempts (account_sid, livemode, id, intent_id, step, attempt, idempotency_key, invoice_sid,
      refund_id, amount_minor, reason, expires_at, created_at)
    values (${t.accountSid}, ${t.livemode}, ${newUuid(t.now)}, ${intent.id}, ${step}, ${attempt},
      ${keyOf(t.livemode, intent.id, stepName, attempt)}, ${intent.invoiceSid}, ${refund?.id ?? null},
      ${refund?.amountMinor ?? null}, ${refund?.reason ?? null}, ${expiresAt}, ${t.now})
    returning ${columns}`);
}

const here = (t: TenantTx) => sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}`;

export const findAttempt = (t: TenantTx, id: string): Promise<Attempt | undefined> =>
  t.maybe<Attempt>(sql`select ${columns} from payment_attempts where ${here(t)} and id = ${id}`);

/** All that was asked for a payment, the oldest first. */
export const attemptsOf = (t: TenantTx, intentId: string): Promise<Attempt[]> =>
  t.many<Attempt>(sql`
    select ${columns} from payment_attempts where ${here(t)} and intent_id = ${intentId} order by created_at, id`);

/** What the service made. */
export async function answerAttempt(
  t: TenantTx,
  { id }: Attempt,
  { objectId, url = null }: { objectId: string; url?: string | null },
): Promise<void> {
  await t.run(sql`
    update payment_attempts set object_id = ${objectId}, url = ${url}, answered_at = ${t.now}
     where ${here(t)} and id = ${id} and answered_at is null`);
}

/** Nothing more can come of it. */
export async function resolveAttempt(
  t: TenantTx,
  { id }: Pick<Attempt, 'id'>,
  outcome: string,
): Promise<void> {
  await t.run(sql`
    update payment_attempts set outcome = ${outcome}, answered_at = coalesce(answered_at, ${t.now}), resolved_at = ${t.now}
     where ${here(t)} and id = ${id} and resolved_at is null`);
}

/** A refund that had gone through has failed after all. */
export async function changeOutcome(
  t: TenantTx,
  { id }: Pick<Attempt, 'id'>,
  outcome: string,
): Promise<void> {
  await t.run(sql`
    update payment_attempts set outcome = ${outcome}, resolved_at = coalesce(resolved_at, ${t.now})
     where ${here(t)} and id = ${id}`);
}

/** A card is being charged for the invoice, or there is a page on which somebody could pay it now. */
export async function unresolvedOf(t: TenantTx, invoiceSid: string): Promise<Attempt | undefined> {
  return t.maybe<Attempt>(sql`
    select ${columns} from payment_attempts
     where ${here(t)} and invoice_sid = ${invoiceSid} and resolved_at is null and step <> 'refund'`);
}
