// Where people of a team read and answer.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError, invalid } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { newSid } from '../../platform/ids.ts';
import { audit } from '../audit/index.ts';
import { inboxEvents } from './events.ts';
import { withinReach } from './reach.ts';
import type { Inbox, InboxChange } from './schema.ts';

const columns = sql`'inbox' as object, i.sid, i.account_sid as "accountSid", i.livemode, i.name,
  (select count(*)::integer from inbox_members m where m.account_sid = i.account_sid and m.inbox_sid = i.sid)
    as "memberCount",
  i.created_at as "createdAt", i.updated_at as "updatedAt"`;

export async function listInboxes(t: TenantTx, pager: Pager) {
  const [after] = pager.after ?? [null];
  const rows = await t.many<Inbox>(sql`
    select ${columns} from inboxes i
     where i.account_sid = ${t.accountSid} and i.livemode = ${t.livemode}
       and (${after}::text is null or i.sid < ${after}) and ${withinReach(t, 'inboxes:read')}
     order by i.sid desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    (row) => [row.sid],
    (row) => row,
  );
}

export async function getInbox(t: TenantTx, sid: string, scope = 'inboxes:read'): Promise<Inbox> {
  const found = await t.maybe<Inbox>(sql`
    select ${columns} from inboxes i
     where i.account_sid = ${t.accountSid} and i.livemode = ${t.livemode} and i.sid = ${sid}
       and ${withinReach(t, scope)}`);
  if (!found) throw new ApiError('NOT_FOUND');
  return found;
}

export async function createInbox(t: TenantTx, name: string): Promise<Inbox> {
  refuseBlank(name);
  const inbox = await t.one<Inbox>(sql`
    insert into inboxes as i (account_sid, livemode, sid, name, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${newSid('IB', t.now)}, ${name}, ${t.now}, ${t.now})
    returning ${columns}`);
  audit(t, { action: 'inbox.created', resource: inbox.sid, facts: { name } });
  emit(t, inboxEvents.created, inbox);
  return inbox;
}

export async function changeInbox(t: TenantTx, sid: string, { name }: InboxChange): Promise<Inbox> {
  const current = await getInbox(t, sid, 'inboxes:write');
  if (name === undefined || name === current.name) return current;
  refuseBlank(name);
  const inbox = await t.one<Inbox>(sql`
    update inboxes as i set name = ${name}, updated_at = ${t.now}
     where i.account_sid = ${t.accountSid} and i.livemode = ${t.livemode} and i.sid = ${sid}
    returning ${columns}`);
  audit(t, { action: 'inbox.renamed', resource: sid, facts: { from: current.name, to: name } });
  emit(t, inboxEvents.updated, inbox);
  return inbox;
}

function refuseBlank(name: string): void {
  if (name.trim() === '') throw invalid({ path: 'name', issue: 'must not be blank' });
}
