// What people do to a conversation. Whoever changes one says which version they have seen, so that nobody closes a
// conversation over a message that arrived while they read.
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError, invalid } from '../../platform/errors/errors.ts';
import { holdsOnAccount, reachesInbox } from '../inboxes/index.ts';
import { canRead } from './assignees.ts';
import { changeOf, type Step, storeChanges } from './conversation-changes.ts';
import { lockConversation } from './conversations.ts';
import type { Conversation } from './schema.ts';

/** What whoever answers needs; moving between inboxes is for those who run them. */
export const answering = 'messages:send';
export const running = 'inboxes:write';

export const scopeOf = ({ kind }: Pick<Step, 'kind'>) => (kind === 'move' ? running : answering);

export const noReader = { path: 'assigneeSid', issue: 'is nobody who can read this conversation' };
export const noInbox = () =>
  new ApiError('NOT_FOUND', {
    details: [{ path: 'inboxSid', issue: 'is no inbox of this account and environment' }],
  });

type Seen = { expectedVersion: number };

export function assignConversation(
  t: TenantTx,
  sid: string,
  { expectedVersion, assigneeSid }: Seen & { assigneeSid: string | null },
): Promise<Conversation> {
  return take(t, sid, expectedVersion, { kind: 'assign', assigneeSid });
}

export const closeConversation = (t: TenantTx, sid: string, { expectedVersion }: Seen) =>
  take(t, sid, expectedVersion, { kind: 'close' });

export const reopenConversation = (t: TenantTx, sid: string, { expectedVersion }: Seen) =>
  take(t, sid, expectedVersion, { kind: 'reopen' });

export function moveConversation(
  t: TenantTx,
  sid: string,
  { expectedVersion, inboxSid }: Seen & { inboxSid: string | null },
): Promise<Conversation> {
  return take(t, sid, expectedVersion, { kind: 'move', inboxSid });
}

async function take(t: TenantTx, sid: string, expectedVersion: number, step: Step): Promise<Conversation> {
  const current = await lockVersion(t, sid, scopeOf(step), expectedVersion);
  const change = changeOf(step, current, t.now);
  if (!change) return current;
  await refuseTarget(t, current, step);
  const changed = await storeChanges(t, [{ change, by: t.principal }]);
  return changed.get(sid)!;
}

async function refuseTarget(t: TenantTx, { inboxSid }: Conversation, step: Step): Promise<void> {
  if (step.kind === 'move') return refuseInbox(t, step.inboxSid);
  if (step.kind !== 'assign' || step.assigneeSid === null) return;
  if (!(await canRead(t, step.assigneeSid, inboxSid))) throw invalid(noReader);
}

async function refuseInbox(t: TenantTx, inboxSid: string | null): Promise<void> {
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
