// What is done to many conversations at once by those who saw none of them: each as it is now, each with its own end.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError, invalid } from '../../platform/errors/errors.ts';
import { type EventType, emit } from '../../platform/events.ts';
import type { Principal } from '../../platform/principal.ts';
import { roundsOf } from '../../platform/rounds.ts';
import { audit } from '../audit/index.ts';
import { holdsOnAccount, inboxExists } from '../inboxes/index.ts';
import { type Reader, readersAmong } from './assignees.ts';
import { answering, noInbox, noReader, running } from './change-conversation.ts';
import { type Choice, chooserOf } from './choose-assignees.ts';
import { columnsAt, wentOn } from './conversations.ts';
import { conversationEvents } from './events.ts';
import type { Conversation } from './schema.ts';

export type ConversationEdit = { conversationSid: string; by: Principal } & (
  | { kind: 'assign'; to: { assigneeSid: string | null } | Choice }
  | { kind: 'move'; inboxSid: string | null }
  | { kind: 'close' }
  | { kind: 'reopen' }
);
type Ends = Map<ConversationEdit, Conversation | ApiError>;

/** The conversation of each edit as it is then, or why the edit was refused. Edits of one conversation follow one another. */
export async function editConversations(
  t: TenantTx,
  edits: readonly ConversationEdit[],
): Promise<(Conversation | ApiError)[]> {
  const ends: Ends = new Map();
  for (const round of roundsOf(edits, ({ conversationSid }) => conversationSid)) {
    for (const [edit, end] of await editEach(t, round)) ends.set(edit, end);
  }
  return edits.map((edit) => ends.get(edit)!);
}

type Change = {
  edit: ConversationEdit;
  event: EventType<Conversation>;
  facts: Record<string, unknown>;
  next: Pick<Conversation, 'sid' | 'status' | 'assigneeSid' | 'inboxSid' | 'closedAt'>;
};

async function editEach(t: TenantTx, edits: ConversationEdit[]): Promise<Ends> {
  const found = await lockThem(
    t,
    edits.map(({ conversationSid }) => conversationSid),
  );
  const world = await lookAround(t, edits, found);
  const ends: Ends = new Map();
  const changes: Change[] = [];
  for (const edit of edits) {
    const judged = judge(t, edit, found.get(edit.conversationSid), world);
    if (judged instanceof ApiError || 'object' in judged) ends.set(edit, judged);
    else changes.push(judged);
  }
  const changed = await store(t, changes);
  await world.remember();
  for (const { edit, event, facts } of changes) {
    const conversation = changed.get(edit.conversationSid)!;
    audit(t, { action: event.name, resource: conversation.sid, facts, principal: edit.by });
    emit(t, event, conversation);
    ends.set(edit, conversation);
  }
  return ends;
}

async function lockThem(t: TenantTx, sids: string[]): Promise<Map<string, Conversation>> {
  const rows = await t.many<Conversation>(sql`
    select ${columnsAt(t.now)} from conversations c
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.sid = any (${sids}::text[])
     order by c.sid for no key update of c`);
  return new Map(rows.map((row) => [row.sid, row]));
}

type World = {
  isReader(one: Reader): boolean;
  inboxes: ReadonlySet<string>;
  choose(inboxSid: string, choice: Choice): string | null;
  remember(): Promise<void>;
};

/** Who is there to assign to, and which inboxes are there to move to. */
async function lookAround(
  t: TenantTx,
  edits: ConversationEdit[],
  found: ReadonlyMap<string, Conversation>,
): Promise<World> {
  const readers: Reader[] = [];
  const choices: { inboxSid: string; choice: Choice }[] = [];
  const targets = new Set<string>();
  for (const edit of edits) {
    const inboxSid = found.get(edit.conversationSid)?.inboxSid ?? null;
    if (edit.kind === 'move' && edit.inboxSid !== null) targets.add(edit.inboxSid);
    if (edit.kind !== 'assign') continue;
    if (typeof edit.to !== 'string') {
      if (edit.to.assigneeSid !== null) readers.push({ userSid: edit.to.assigneeSid, inboxSid });
    } else if (inboxSid !== null) choices.push({ inboxSid, choice: edit.to });
  }
  const [isReader, inboxes, chooser] = await Promise.all([
    readersAmong(t, readers),
    Promise.all([...targets].map(async (sid) => ((await inboxExists(t, sid)) ? [sid] : []))),
    chooserOf(t, choices),
  ]);
  return { isReader, inboxes: new Set(inboxes.flat()), ...chooser };
}

