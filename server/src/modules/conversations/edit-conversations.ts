// What is done to many conversations at once by those who saw none of them: each as it is now, each with its own end.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError, invalid } from '../../platform/errors/errors.ts';
import type { Principal } from '../../platform/principal.ts';
import { roundsOf } from '../../platform/queue/rounds.ts';
import { holdsOnAccount, inboxExists } from '../inboxes/index.ts';
import { type Reader, readersAmong } from './assignees.ts';
import { noInbox, noReader, scopeOf } from './change-conversation.ts';
import { type Choice, chooserOf } from './choose-assignees.ts';
import { type Change, changeOf, type Step, storeChanges } from './conversation-changes.ts';
import { columnsAt, wentOn } from './conversations.ts';
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

type Planned = { edit: ConversationEdit; change: Change };

async function editEach(t: TenantTx, edits: ConversationEdit[]): Promise<Ends> {
  const found = await lockThem(
    t,
    edits.map(({ conversationSid }) => conversationSid),
  );
  const world = await lookAround(t, edits, found);
  const ends: Ends = new Map();
  const planned: Planned[] = [];
  for (const edit of edits) {
    const current = found.get(edit.conversationSid);
    const step = stepOf(t, edit, current, world);
    const change = step instanceof ApiError ? null : changeOf(step, current!, t.now);
    if (change) planned.push({ edit, change });
    else ends.set(edit, step instanceof ApiError ? step : current!);
  }
  const changed = await storeChanges(
    t,
    planned.map(({ edit, change }) => ({ change, by: edit.by })),
  );
  await world.remember();
  for (const { edit } of planned) ends.set(edit, changed.get(edit.conversationSid)!);
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

/** What is to be done, or why it may not be. */
function stepOf(
  t: TenantTx,
  edit: ConversationEdit,
  current: Conversation | undefined,
  world: World,
): Step | ApiError {
  const scope = scopeOf(edit);
  if (!holdsOnAccount({ ...tenantOf(t), principal: edit.by }, scope)) {
    return new ApiError('AUTHORIZATION_ERROR', { details: [{ path: 'scope', issue: `needs ${scope}` }] });
  }
  if (!current) return new ApiError('NOT_FOUND');
  if (current.mergedInto !== null) return new ApiError('CONFLICT', wentOn(current.sid, current.mergedInto));
  if (edit.kind === 'assign') {
    const assigneeSid = assigneeOf(edit.to, current, world);
    return assigneeSid instanceof ApiError ? assigneeSid : { kind: 'assign', assigneeSid };
  }
  const isUnknown = edit.kind === 'move' && edit.inboxSid !== null && !world.inboxes.has(edit.inboxSid);
  return isUnknown ? noInbox() : edit;
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
