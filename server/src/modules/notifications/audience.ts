// Whom a notification is for, judged whenever somebody looks: who lost the scope or left the inbox sees it no more.
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import type { NotificationType } from '../../platform/notifications.ts';
import { principalName } from '../../platform/principal.ts';
import { inboxesJoined, inboxesWithinReach } from '../inboxes/index.ts';
import { inboxText, scopeText } from './audience-text.ts';
import { notificationTypes } from './catalogue.ts';

/** What membership of an inbox is worth nothing without. */
export const readingInbox = 'inboxes:read';

/** The texts of every audience the caller is of, as a query of one column. */
export function audiencesOf(t: TenantTx): Sql {
  const { principal, accountSid } = t;
  const held = [...(principal.scopesOn(accountSid) ?? [])].map(scopeText);
  const own = sql`select unnest(${[principalName(principal), ...held]}::text[]) as audience`;
  // A key sees what is the account's; an inbox is its members'.
  if (principal.kind !== 'user') return own;
  return sql`${own} union all
    select ${inboxText('')} || joined.inbox_sid from (${inboxesJoined(t, readingInbox)}) as joined`;
}

/**
 * A condition on rows called `n` of an audience the caller is of: known here, and for a single person something they may
 * still look at, by the account or by its inbox.
 */
export function stillTheirs(t: TenantTx): Sql {
  const types = notificationTypes();
  const held = t.principal.scopesOn(t.accountSid);
  const isHeld = ({ needs }: NotificationType) => needs === null || (held?.has(needs) ?? false);
  const onAccount = sql`n.type = any (${namesOf(types.filter(isHeld))}::text[])`;
  const inboxes = inboxesWithinReach(t, readingInbox);
  if (inboxes === null) return onAccount;
  const inInbox = types.filter(({ needs }) => needs === readingInbox);
  return sql`(${onAccount} or (n.type = any (${namesOf(inInbox)}::text[]) and n.inbox_sid in (${inboxes})))`;
}

const namesOf = (types: NotificationType[]) => types.map(({ name }) => name);
