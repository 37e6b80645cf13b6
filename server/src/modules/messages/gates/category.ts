import { decideCapability } from '../../provider/index.ts';
import { type Case, fail, type Gate, pass } from './case.ts';

export const category: Gate = {
  name: 'category',
  judge(c, { category: derived }) {
    const { draft, template } = c;
    const evidence = { category: derived, transport: draft.transport, templateSid: template?.sid ?? null };
    const mismatch = (path: string, issue: string) => fail('VALIDATION_ERROR', evidence, [{ path, issue }]);
    if (draft.category && draft.category !== derived) {
      return mismatch('category', `must be ${derived} for this content, or be left out`);
    }
    if (draft.transport === 'marketing_messages' && derived !== 'marketing') {
      return fail('TRANSPORT_CATEGORY_MISMATCH', evidence);
    }
    if (draft.transport === 'marketing_messages' && isNotOnboarded(c)) {
      const marketingMessages = c.waba?.marketingMessages ?? null;
      return fail('MARKETING_MESSAGES_NOT_ONBOARDED', { ...evidence, marketingMessages });
    }
    const tells = template?.messageSendTtlSeconds ?? null;
    if (draft.ttlSeconds !== null && tells !== null && draft.ttlSeconds !== tells) {
      // The provider knows no time to live of a message, only that of its template.
      return mismatch('transportOptions.ttlSeconds', `must be ${tells}, as the template tells the provider`);
    }
    if (draft.deferIfCapped && derived !== 'marketing') {
      return mismatch('deferIfCapped', 'goes with marketing only');
    }
    return pass(evidence);
  },
};

/** Why a business account can send nothing at all is the sender's gate to tell. */
const isNotOnboarded = ({ waba, now, apiVersion }: Case): boolean =>
  waba !== null &&
  decideCapability('MARKETING_MESSAGES', { waba, now, apiVersion }).errorCode ===
    'MARKETING_MESSAGES_NOT_ONBOARDED';
