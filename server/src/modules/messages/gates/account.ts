import { rateLimited } from '../../../platform/http/limits/rate-limit.ts';
import { monthAfter, quotaLeft, rateVerdict, type SendRoom, sendsNow } from '../../plans/index.ts';
import { type Evidence, fail, type Gate, pass } from './case.ts';

export const account: Gate = {
  name: 'account',
  judge({ account: { accountStatus, sends } }) {
    if (accountStatus !== 'active') return fail('ACCOUNT_SUSPENDED', { status: accountStatus });
    if (sends === null) return pass({ status: accountStatus });
    const evidence = { status: accountStatus, ...evidenceOf(sends) };
    if (quotaLeft(sends) < 1) return fail('PLAN_MESSAGE_QUOTA_EXCEEDED', evidence, [quotaDetail(sends)]);
    return sendsNow(sends) < 1 ? tooFast(sends, evidence) : pass(evidence);
  },
};

/** What the plan says, as far as it says anything. */
function evidenceOf(room: SendRoom): Evidence {
  const { plan, messages, month } = room;
  return {
    plan: plan.name,
    ...(plan.monthlyMessages !== null && {
      monthlyMessages: plan.monthlyMessages,
      messages,
      messagesLeft: quotaLeft(room),
      monthEndsAt: monthAfter(month).toISOString(),
    }),
    ...(plan.sendsPerSecond !== null && { sendsPerSecond: plan.sendsPerSecond, sendsNow: sendsNow(room) }),
  };
}

const quotaDetail = ({ plan, month }: SendRoom) => ({
  path: 'plan',
  issue: `${plan.name} allows ${plan.monthlyMessages} messages a month; the next begins at ${monthAfter(month).toISOString()}`,
});

/** The same in every form in which a message is refused: the limit is named, and so is when to come again. */
function tooFast(room: SendRoom, evidence: Evidence) {
  const { policy, verdict } = rateVerdict(room);
  const { retryAfterSeconds, facts } = rateLimited(policy, verdict);
  const issue = `${room.plan.name} allows ${room.plan.sendsPerSecond} sends a second`;
  return {
    ...fail('RATE_LIMITED', evidence, [{ path: 'plan', issue }]),
    retryAfterSeconds: retryAfterSeconds!,
    headers: facts.headers!,
  };
}
