// What sending would say, and what it would cost, without sending.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError, errorBody, errorPageOf } from '../../../platform/errors/errors.ts';
import type { Submission } from '../drafts/read-message.ts';
import { type Case, isUnusable, type Resolved } from '../gates/case.ts';
import { judge } from '../gates/judge.ts';
import type { Preflight, RefusedMessage } from '../schema.ts';
import { openCases } from './open-cases.ts';

/**
 * A body that says nothing sensible, and whoever may not say it, is refused as sending refuses it; every other verdict is
 * an answer.
 */
export async function preflightMessages(
  t: TenantTx,
  submissions: readonly Submission[],
): Promise<(Preflight | ApiError)[]> {
  const cases = await openCases(t, submissions, { toSend: false });
  return cases.map((one) => (one instanceof ApiError ? one : report(t, one)));
}

function report(t: TenantTx, c: Case): Preflight {
  const { refusal, checks, resolved } = judge(c, true);
  return {
    object: 'preflight',
    accountSid: t.accountSid,
    livemode: t.livemode,
    accepted: refusal === null,
    checks,
    error: refusal && refusalOf(t, refusal),
    resolved: describe(c, resolved),
    cost: costOf(resolved),
    wouldSendAt: refusal ? null : resolved.dueAt.toISOString(),
  };
}

/** A refusal inside an answer. */
export function refusalOf(t: TenantTx, refusal: ApiError): RefusedMessage {
  const { error } = errorBody(refusal, { docsUrl: errorPageOf(t.site) });
  return { ...error, details: error.details ?? [] };
}

function describe(c: Case, { category }: Resolved): Preflight['resolved'] {
  const { sender, recipient, draft, window } = c;
  const known = isUnusable(recipient) ? null : recipient;
  return {
    senderSid: isUnusable(sender) ? null : sender.sid,
    contactSid: known?.contactSid ?? null,
    identifier: known?.identifier ?? null,
    conversationSid: c.conversationSid,
    category,
    transport: draft.transport,
    window,
  };
}

function costOf({ quote }: Resolved): Preflight['cost'] {
  if (!quote) return null;
  const money = (amount: bigint) => ({
    amountMinor: amount.toString(),
    currency: quote.currency,
    scale: quote.scale,
  });
  return {
    total: money(quote.totalMinor),
    lines: quote.lines.map(({ kind, amountMinor }) => ({ kind, amount: money(amountMinor) })),
    pricingType: quote.pricingType,
    market: quote.market,
    rateCardVersion: quote.rateCardVersion,
  };
}
