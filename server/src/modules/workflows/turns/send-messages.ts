// What runs send: through the same gates as everybody's messages, within limits of their own, and after a colleague who is writing.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { type Conversation, claimsOn, type StandingClaim } from '../../conversations/index.ts';
import { admitEach, judgeMessage } from '../../messages/index.ts';
import { eventOfRun, noteDecisions } from '../runs/decisions.ts';
import {
  conversationsOf,
  type Done,
  type Door,
  doneBy,
  faultOf,
  forContacts,
  type Task,
} from './effect-doors.ts';
import { type Limit, noteSends, sendLimits } from './send-limits.ts';

/** How long a colleague who is writing is waited for. */
const longestHoldMs = 5 * 60 * 1000;

type Able = Task<'send_message'> & { subject: string };
type Sending = Able & { conversation: Conversation | null; overrides: boolean };

export const sendMessages: Door<'send_message'> = (t, tasks) => forContacts(tasks, (able) => send(t, able));

async function send(t: TenantTx, tasks: Able[]): Promise<Done[]> {
  const ends = new Map<Able, Done>();
  const conversations = await conversationsOf(
    t,
    tasks.map(({ walk }) => walk),
  );
  const claims = await claimsOn(
    t,
    conversations.flatMap((one) => one?.sid ?? []),
    { lock: false },
  );
  const sending = tasks.flatMap((task, at): { task: Able; sending: Sending }[] => {
    const conversation = conversations[at]!;
    const claim = conversation ? claims.get(conversation.sid) : undefined;
    const later = claim && heldBy(t, task, claim);
    if (later) ends.set(task, later);
    return later ? [] : [{ task, sending: { ...task, conversation, overrides: claim !== undefined } }];
  });
  const limitOf = await sendLimits(
    t,
    sending.map(({ task }) => task.subject),
  );
  const overLimit: Able[] = [];
  const allowed = sending.filter(({ task }) => {
    const limit = limitOf(task.subject);
    if (!limit) return true;
    ends.set(task, { error: faultOfLimit(limit) });
    overLimit.push(task);
    return false;
  });
  await noteDecisions(t, overLimit.map(decisionOf));
  const admitted = await admitEach(
    t,
    allowed.map(({ sending: one }) => ({ body: judgeMessage(bodyOf(one)), author: one.walk.by })),
  );
  const sent: Able[] = [];
  for (const [at, { task }] of allowed.entries()) {
    const end = admitted[at]!;
    if (end instanceof ApiError) ends.set(task, { error: faultOf(end) });
    else {
      const { sid: messageSid, conversationSid } = end;
      ends.set(task, doneBy(end, { messageSid, conversationSid }));
      sent.push(task);
    }
  }
  await noteSends(
    t,
    sent.map(({ subject, walk }) => ({
      contactSid: subject,
      runSid: walk.run.sid,
      position: walk.effect!.position,
    })),
  );
  return tasks.map((task) => ends.get(task)!);
}

/** A send that waits for whoever writes; null once that took too long, or where it does not wait. */
function heldBy(t: TenantTx, { effect, walk }: Able, { expiresAt }: StandingClaim): Done | null {
  if (!effect.holdForAgent) return null;
  const standing = walk.effect!;
  const heldSince = standing.heldSince ?? t.now.toISOString();
  const last = Date.parse(heldSince) + longestHoldMs;
  if (t.now.getTime() >= last) return null;
  // Claims are renewed while somebody writes, so it is looked at again when this one would end.
  return { effect: { ...standing, heldSince }, at: new Date(Math.min(last, Date.parse(expiresAt))) };
}

/** Into the conversation the run is about, unless the message names by whom it is sent. */
function bodyOf({ effect: { message }, subject, conversation, overrides }: Sending): object {
  if (message.from !== undefined || message.senderPoolSid !== undefined || !conversation)
    return { ...message, contactSid: subject };
  const composerOverrideReason = 'A workflow does not wait longer for whoever is writing.';
  return { ...message, conversationSid: conversation.sid, ...(overrides && { composerOverrideReason }) };
}

const faultOfLimit = ({ most, within }: Limit) => ({
  code: 'WORKFLOW_LIMIT',
  message: `Workflows have sent ${most} messages to this contact within ${within}.`,
});

const decisionOf = ({ walk: { run } }: Able) => ({
  ...eventOfRun(run),
  workflowSid: run.workflowSid,
  decision: 'limit' as const,
  detail: { limit: 'sends' },
  runSid: run.sid,
});
