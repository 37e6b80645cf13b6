import { type CapabilityName, decideCapability, inForce } from '../../provider/index.ts';
import type { Sender } from '../../senders/index.ts';
import {
  type Case,
  type Category,
  type Evidence,
  fail,
  type Gate,
  isTemplate,
  isUnusable,
  passBy,
  unusable,
} from './case.ts';

export const sender: Gate = {
  name: 'sender',
  judge(c, { category }) {
    if (isUnusable(c.sender)) return unusable(c.sender);
    const own = c.sender;
    const evidence = () => evidenceOf(own, c);
    const facts = { sender: c.sender, waba: c.waba, now: c.now, apiVersion: c.apiVersion };
    for (const name of needed(c, category)) {
      const { errorCode } = decideCapability(name, facts);
      if (errorCode) return fail(errorCode, evidence());
    }
    return passBy(evidence);
  },
};

const evidenceOf = ({ sid, status, quality, wabaSid }: Sender, { waba, now }: Case): Evidence => ({
  senderSid: sid,
  status,
  quality,
  wabaSid,
  ...(waba && { connection: waba.connectionState, restrictions: inForce(waba.restrictions, now) }),
});

type Needed = Extract<CapabilityName, 'OPENING_TEMPLATES' | 'UTILITY_TEMPLATES' | 'SERVICE_WINDOW_MESSAGES'>;

/** What a number must be able to do for this message to leave from it. */
function needed(c: Case, category: Category): Needed[] {
  const template = isTemplate(c);
  const place = template && !c.window.open ? 'OPENING_TEMPLATES' : 'SERVICE_WINDOW_MESSAGES';
  return template && category === 'utility' ? [place, 'UTILITY_TEMPLATES'] : [place];
}
