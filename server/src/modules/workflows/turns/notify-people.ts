// What runs tell people who work here.
import type { TenantTx } from '../../../platform/db/database.ts';
import type { Audience } from '../../../platform/notifications.ts';
import type { Conversation } from '../../conversations/index.ts';
import { askToLook } from '../runs/notifications.ts';
import { conversationsOf, type Done, type Door, type Task } from './effect-doors.ts';

export const notifyPeople: Door<'notify'> = async (t, tasks) => {
  const conversations = await conversationsOf(
    t,
    tasks.map(({ walk }) => walk),
  );
  return tasks.map((task, at) => tell(t, task, conversations[at]!));
};

function tell(t: TenantTx, { walk, effect }: Task<'notify'>, conversation: Conversation | null): Done {
  const audiences = audiencesOf(effect, conversation);
  if (audiences.length === 0) {
    const message = 'Nobody is assigned to the conversation.';
    return { error: { code: 'WORKFLOW_NO_ASSIGNEE', message } };
  }
  const resource = conversation?.sid ?? walk.run.sid;
  for (const to of audiences) askToLook(t, to, resource);
  return { output: {}, eventSid: null };
}

function audiencesOf(effect: Task<'notify'>['effect'], conversation: Conversation | null): Audience[] {
  if ('userSids' in effect) return effect.userSids.map((sid) => ({ principal: `user:${sid}` }));
  if ('inboxSid' in effect) return [{ part: effect.inboxSid }];
  const { assigneeSid = null, inboxSid = null } = conversation ?? {};
  return assigneeSid === null ? [] : [{ principal: `user:${assigneeSid}`, part: inboxSid }];
}
