import { type Category, fail, type Gate, isUnusable, pass } from './case.ts';
import type { Against } from './standing.ts';

/** Reasons by which the person themselves asked to be left alone. */
export const optOuts: ReadonlySet<string> = new Set([
  'CUSTOMER_OPT_OUT',
  'PROVIDER_MARKETING_OPT_OUT',
  'KEYWORD_OPT_OUT',
]);

export const isRiskBlock = ({ reason }: Against) => reason === 'RISK_BLOCK';

type Obstacle = { code: 'CONTACT_SUPPRESSED' | 'RECIPIENT_OPTED_OUT'; standing: Against };

/** One without a sender holds for all of them. */
export const concerning = (senderSid: string | null, suppressions: readonly Against[]) =>
  suppressions.filter((one) => one.senderSid === null || one.senderSid === senderSid);

/** What stands against a message of this category from this sender; null when nothing does. */
export function obstacleTo(
  category: Category,
  senderSid: string | null,
  suppressions: readonly Against[],
): Obstacle | null {
  // A block for risk is told as such, by the gate of risk.
  const concerned = concerning(senderSid, suppressions).filter((one) => !isRiskBlock(one));
  const everything = concerned.find(({ scope }) => scope === 'ALL');
  if (everything) return { code: 'CONTACT_SUPPRESSED', standing: everything };
  const marketing = concerned.find(({ scope }) => scope === 'MARKETING');
  if (!marketing || category !== 'marketing') return null;
  const code = optOuts.has(marketing.reason) ? 'RECIPIENT_OPTED_OUT' : 'CONTACT_SUPPRESSED';
  return { code, standing: marketing };
}

export const suppression: Gate = {
  name: 'suppression',
  judge({ sender, suppressions }, { category }) {
    const senderSid = isUnusable(sender) ? null : sender.sid;
    const obstacle = obstacleTo(category, senderSid, suppressions);
    if (obstacle) return fail(obstacle.code, told(obstacle.standing));
    return pass({ suppressions: concerning(senderSid, suppressions).length });
  },
};

const told = ({ sid, reason, scope, senderSid, requestSid }: Against) => ({
  suppressionSid: sid,
  reason,
  scope,
  senderSid,
  ...(requestSid !== undefined && { requestSid }),
});
