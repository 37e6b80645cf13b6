// Where what is written to a sender arrives. It decides for conversations that open from then on; those there are stay
// where they are.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { audit } from '../audit/index.ts';
import { inboxExists } from '../inboxes/index.ts';
import { requireSender } from '../senders/index.ts';
import type { SenderInbox } from './schema.ts';

const columns = sql`'sender_inbox' as object, account_sid as "accountSid", livemode, sender_sid as "senderSid",
  inbox_sid as "inboxSid", created_at as "createdAt", updated_at as "updatedAt"`;

export async function listInboxSenders(t: TenantTx, inboxSid: string, pager: Pager) {
  await requireInbox(t, inboxSid);
  const [after] = pager.after ?? [null];
  const rows = await t.many<SenderInbox>(sql`
    select ${columns} from sender_inboxes
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and inbox_sid = ${inboxSid}
       and (${after}::text is null or sender_sid < ${after})
     order by sender_sid desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    (row) => [row.senderSid],
    (row) => row,
  );
}

/** A sender has one inbox: giving it to another takes it from the first. */
export async function giveSender(t: TenantTx, inboxSid: string, senderSid: string): Promise<SenderInbox> {
  await requireInbox(t, inboxSid);
  await requireSender(t, senderSid);
  const row = await t.one<SenderInbox>(sql`
    insert into sender_inboxes (account_sid, livemode, sender_sid, inbox_sid, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${senderSid}, ${inboxSid}, ${t.now}, ${t.now})
    on conflict (account_sid, sender_sid) do update set inbox_sid = excluded.inbox_sid, updated_at = excluded.updated_at
    returning ${columns}`);
  audit(t, { action: 'inbox.sender_added', resource: inboxSid, facts: { senderSid } });
  return row;
}

export async function takeSender(t: TenantTx, inboxSid: string, senderSid: string): Promise<void> {
  await requireInbox(t, inboxSid);
  await requireSender(t, senderSid);
  const removed = await t.run(sql`
    delete from sender_inboxes
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and inbox_sid = ${inboxSid}
       and sender_sid = ${senderSid}`);
  if (removed > 0) audit(t, { action: 'inbox.sender_removed', resource: inboxSid, facts: { senderSid } });
}

async function requireInbox(t: TenantTx, inboxSid: string): Promise<void> {
  if (!(await inboxExists(t, inboxSid))) throw new ApiError('NOT_FOUND');
}
