// Asks the provider what became of a case's messages, by its own history of them. It can be asked only by the name it gave a message:
// of one whose answer was lost it knows nothing to tell.
import type { TenantTx } from '../../../platform/db/database.ts';
import { defineJob, OthersNotReady, type TenantJobContext } from '../../../platform/jobs/jobs.ts';
import { billedMessages, providerIdsOf } from '../../messages/index.ts';
import type { Connection } from '../../provider/index.ts';
import { loadSenders } from '../../senders/index.ts';
import { connectionOf } from '../../wabas/index.ts';
import { addFindings, findCase, lockCase, settleCase } from '../cases/cases.ts';
import { enquiry } from '../cases/enquiry-order.ts';
import { proveMessages } from '../cases/open-cases.ts';
import type { CaseFinding, ReconciliationCase } from '../cases/schema.ts';
import { isSettled } from '../cases/states.ts';
import { fileUntold } from './doubts.ts';

export const enquire = defineJob({
  ...enquiry,
  async run(context, { caseSid }) {
    const questions = await context.write((t) => begin(t, caseSid));
    if (!questions) return;
    const answers: Answer[] = [];
    for (const question of questions) answers.push(await ask(context, question));
    await context.write((t) => conclude(t, caseSid, answers));
  },
});

type Question = {
  messageSid: string;
  /** Why it cannot be asked; null when it can. */
  unaskable: string | null;
  providerMessageId: string;
  phoneNumberId: string;
  connection: Connection | null;
};

/** The case is being looked into, and these messages are asked about: those nothing was found out about before. */
async function begin(t: TenantTx, caseSid: string): Promise<Question[] | null> {
  const found = await findCase(t, caseSid);
  if (!found || isSettled(found.state)) return null;
  const told = new Set(found.findings.map(({ messageSid, text }) => (isAnswer(text) ? messageSid : null)));
  const sids = found.messageSids.filter((sid) => !told.has(sid));
  const [messages, names] = await Promise.all([billedMessages(t, sids), providerIdsOf(t, sids)]);
  const senders = await loadSenders(t, [
    ...new Set([...messages.values()].map(({ senderSid }) => senderSid)),
  ]);
  const connections = new Map<string, Connection | null>();
  for (const wabaSid of new Set([...senders.values()].map((sender) => sender.wabaSid))) {
    if (wabaSid !== null) connections.set(wabaSid, await connectionOf(t, wabaSid));
  }
  if (found.state === 'open') await addFindings(t, await lockCase(t, caseSid), [], 'investigating');
  return sids.map((messageSid) => {
    const sender = senders.get(messages.get(messageSid)?.senderSid ?? '');
    const [providerMessageId, phoneNumberId] = [
      names.get(messageSid) ?? '',
      sender?.providerPhoneNumberId ?? '',
    ];
    const connection = connections.get(sender?.wabaSid ?? '') ?? null;
    const unaskable =
      providerMessageId === ''
        ? 'the provider never named it to us'
        : connection === null || phoneNumberId === ''
          ? 'its business account is not connected'
          : null;
    return { messageSid, unaskable, providerMessageId, phoneNumberId, connection };
  });
}

type Answer = { messageSid: string; heard: 'delivered' | 'not delivered' | null; text: string };

const answerBegins = 'The provider';
const isAnswer = (text: string) =>
  text.startsWith(`${answerBegins} says`) || text.startsWith(`${answerBegins} cannot`);

async function ask({ ports }: TenantJobContext, question: Question): Promise<Answer> {
  const { messageSid, unaskable, connection, phoneNumberId, providerMessageId } = question;
  const nothing = (why: string) => ({
    messageSid,
    heard: null,
    text: `${answerBegins} cannot be asked about it: ${why}.`,
  });
  if (unaskable !== null) return nothing(unaskable);
  const answered = await ports.provider.messageHistory(connection!, phoneNumberId, providerMessageId);
  if (!answered.ok) {
    if (answered.failure.retryable) throw new OthersNotReady(answered.failure.reason);
    return nothing(answered.failure.reason.replace(/\.$/, ''));
  }
  const { events } = answered.value;
  const arrived = events.find(({ status }) => status === 'delivered' || status === 'read');
  const last = events.at(-1);
  const at = (when: Date | null | undefined) => (when ? ` at ${when.toISOString()}` : '');
  return {
    messageSid,
    heard: arrived ? 'delivered' : 'not delivered',
    text: arrived
      ? `${answerBegins} says that it was delivered${at(arrived.occurredAt)}.`
      : last
        ? `${answerBegins} says that it was ${last.status}${at(last.occurredAt)}, and never delivered.`
        : `${answerBegins} says nothing of it: it was never delivered.`,
  };
}

async function conclude(t: TenantTx, caseSid: string, answers: Answer[]): Promise<void> {
  const locked = await lockCase(t, caseSid);
  if (isSettled(locked.state)) return;
  const at = t.now.toISOString();
  const findings: CaseFinding[] = answers.map(({ messageSid, text }) => ({ at, text, messageSid }));
  const delivered = answers.flatMap(({ messageSid, heard }) => (heard === 'delivered' ? [messageSid] : []));
  const known = await addFindings(t, locked, findings);
  await proveMessages(t, caseSid, delivered);
  if (known.outcome !== 'missing_provider_status' || known.source !== 'callback') return;
  await fileUntold(t, [...(await billedMessages(t, delivered)).values()], 'message_history');
  if (isExplained(known, answers)) {
    await settleCase(t, await lockCase(t, caseSid), {
      decision: 'resolved',
      reason:
        delivered.length === 0
          ? 'The provider says that none of the messages was delivered.'
          : 'The provider says what became of each message; those it delivered stand in a case of their own.',
      evidence: { delivered: delivered.length, notDelivered: known.messageCount - delivered.length },
    });
  }
}

/** Of every message the provider said what became of it, now or when it was asked before. */
function isExplained({ messageCount, findings }: ReconciliationCase, answers: Answer[]): boolean {
  const saying = findings.filter(({ text }) => text.startsWith(`${answerBegins} says`));
  const explained = new Set(saying.map(({ messageSid }) => messageSid));
  return answers.every(({ heard }) => heard !== null) && explained.size >= messageCount;
}
