import { type CapabilityName, decideCapability, inForce } from '../../provider/index.ts';
import { type Case, type Category, fail, type Gate, isTemplate, isUnusable, pass, unusable } from './case.ts';

export const sender: Gate = {
  name: 'sender',
  judge(c, { category }) {
    if (isUnusable(c.sender)) return unusable(c.sender);
    const { sid, status, quality, wabaSid } = c.sender;
    const evidence = {
      senderSid: sid,
      status,
      quality,
      wabaSid,
      ...(c.waba && {
        connection: c.waba.connectionState,
        restrictions: inForce(c.waba.restrictions, c.now),
      }),
    };
    const facts = { sender: c.sender, waba: c.waba, now: c.now, apiVersion: c.apiVersion };
    for (const name of needed(c, category)) {
      const { errorCode } = decideCapability(name, facts);
      if (errorCode) return fail(errorCode, evidence);
    }
    return pass(evidence);
  },
};

type Needed = Extract<CapabilityName, 'OPENING_TEMPLATES' | 'UTILITY_TEMPLATES' | 'SERVICE_WINDOW_MESSAGES'>;

/** What a number must be able to do for this message to leave from it. */
function needed(c: Case, category: Category): Needed[] {
  const template = isTemplate(c);
  const place = template && !c.window.open ? 'OPENING_TEMPLATES' : 'SERVICE_WINDOW_MESSAGES';
  return template && category === 'utility' ? [place, 'UTILITY_TEMPLATES'] : [place];
}