/** The change to make; the conversation itself where there is none to make, or why it may not be made. */
function judge(
  t: TenantTx,
  edit: ConversationEdit,
  current: Conversation | undefined,
  world: World,
): Change | Conversation | ApiError {
  const scope = edit.kind === 'move' ? running : answering;
  if (!holdsOnAccount({ ...tenantOf(t), principal: edit.by }, scope)) {
    return new ApiError('AUTHORIZATION_ERROR', { details: [{ path: 'scope', issue: `needs ${scope}` }] });
  }
  if (!current) return new ApiError('NOT_FOUND');
  if (current.mergedInto !== null) return new ApiError('CONFLICT', wentOn(current.sid, current.mergedInto));
  const { sid, status, assigneeSid, inboxSid, closedAt } = current;
  const next = { sid, status, assigneeSid, inboxSid, closedAt };
  switch (edit.kind) {
    case 'assign': {
      const chosen = assigneeOf(edit.to, current, world);
      if (chosen instanceof ApiError) return chosen;
      if (chosen === assigneeSid) return current;
      const facts = { assigneeSid: chosen };
      return { edit, event: conversationEvents.assigned, facts, next: { ...next, assigneeSid: chosen } };
    }
    case 'move': {
      if (edit.inboxSid === inboxSid) return current;
      if (edit.inboxSid !== null && !world.inboxes.has(edit.inboxSid)) return noInbox();
      const facts = { from: inboxSid, to: edit.inboxSid };
      const moved = { ...next, inboxSid: edit.inboxSid, assigneeSid: null };
      return { edit, event: conversationEvents.moved, facts, next: moved };
    }
    case 'close': {
      if (status === 'closed') return current;
      const closed = { ...next, status: 'closed' as const, closedAt: t.now.toISOString() };
      return { edit, event: conversationEvents.closed, facts: {}, next: closed };
    }
    case 'reopen': {
      if (status === 'open') return current;
      const opened = { ...next, status: 'open' as const, closedAt: null };
      return { edit, event: conversationEvents.reopened, facts: {}, next: opened };
    }
  }
}

const tenantOf = ({ accountSid, livemode }: TenantTx) => ({ accountSid, livemode });

function assigneeOf(
  to: { assigneeSid: string | null } | Choice,
  { inboxSid }: Conversation,
  { isReader, choose }: World,
): string | null | ApiError {
  if (typeof to === 'string') {
    if (inboxSid === null)
      return new ApiError('CONFLICT', {
        message: 'The conversation is in no inbox whose members it could go to.',
      });
    return (
      choose(inboxSid, to) ??
      new ApiError('CONFLICT', { message: `No member of ${inboxSid} can read the conversation.` })
    );
  }
  const { assigneeSid } = to;
  return assigneeSid === null || isReader({ userSid: assigneeSid, inboxSid })
    ? assigneeSid
    : invalid(noReader);
}

async function store(t: TenantTx, changes: Change[]): Promise<Map<string, Conversation>> {
  if (changes.length === 0) return new Map();
  const rows = await t.many<Conversation>(sql`
    update conversations c
       set status = item.status, assignee_sid = item."assigneeSid", inbox_sid = item."inboxSid",
           closed_at = item."closedAt", version = c.version + 1, updated_at = ${t.now}
      from json_to_recordset(${JSON.stringify(changes.map(({ next }) => next))}::json)
        as item (sid text, status text, "assigneeSid" text, "inboxSid" text, "closedAt" timestamptz)
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.sid = item.sid
    returning ${columnsAt(t.now)}`);
  return new Map(rows.map((row) => [row.sid, row]));
}
