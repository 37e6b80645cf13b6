// What may have changed since a message was accepted, looked at once more before it leaves: nothing is handed over for
// somebody who is suppressed or has withdrawn by then.
import type { TenantTx } from '../../platform/db/database.ts';
import type { ErrorCode } from '../../platform/errors.ts';
import { consentsOf, type Standing, standingSuppressions } from '../consent/index.ts';
import type { ConsentPurpose, ConsentSummary } from '../contacts/index.ts';
import type { LiveMessage } from './live-messages.ts';

/** Why each of these may not leave; those that may are missing. */
export async function lookOnceMore(t: TenantTx, messages: LiveMessage[]): Promise<Map<string, ErrorCode>> {
  const contactSids = [...new Set(messages.map(({ contactSid }) => contactSid))];
  const [suppressions, consents] = await Promise.all([
    standingSuppressions(t, contactSids),
    consentsOf(t, contactSids),
  ]);
  const refusals = new Map<string, ErrorCode>();
  for (const message of messages) {
    const refusal =
      suppressed(message, suppressions.get(message.contactSid) ?? []) ??
      withdrawn(message, consents.get(message.contactSid));
    if (refusal) refusals.set(message.sid, refusal);
  }
  return refusals;
}

const ownWish = new Set(['CUSTOMER_OPT_OUT', 'PROVIDER_MARKETING_OPT_OUT', 'KEYWORD_OPT_OUT']);

function suppressed({ category, senderSid }: LiveMessage, standing: Standing[]): ErrorCode | null {
  const concerned = standing.filter((one) => one.senderSid === null || one.senderSid === senderSid);
  if (concerned.some(({ scope }) => scope === 'ALL')) return 'CONTACT_SUPPRESSED';
  const marketing = concerned.find(({ scope }) => scope === 'MARKETING');
  if (!marketing || category !== 'marketing') return null;
  return ownWish.has(marketing.reason) ? 'RECIPIENT_OPTED_OUT' : 'CONTACT_SUPPRESSED';
}

const purposes: Record<string, ConsentPurpose> = {
  marketing: 'MARKETING',
  utility: 'TRANSACTIONAL',
  authentication: 'AUTHENTICATION',
  service: 'SUPPORT',
};

function withdrawn({ category }: LiveMessage, consents: ConsentSummary | undefined): ErrorCode | null {
  const status = consents?.[purposes[category ?? 'service']!].status ?? 'UNKNOWN';
  if (category === 'marketing') return status === 'OPTED_IN' ? null : 'CONSENT_REQUIRED';
  return status === 'OPTED_OUT' || status === 'REVOKED' ? 'CONSENT_REQUIRED' : null;
}
