// The operator keeps an account from acting, and lets it act again. A suspended account is looked at, and what people write to it is
// stored; it sends and changes nothing. What was accepted before stays in line until it is resumed, canceled or expires.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { type EventType, emit } from '../../platform/events.ts';
import { audit } from '../audit/index.ts';
import { getAccount } from './account.ts';
import { accountEvents } from './events.ts';
import type { Account } from './schema.ts';

export async function suspendAccount(t: TenantTx, reason: string): Promise<Account> {
  const account = await changeStatus(t, 'suspended', reason, accountEvents.suspended);
  // After the answer nothing leaves: what looked before is waited for.
  t.outwait(t.accountSid);
  return account;
}

export const resumeAccount = (t: TenantTx, reason: string): Promise<Account> =>
  changeStatus(t, 'active', reason, accountEvents.resumed);

async function changeStatus(
  t: TenantTx,
  status: Account['status'],
  reason: string,
  event: EventType<Account>,
): Promise<Account> {
  const isSuspended = status === 'suspended';
  // One that stands below a suspended account stays suspended with it.
  const changed = await t.run(sql`
    update accounts set status = case when parent_suspended then 'suspended' else ${status} end, suspended_at = ${isSuspended ? t.now : null},
      suspension_reason = ${isSuspended ? reason : null}, updated_at = ${t.now}
     where sid = ${t.accountSid} and (suspended_at is null) = ${isSuspended}`);
  if (changed === 0)
    throw new ApiError('CONFLICT', {
      message: isSuspended ? 'The account is suspended already.' : 'The account is not suspended.',
    });
  const account = await getAccount(t);
  audit(t, { action: event.name, resource: t.accountSid, facts: { reason } });
  emit(t, event, account);
  return account;
}
