import { fail, type Gate, isTemplate, isUnusable, pass, skip } from './case.ts';

/** Only a template may reach somebody who has not written in the last 24 hours. */
export const serviceWindow: Gate = {
  name: 'service_window',
  judge(c) {
    const { draft, window } = c;
    const evidence = { open: window.open, expiresAt: window.expiresAt };
    if (isTemplate(c) || isUnusable(c.content)) return skip(evidence);
    // A message for later needs the window then, not now.
    const closed = !window.open || (draft.sendAt !== null && draft.sendAt > new Date(window.expiresAt!));
    return closed ? fail('SERVICE_WINDOW_CLOSED', evidence) : pass(evidence);
  },
};
