// Charges the messages of a case as the provider turned out to charge them, each on the card it was accepted under: the customer asks
// for it, the operator has signed it. What was charged too much is given back, what was charged too little is taken, and the case
// is settled with it.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, type ErrorDetail } from '../../../platform/errors/errors.ts';
import type { Part } from '../../../platform/http/operations/operation.ts';
import { money } from '../../../platform/money.ts';
import { audit } from '../../audit/index.ts';
import { categories, marketOf, type PricedAs, transports } from '../../billing/index.ts';
import { type BilledMessage, billedMessages } from '../../messages/index.ts';
import { loadSenders } from '../../senders/index.ts';
import { adjustCharge, lockCharged } from '../cases/adjustments.ts';
import { lockCase, settleCase } from '../cases/cases.ts';
import { pricesOf } from '../cases/reprice.ts';
import type { ReconciliationCase } from '../cases/schema.ts';
import { isSettled } from '../cases/states.ts';
import type { RemediationPricing } from './schema.ts';
import { isSigned, remediationKeys } from './signature.ts';

/** As many as one transaction moves money for without keeping the wallet from others. */
const mostMessages = 1_000;

type Asked = { caseSid: string; signature: string; pricing: RemediationPricing };

/** The pricing has no issues. */
export async function remediatePricing(t: TenantTx, asked: Asked): Promise<ReconciliationCase> {
  const { caseSid, signature, pricing } = asked;
  const locked = await lockCase(t, caseSid);
  // Before everything that could be told about the case: a signature of its earlier version does not fit either.
  if (!isSigned(remediationKeys(t.sealer), locked, pricing, signature)) {
    throw new ApiError('AUTHORIZATION_ERROR', {
      message: 'The signature is none for this case as it stands with this pricing.',
    });
  }
  if (isSettled(locked.state)) {
    throw new ApiError('CONFLICT', { message: `The case is ${locked.state} and stays so.` });
  }
  const messages = await messagesOf(t, caseSid);
  const priced = await reprice(t, messages, pricing);
  const charged = await lockCharged(t, messages);
  refuseUnfinished(messages, (sid) => charged.get(sid)!.released);
  const senders = await loadSenders(t, [...new Set(messages.map(({ senderSid }) => senderSid))]);
  let total = 0n;
  for (const { message, as, amountMinor: priceMinor, passThroughMinor } of priced) {
    const amountMinor = priceMinor - charged.get(message.sid)!.minor;
    const wabaSid = senders.get(message.senderSid)?.wabaSid ?? null;
    if (amountMinor !== 0n)
      await adjustCharge(t, { message, wabaSid, caseSid, amountMinor, as, passThroughMinor });
    total += amountMinor;
  }
  const { currency, scale } = messages[0]!;
  const { providerEvidence, ...words } = pricing;
  audit(t, {
    action: 'reconciliation_case.remediated',
    resource: caseSid,
    facts: { messages: messages.length, adjustedMinor: total.toString(), currency, pricing: words },
  });
  return settleCase(t, locked, {
    decision: 'resolved',
    reason: 'The messages were charged as the operator confirmed.',
    evidence: { pricing: words, providerEvidence },
    adjusted: money(total, currency!, scale!),
  });
}

/** The messages that are known to be meant, up to one more than are charged anew at once. */
async function provenMessages(t: TenantTx, caseSid: string): Promise<BilledMessage[]> {
  const rows = await t.many<{ sid: string }>(sql`
    select message_sid as sid from reconciliation_case_messages
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and case_sid = ${caseSid}
       and message_sid is not null and proven
     order by reference limit ${mostMessages + 1}`);
  const sids = rows.map(({ sid }) => sid);
  return [...(await billedMessages(t, sids)).values()];
}

