// A price the provider named that is not what was charged. What the account paid too much is given back at once, and the case is
// settled with it; what it paid too little waits for a decision.
import type { TenantTx } from '../../../platform/db/database.ts';
import { money } from '../../../platform/money.ts';
import { audit } from '../../audit/index.ts';
import type { PricedAs } from '../../billing/index.ts';
import type { BilledMessage } from '../../messages/index.ts';
import { adjustCharge, chargedFor, lockCharged } from './adjustments.ts';
import { lockCase, settleCase } from './cases.ts';
import { openCase } from './open-cases.ts';
import { pricesOf } from './reprice.ts';
import type { Source } from './schema.ts';

export type DoubtedMessage = {
  message: BilledMessage;
  wabaSid: string | null;
  /** What the message costs the account, priced as the provider says on the message's own card. */
  reportedMinor: bigint;
  as: PricedAs;
  source: Source;
};

export async function fileDoubtedPrice(t: TenantTx, doubted: DoubtedMessage): Promise<void> {
  const { message, wabaSid, reportedMinor, as, source } = doubted;
  const charged = (await chargedFor(t, [message])).get(message.sid)!;
  if (charged.minor === reportedMinor) return;
  const opened = await openCase(t, {
    fingerprint: `price/${message.sid}/${reportedMinor}`,
    outcome: charged.released ? 'unexpected_provider_charge' : 'amount_mismatch',
    source,
    wabaSid,
    bucket: null,
    currency: message.currency,
    scale: message.scale,
    messages: [
      {
        reference: message.sid,
        messageSid: message.sid,
        proven: true,
        expected: { messages: 1, minor: charged.minor },
        reported: { messages: 1, minor: reportedMinor },
      },
    ],
    findings: [
      `The provider priced it as ${as.category}, ${as.pricingType.toLowerCase()}, ${
        charged.released
          ? 'after what was held for it had been given back'
          : 'and it had been charged otherwise'
      }.`,
    ],
  });
  if (opened && reportedMinor < charged.minor) await giveBack(t, opened.sid, doubted);
}

async function giveBack(
  t: TenantTx,
  caseSid: string,
  { message, wabaSid, as, reportedMinor }: DoubtedMessage,
): Promise<void> {
  const locked = await lockCase(t, caseSid);
  const charged = (await lockCharged(t, [message])).get(message.sid)!;
  const differenceMinor = reportedMinor - charged.minor;
  // Put right by another case meanwhile: somebody decides what is left of this one.
  if (differenceMinor >= 0n) return;
  const quote = (await pricesOf(t, [message]))(message, as);
  // What is not charged at all has no part of the provider's, whatever the card says.
  const passThroughMinor = reportedMinor === 0n ? 0n : quote.passThroughMinor;
  await adjustCharge(t, { message, wabaSid, caseSid, amountMinor: differenceMinor, as, passThroughMinor });
  audit(t, {
    action: 'reconciliation_case.credited',
    resource: caseSid,
    facts: { messageSid: message.sid, adjustedMinor: differenceMinor.toString(), currency: message.currency },
  });
  await settleCase(t, locked, {
    decision: 'resolved',
    reason: 'The provider named a lower price, and the difference was credited.',
    evidence: { category: as.category, pricingType: as.pricingType },
    adjusted: money(differenceMinor, message.currency!, message.scale!),
  });
}
