import { fail, type Gate, pass } from './case.ts';

export const category: Gate = {
  name: 'category',
  judge({ draft, template }, { category: derived }) {
    const evidence = { category: derived, transport: draft.transport, templateSid: template?.sid ?? null };
    const mismatch = (path: string, issue: string) => fail('VALIDATION_ERROR', evidence, [{ path, issue }]);
    if (draft.category && draft.category !== derived) {
      return mismatch('category', `must be ${derived} for this content, or be left out`);
    }
    if (draft.transport === 'marketing_messages' && derived !== 'marketing') {
      return fail('TRANSPORT_CATEGORY_MISMATCH', evidence);
    }
    if (draft.deferIfCapped && derived !== 'marketing') {
      return mismatch('deferIfCapped', 'goes with marketing only');
    }
    return pass(evidence);
  },
};
