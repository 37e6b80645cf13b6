import type { Standing } from '../../consent/index.ts';
import { fail, type Gate, isUnusable, pass } from './case.ts';
import { concerning, isRiskBlock } from './suppression.ts';

/** The block for risk that stands against messages from this sender, whatever its scope. */
export const riskBlock = (senderSid: string | null, suppressions: readonly Standing[]) =>
  concerning(senderSid, suppressions).find(isRiskBlock);

export const risk: Gate = {
  name: 'risk',
  judge({ sender, suppressions }) {
    const block = riskBlock(isUnusable(sender) ? null : sender.sid, suppressions);
    if (!block) return pass();
    const { sid: suppressionSid, scope, senderSid } = block;
    return fail('RISK_BLOCKED', { suppressionSid, scope, senderSid });
  },
};
