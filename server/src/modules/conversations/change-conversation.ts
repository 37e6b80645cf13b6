// What people do to a conversation. Whoever changes one says which version they have seen, so that nobody closes a
// conversation over a message that arrived while they read.
//   open → closed → open; a person who writes opens a closed one as well (note-messages.ts)
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { ApiError, invalid } from '../../platform/errors/errors.ts';
import { type EventType, emit } from '../../platform/events.ts';
import { audit } from '../audit/index.ts';
import { holdsOnAccount, reachesInbox } from '../inboxes/index.ts';
import { canRead } from './assignees.ts';
import { columnsAt, lockConversation } from './conversations.ts';
import { conversationEvents } from './events.ts';
import type { Conversation } from './schema.ts';

/** What whoever answers needs; moving between inboxes is for those who run them. */
export const answering = 'messages:send';
export const running = 'inboxes:write';

export const noReader = { path: 'assigneeSid', issue: 'is nobody who can read this conversation' };
export const noInbox = () =>
  new ApiError('NOT_FOUND', {
    details: [{ path: 'inboxSid', issue: 'is no inbox of this account and environment' }],
  });

type Seen = { expectedVersion: number };

export async function assignConversation(
  t: TenantTx,
  sid: string,
  { expectedVersion, assigneeSid }: Seen & { assigneeSid: string | null },
): Promise<Conversation> {
  const current = await lockVersion(t, sid, answering, expectedVersion);
  if (current.assigneeSid === assigneeSid) return current;
  if (assigneeSid !== null && !(await canRead(t, assigneeSid, current.inboxSid))) {
    throw invalid(noReader);
  }
  return change(t, current, conversationEvents.assigned, sql`assignee_sid = ${assigneeSid}`, { assigneeSid });
}

export async function closeConversation(t: TenantTx, sid: string, { expectedVersion }: Seen) {
  const current = await lockVersion(t, sid, answering, expectedVersion);
  if (current.status === 'closed') return current;
  return change(t, current, conversationEvents.closed, sql`status = 'closed', closed_at = ${t.now}`);
}

export async function reopenConversation(t: TenantTx, sid: string, { expectedVersion }: Seen) {
  const current = await lockVersion(t, sid, answering, expectedVersion);
  if (current.status === 'open') return current;
  return change(t, current, conversationEvents.reopened, sql`status = 'open', closed_at = null`);
}

/** Whoever answered it in one inbox may not be in the other: it arrives with nobody assigned. */
export async function moveConversation(
  t: TenantTx,
  sid: string,
  { expectedVersion, inboxSid }: Seen & { inboxSid: string | null },
): Promise<Conversation> {
  const current = await lockVersion(t, sid, running, expectedVersion);
  if (current.inboxSid === inboxSid) return current;
  await refuseTarget(t, inboxSid);
  const facts = { from: current.inboxSid, to: inboxSid };
  return change(
    t,
    current,
    conversationEvents.moved,
    sql`inbox_sid = ${inboxSid}, assignee_sid = null`,
    facts,
  );
}

async function refuseTarget(t: TenantTx, inboxSid: string | null): Promise<void> {
  if (inboxSid === null) {
    if (holdsOnAccount(t, running)) return;
    const issue = `taking it out of every inbox needs ${running} on the account`;
    throw new ApiError('AUTHORIZATION_ERROR', { details: [{ path: 'inboxSid', issue }] });
  }
  if (await reachesInbox(t, inboxSid, running)) return;
  throw noInbox();
}

async function lockVersion(t: TenantTx, sid: string, scope: string, expected: number): Promise<Conversation> {
  const current = await lockConversation(t, sid, scope);
  if (current.version === expected) return current;
  const issue = `the conversation is at version ${current.version}`;
  throw new ApiError('CONVERSATION_VERSION_CONFLICT', { details: [{ path: 'expectedVersion', issue }] });
}

async function change(
  t: TenantTx,
  { sid }: Conversation,
  event: EventType<Conversation>,
  changes: Sql,
  facts: Record<string, unknown> = {},
): Promise<Conversation> {
  const changed = await t.one<Conversation>(sql`
    update conversations c set ${changes}, version = c.version + 1, updated_at = ${t.now}
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.sid = ${sid}
    returning ${columnsAt(t.now)}`);
  audit(t, { action: event.name, resource: sid, facts });
  emit(t, event, changed);
  return changed;
}
