// What one message would cost, asked before there is one.
import type { TenantTx } from '../../../platform/db/database.ts';
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import type { Part } from '../../../platform/http/operations/operation.ts';
import { money, toWire } from '../../../platform/money.ts';
import { findOwners, type Identifier, type IdentifierType, judgeIdentifier } from '../../contacts/index.ts';
import { windowsOf } from '../../conversations/index.ts';
import { requireSender } from '../../senders/index.ts';
import { loadWabas } from '../../wabas/index.ts';
import { expectedPricingType, isFreeAt, marketOf, type Occasion } from './pricing-rules.ts';
import { upper } from './rate-cards.ts';
import { type Category, categories, loadRates, priceOf, type Transport } from './rates.ts';
import type { MessageQuote, QuoteRequest } from './schema.ts';

/** What is asked for has no issues. */
export async function quoteMessage(t: TenantTx, request: QuoteRequest): Promise<MessageQuote> {
  const { category, transport, identifier } = readRequest(request);
  const { wabaSid } = await requireSender(t, request.senderSid, 'senderSid');
  const rates = await loadRates(t);
  const standing = await standingWith(t, request.senderSid, identifier);
  const pricingType = expectedPricingType({ category, ...standing, at: t.now });
  const waba = wabaSid === null ? undefined : (await loadWabas(t, [wabaSid])).get(wabaSid);
  const priced = { category, pricingType, transport, market: marketOf(identifier) };
  const quote = priceOf(rates, priced, waba?.billingMode);
  const price = (amountMinor: bigint) => toWire(money(amountMinor, quote.currency, quote.scale));
  return {
    object: 'message_quote',
    accountSid: t.accountSid,
    livemode: t.livemode,
    senderSid: request.senderSid,
    recipient: { identifierType: request.identifierType, value: identifier.value },
    category: upper(category),
    pricingType,
    transport: upper(transport),
    market: quote.market,
    rateCardVersion: quote.rateCardVersion,
    lines: quote.lines.map(({ kind, amountMinor }) => ({ kind, price: price(amountMinor) })),
    total: price(quote.totalMinor),
    createdAt: t.now.toISOString(),
  };
}

// A quote names no portfolio, and the price of a BSUID depends on none.
const anyScope = '*';

const categoryOf = (word: string) => categories.find((known) => upper(known) === word);

function recipientOf({
  identifierType: type,
  recipient,
}: Pick<QuoteRequest, 'identifierType' | 'recipient'>) {
  const identifierType = type.toLowerCase() as IdentifierType;
  const scopeRef = identifierType === 'bsuid' ? anyScope : null;
  const given = { identifierType, value: recipient, scopeRef };
  return judgeIdentifier(given, { value: 'recipient', scopeRef: 'recipient' });
}

/** Everything that is wrong with it, at once. */
export function issuesOfQuote({ category, transport, identifierType, recipient }: Part<QuoteRequest>) {
  const details: ErrorDetail[] = [];
  if (identifierType !== undefined && recipient !== undefined)
    details.push(...recipientOf({ identifierType, recipient }).details);
  if (category !== undefined && !categoryOf(category))
    details.push({ path: 'category', issue: `must be one of ${categories.map(upper).join(', ')}` });
  if (transport === 'MARKETING_MESSAGES' && category !== undefined && categoryOf(category) !== 'marketing')
    details.push({ path: 'transport', issue: 'carries only messages of the category MARKETING' });
  return details;
}

function readRequest(request: QuoteRequest): {
  category: Category;
  transport: Transport;
  identifier: Identifier;
} {
  const transport = (request.transport ?? 'CLOUD_API').toLowerCase() as Transport;
  return { category: categoryOf(request.category)!, transport, identifier: recipientOf(request).identifier };
}

/** What the recipient may be sent freely and for nothing, whichever of its contacts wrote. */
async function standingWith(
  t: TenantTx,
  senderSid: string,
  { identifierType, value }: Identifier,
): Promise<Pick<Occasion, 'windowOpen' | 'entryPointOpen'>> {
  const owners = await findOwners(t, { values: [value], identifierType, scopeRef: null });
  const windowOf = await windowsOf(
    t,
    owners.map((contactSid) => ({ senderSid, contactSid })),
  );
  const windows = owners.map((contactSid) => windowOf({ senderSid, contactSid }));
  return {
    windowOpen: windows.some(({ open }) => open),
    entryPointOpen: windows.some(({ freeUntil }) => isFreeAt(freeUntil, t.now)),
  };
}
