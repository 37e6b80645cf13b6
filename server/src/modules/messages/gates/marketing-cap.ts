import { fail, type Gate, pass, skip } from './case.ts';

/** The provider limits how much marketing a person gets from everybody; what it last said of somebody is remembered. */
export const marketingCap: Gate = {
  name: 'marketing_cap',
  judge({ draft, now, cappedUntil }, { category }) {
    if (category !== 'marketing') return skip();
    const evidence = { cappedUntil: cappedUntil?.toISOString() ?? null };
    if (cappedUntil === null || cappedUntil <= (draft.sendAt ?? now)) return pass(evidence);
    if (!draft.deferIfCapped) return fail('RECIPIENT_MARKETING_CAP', evidence);
    return { outcome: 'warn', code: 'RECIPIENT_MARKETING_CAP', evidence };
  },
};
