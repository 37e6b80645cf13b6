// The tokens in the links by which a person turns off mail of the kinds that a mail told of. They are derived, so that every mail
// to the same effect has the same link, and found by their hash, so that a link outlives the key it was derived with.
import type { SystemTx, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { hmacSha256, sha256 } from '../../../platform/hashing.ts';
import type { NotificationCategory } from '../../../platform/notification-categories.ts';

export type Subscription = {
  accountSid: string;
  livemode: boolean;
  userSid: string;
  /** Sorted. */
  categories: NotificationCategory[];
};

/** The link for these kinds of mail to a person, good from the commit on. */
export async function unsubscribeUrl(
  t: TenantTx,
  userSid: string,
  categories: readonly NotificationCategory[],
): Promise<string> {
  const sorted = [...new Set(categories)].sort();
  const token = hmacSha256(
    t.sealer.derive('notification-unsubscribe'),
    [t.accountSid, t.livemode ? 'live' : 'sandbox', userSid, ...sorted].join('\n'),
  ).toString('base64url');
  await t.run(sql`
    insert into notification_unsubscribe_tokens (token_hash, account_sid, livemode, user_sid, categories, created_at)
    values (${sha256(token)}, ${t.accountSid}, ${t.livemode}, ${userSid}, ${sorted}::text[], ${t.now})
    on conflict (token_hash) do nothing`);
  return `${t.site.publicUrl}/v1/notification-unsubscribe/${token}`;
}

export async function findSubscription(s: SystemTx, token: string): Promise<Subscription | null> {
  const found = await s.maybe<Subscription>(sql`
    select account_sid as "accountSid", livemode, user_sid as "userSid", categories
      from notification_unsubscribe_tokens where token_hash = ${sha256(token)}`);
  return found ?? null;
}
