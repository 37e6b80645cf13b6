// What becomes of a conversation by each thing that is done to it, and how that is stored: for one that somebody has before them, and
// for many at once.
//   open → closed → open; a person who writes opens a closed one as well (note-messages.ts)
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { type EventType, emit } from '../../platform/events.ts';
import type { Principal } from '../../platform/principal.ts';
import { audit } from '../audit/index.ts';
import { columnsAt } from './conversations.ts';
import { conversationEvents } from './events.ts';
import type { Conversation } from './schema.ts';

export type Step =
  | { kind: 'assign'; assigneeSid: string | null }
  | { kind: 'move'; inboxSid: string | null }
  | { kind: 'close' }
  | { kind: 'reopen' };

export type Change = {
  event: EventType<Conversation>;
  facts: Record<string, unknown>;
  next: Pick<Conversation, 'sid' | 'status' | 'assigneeSid' | 'inboxSid' | 'closedAt'>;
};

/** Null where nothing changes. */
export function changeOf(step: Step, current: Conversation, now: Date): Change | null {
  const { sid, status, assigneeSid, inboxSid, closedAt } = current;
  const next = { sid, status, assigneeSid, inboxSid, closedAt };
  switch (step.kind) {
    case 'assign': {
      if (step.assigneeSid === assigneeSid) return null;
      const facts = { assigneeSid: step.assigneeSid };
      return { event: conversationEvents.assigned, facts, next: { ...next, ...facts } };
    }
    case 'move': {
      if (step.inboxSid === inboxSid) return null;
      const facts = { from: inboxSid, to: step.inboxSid };
      // Whoever answered it in one inbox may not be in the other: it arrives with nobody assigned.
      const moved = { ...next, inboxSid: step.inboxSid, assigneeSid: null };
      return { event: conversationEvents.moved, facts, next: moved };
    }
    case 'close': {
      if (status === 'closed') return null;
      const closed = { ...next, status: 'closed' as const, closedAt: now.toISOString() };
      return { event: conversationEvents.closed, facts: {}, next: closed };
    }
    case 'reopen': {
      if (status === 'open') return null;
      const opened = { ...next, status: 'open' as const, closedAt: null };
      return { event: conversationEvents.reopened, facts: {}, next: opened };
    }
  }
}

/** Stores changes of as many conversations, which are locked, and tells of each. Answers with each as it is then. */
export async function storeChanges(
  t: TenantTx,
  changes: readonly { change: Change; by: Principal }[],
): Promise<Map<string, Conversation>> {
  if (changes.length === 0) return new Map();
  const rows = await t.many<Conversation>(sql`
    update conversations c
       set status = item.status, assignee_sid = item."assigneeSid", inbox_sid = item."inboxSid",
           closed_at = item."closedAt", version = c.version + 1, updated_at = ${t.now}
      from json_to_recordset(${JSON.stringify(changes.map(({ change }) => change.next))}::json)
        as item (sid text, status text, "assigneeSid" text, "inboxSid" text, "closedAt" timestamptz)
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.sid = item.sid
    returning ${columnsAt(t.now)}`);
  const changed = new Map(rows.map((row) => [row.sid, row]));
  for (const { change, by } of changes) {
    const { event, facts, next } = change;
    audit(t, { action: event.name, resource: next.sid, facts, principal: by });
    emit(t, event, changed.get(next.sid)!);
  }
  return changed;
}
