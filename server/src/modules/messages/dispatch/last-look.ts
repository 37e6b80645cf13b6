// What may have changed since a message was accepted, looked at once more before it leaves: nothing is handed over for
// somebody who is suppressed, restricted or has withdrawn by then. The rules are those of the gates.
import type { TenantTx } from '../../../platform/db/database.ts';
import type { ErrorCode } from '../../../platform/errors/errors.ts';
import { consentsOf } from '../../consent/index.ts';
import { consentTo } from '../gates/consent.ts';
import { riskBlock } from '../gates/risk.ts';
import { standingAgainstNow } from '../gates/standing.ts';
import { obstacleTo } from '../gates/suppression.ts';
import type { LiveMessage } from '../states/live-messages.ts';

/** Why each of these may not leave; those that may are missing. */
export async function lookOnceMore(t: TenantTx, messages: LiveMessage[]): Promise<Map<string, ErrorCode>> {
  const contactSids = [...new Set(messages.map(({ contactSid }) => contactSid))];
  const [suppressions, consents] = await Promise.all([
    standingAgainstNow(t, contactSids),
    consentsOf(t, contactSids),
  ]);
  const refusals = new Map<string, ErrorCode>();
  for (const { sid, contactSid, senderSid, category: given } of messages) {
    const category = given ?? 'service';
    const standing = suppressions.get(contactSid) ?? [];
    const obstacle = obstacleTo(category, senderSid, standing);
    if (obstacle) refusals.set(sid, obstacle.code);
    else if (!consentTo(category, consents.get(contactSid)).agreed) refusals.set(sid, 'CONSENT_REQUIRED');
    else if (riskBlock(senderSid, standing)) refusals.set(sid, 'RISK_BLOCKED');
  }
  return refusals;
}
