import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { audit } from '../audit/index.ts';
import { userStatus } from '../identity/index.ts';
import { inboxEvents } from './events.ts';
import { getInbox } from './inboxes.ts';
import type { InboxMember } from './schema.ts';

const columns = sql`'inbox_member' as object, account_sid as "accountSid", livemode, inbox_sid as "inboxSid",
  user_sid as "userSid", created_at as "createdAt"`;

export async function listMembers(t: TenantTx, inboxSid: string, pager: Pager) {
  await getInbox(t, inboxSid);
  const [createdAt, userSid] = pager.after ?? [null, null];
  const rows = await t.many<InboxMember>(sql`
    select ${columns} from inbox_members
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and inbox_sid = ${inboxSid}
       and (${createdAt}::timestamptz is null or (created_at, user_sid) < (${createdAt}::timestamptz, ${userSid}))
     order by created_at desc, user_sid desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    (row) => [row.createdAt, row.userSid],
    (row) => row,
  );
}

/** Adding a member twice is no error, and is announced once. */
export async function addMember(t: TenantTx, inboxSid: string, userSid: string): Promise<InboxMember> {
  await getInbox(t, inboxSid, 'inboxes:write');
  const status = await userStatus(t, userSid);
  if (status === null) throw new ApiError('NOT_FOUND');
  if (status === 'DEACTIVATED') throw new ApiError('CONFLICT', { message: 'The user is deactivated.' });
  const added = await t.maybe<InboxMember>(sql`
    insert into inbox_members (account_sid, livemode, inbox_sid, user_sid, created_at)
    values (${t.accountSid}, ${t.livemode}, ${inboxSid}, ${userSid}, ${t.now})
    on conflict do nothing returning ${columns}`);
  if (!added) return findMember(t, inboxSid, userSid);
  audit(t, { action: 'inbox.member_added', resource: inboxSid, facts: { userSid } });
  emit(t, inboxEvents.member_added, added);
  return added;
}

function findMember(t: TenantTx, inboxSid: string, userSid: string): Promise<InboxMember> {
  return t.one<InboxMember>(sql`
    select ${columns} from inbox_members
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and inbox_sid = ${inboxSid}
       and user_sid = ${userSid}`);
}

export async function removeMember(t: TenantTx, inboxSid: string, userSid: string): Promise<void> {
  await getInbox(t, inboxSid, 'inboxes:write');
  const removed = await t.maybe<InboxMember>(sql`
    delete from inbox_members
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and inbox_sid = ${inboxSid}
       and user_sid = ${userSid}
    returning ${columns}`);
  if (!removed) return;
  audit(t, { action: 'inbox.member_removed', resource: inboxSid, facts: { userSid } });
  emit(t, inboxEvents.member_removed, removed);
}
