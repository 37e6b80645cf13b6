import { type Case, fail, type Gate, isUnusable, pass } from './case.ts';

/** Reasons by which the person themselves asked to be left alone. */
const optOuts = new Set(['CUSTOMER_OPT_OUT', 'PROVIDER_MARKETING_OPT_OUT', 'KEYWORD_OPT_OUT']);

export const suppression: Gate = {
  name: 'suppression',
  judge(c, { category }) {
    const standing = c.suppressions.filter(({ senderSid }) => senderSid === null || senderSid === sidOf(c));
    const everything = standing.find(({ scope }) => scope === 'ALL');
    if (everything) return fail('CONTACT_SUPPRESSED', told(everything));
    const marketing = standing.find(({ scope }) => scope === 'MARKETING');
    if (!marketing || category !== 'marketing') return pass({ suppressions: standing.length });
    const code = optOuts.has(marketing.reason) ? 'RECIPIENT_OPTED_OUT' : 'CONTACT_SUPPRESSED';
    return fail(code, told(marketing));
  },
};

const sidOf = ({ sender }: Case) => (isUnusable(sender) ? null : sender.sid);

const told = ({ sid, reason, scope, senderSid }: Case['suppressions'][number]) => ({
  suppressionSid: sid,
  reason,
  scope,
  senderSid,
});
