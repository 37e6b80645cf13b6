import { inForce, type Waba } from '../../wabas/index.ts';
import {
  type Case,
  type Category,
  type Finding,
  fail,
  type Gate,
  isTemplate,
  isUnusable,
  pass,
  unusable,
} from './case.ts';

/** What the provider calls the restriction on messages that open a conversation, and the one on answers. */
const blocksOpening = 'RESTRICTED_BIZ_INITIATED_MESSAGING';
const blocksAnswers = 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING';
const blocksUtility = 'RESTRICTED_UTILITY_TEMPLATES';

const restrictedStatuses = new Set(['RESTRICTED', 'FLAGGED', 'RATE_LIMITED', 'BANNED']);

export const sender: Gate = {
  name: 'sender',
  judge(c, { category }) {
    if (isUnusable(c.sender)) return unusable(c.sender);
    const { sid, status, quality } = c.sender;
    const evidence = { senderSid: sid, status, quality, wabaSid: c.sender.wabaSid };
    if (restrictedStatuses.has(status)) return fail('SENDER_RESTRICTED', evidence);
    if (status !== 'CONNECTED' || c.sender.providerPhoneNumberId === null) {
      return fail('SENDER_NOT_READY', evidence);
    }
    return c.waba ? judgeWaba(c, c.waba, category, evidence) : fail('WABA_NOT_CONNECTED', evidence);
  },
};

function judgeWaba(c: Case, waba: Waba, category: Category, evidence: object): Finding {
  const restrictions = inForce(waba.restrictions, c.now);
  const told = { ...evidence, connection: waba.connectionState, restrictions };
  if (waba.connectionState !== 'CONNECTED') return fail('WABA_NOT_CONNECTED', told);
  if (waba.banState === 'DISABLED') return fail('WABA_RESTRICTED', told);
  const opens = isTemplate(c) && !c.window.open;
  const holds = (type: string) => restrictions.some((restriction) => restriction.type === type);
  if (holds(blocksOpening) && opens) return fail('SENDER_TEMPLATE_RESTRICTED', told);
  if (holds(blocksUtility) && isTemplate(c) && category === 'utility') {
    return fail('SENDER_TEMPLATE_RESTRICTED', told);
  }
  if (holds(blocksAnswers) && !opens) return fail('SENDER_RESTRICTED', told);
  return pass(told);
}