async function messagesOf(t: TenantTx, caseSid: string): Promise<BilledMessage[]> {
  const found = await provenMessages(t, caseSid);
  if (found.length > mostMessages) {
    throw new ApiError('CONFLICT', {
      message: `The case has more than ${mostMessages} messages, and so many are not charged anew at once.`,
    });
  }
  if (found.length === 0) {
    throw new ApiError('CONFLICT', {
      message:
        'No message of this account is known to be meant by the case: there is nothing to charge anew.',
    });
  }
  return found;
}

/** One that may still be delivered is charged by that; charging it here as well would charge it twice. */
function refuseUnfinished(messages: BilledMessage[], released: (sid: string) => boolean): void {
  const open = messages.find(({ sid, finalMinor }) => finalMinor === null && !released(sid));
  if (open) throw new ApiError('CONFLICT', { message: `Money is still held for the message ${open.sid}.` });
}

type Repriced = { message: BilledMessage; as: PricedAs; amountMinor: bigint; passThroughMinor: bigint };

async function reprice(
  t: TenantTx,
  messages: BilledMessage[],
  pricing: RemediationPricing,
): Promise<Repriced[]> {
  const { pricingType } = pricing;
  const as: PricedAs = {
    category: categoryOf(pricing.category)!,
    transport: transportOf(pricing.transport)!,
    pricingType,
  };
  const priceAs = await pricesOf(t, messages);
  return messages.map((message) => {
    const { totalMinor, passThroughMinor } = priceAs(message, as);
    return pricing.billable
      ? { message, as, amountMinor: totalMinor, passThroughMinor }
      : { message, as, amountMinor: 0n, passThroughMinor: 0n };
  });
}

const categoryOf = (word: string) => categories.find((known) => known === word.toLowerCase());
const transportOf = (word: string) => transports.find((known) => known === word.toLowerCase());

/** Everything that is wrong with the pricing, at once. */
export async function issuesOfPricing(
  t: TenantTx,
  caseSid: string | undefined,
  pricing: Part<RemediationPricing>,
): Promise<ErrorDetail[]> {
  const { category, transport, pricingModel, customerCurrency, market } = pricing;
  const details: ErrorDetail[] = [];
  const refuse = (name: keyof RemediationPricing, issue: string) =>
    details.push({ path: `pricing.${name}`, issue });
  if (category !== undefined && !categoryOf(category))
    refuse('category', `must be one of ${categories.join(', ')}`);
  if (transport !== undefined && !transportOf(transport))
    refuse('transport', `must be one of ${transports.join(', ')}`);
  if (pricingModel?.trim() === '') refuse('pricingModel', 'must not be blank');
  const messages = caseSid === undefined ? [] : await provenMessages(t, caseSid);
  const stray = messages.find(({ currency }) => (customerCurrency ?? currency) !== currency);
  if (stray) refuse('customerCurrency', `must be ${stray.currency}, in which it was charged`);
  const elsewhere = messages.find((message) => market !== undefined && !isMarketOf(message, market));
  if (elsewhere) refuse('market', `must be ${elsewhere.market}, that of the message`);
  if (!(await isPriced(t, messages, pricing)))
    refuse('transport', `carries no messages of the category ${category}`);
  return details;
}

/** Whether the cards of the messages have such a price, as far as is said which one. */
async function isPriced(
  t: TenantTx,
  messages: BilledMessage[],
  { category: categoryWord = '', transport: transportWord = '', pricingType }: Part<RemediationPricing>,
): Promise<boolean> {
  const [category, transport] = [categoryOf(categoryWord), transportOf(transportWord)];
  if (!category || !transport || !pricingType) return true;
  const onCards = messages.filter(
    ({ currency, rateCardVersion }) => currency !== null && rateCardVersion !== null,
  );
  const priceAs = await pricesOf(t, onCards);
  try {
    for (const message of onCards) priceAs(message, { category, transport, pricingType });
    return true;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return false;
  }
}

/** By the name it has on the card, or by the country of the recipient. */
const isMarketOf = ({ market, identifierType, address }: BilledMessage, given: string) =>
  given === market || given === marketOf({ identifierType, value: address });
