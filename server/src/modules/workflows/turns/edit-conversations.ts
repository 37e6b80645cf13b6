// What runs do to conversations.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { type ConversationEdit, editConversations } from '../../conversations/index.ts';
import {
  conversationsOf,
  type Done,
  doneBy,
  faultOf,
  forThose,
  noConversation,
  type Task,
} from './effect-doors.ts';

type Kinds = 'assign_conversation' | 'move_conversation' | 'close_conversation' | 'reopen_conversation';

export async function editThem<T extends Kinds>(t: TenantTx, given: Task<T>[]): Promise<Done[]> {
  const tasks = given as unknown as Task<Kinds>[];
  const conversations = await conversationsOf(
    t,
    tasks.map(({ walk }) => walk),
  );
  return forThose(tasks, conversations, noConversation, async (able) => {
    const edits = able.map(({ subject, effect, walk }) => ({
      conversationSid: subject.sid,
      by: walk.by,
      ...changeOf(effect),
    }));
    const ends = await editConversations(t, edits as ConversationEdit[]);
    return ends.map((end) => {
      if (end instanceof ApiError) return { error: faultOf(end) };
      const { sid, assigneeSid } = end;
      return doneBy(end, { conversationSid: sid, assigneeSid });
    });
  });
}

function changeOf(effect: Task<Kinds>['effect']) {
  switch (effect.type) {
    case 'assign_conversation':
      return { kind: 'assign', to: 'by' in effect ? effect.by : { assigneeSid: effect.assigneeSid } };
    case 'move_conversation':
      return { kind: 'move', inboxSid: effect.inboxSid };
    case 'close_conversation':
      return { kind: 'close' };
    case 'reopen_conversation':
      return { kind: 'reopen' };
  }
}
