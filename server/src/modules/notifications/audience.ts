// Whom a notification is for, judged whenever somebody looks: who lost the scope or left the inbox sees it no more.
import { type Sql, sql } from '../../platform/db/query.ts';
import type { NotificationType } from '../../platform/notifications.ts';
import { principalName } from '../../platform/principal.ts';
import type { Asking } from '../inboxes/index.ts';
import { inboxText, scopeText } from './audience-text.ts';
import { notificationTypes } from './catalogue.ts';

/** What membership of an inbox is worth nothing without. */
export const readingInbox = 'inboxes:read';

/** The texts of every audience the caller is of, as a query of one column; `joined` are the inboxes that are theirs. */
export function audiencesOf({ principal, accountSid }: Asking): Sql {
  const held = [...(principal.scopesOn(accountSid) ?? [])].map(scopeText);
  // As JSON and not as an array, whose length PostgreSQL would look at: it would plan a short one anew each time, at more than
  // twice of what the feed costs.
  const own = JSON.stringify([principalName(principal), ...held]);
  return sql`select audience from json_array_elements_text(${own}::json) as audience
    union all select ${inboxText('')} || inbox_sid from joined`;
}

/**
 * A condition on rows called `n` of an audience the caller is of: known here, and for a single person something they may
 * still look at, by the account or by an inbox that is theirs.
 */
export function stillTheirs({ principal, accountSid }: Asking): Sql {
  const types = notificationTypes();
  const held = principal.scopesOn(accountSid);
  const isHeld = ({ needs }: NotificationType) => needs === null || (held?.has(needs) ?? false);
  const onAccount = sql`n.type = any (${namesOf(types.filter(isHeld))}::text[])`;
  if (held?.has(readingInbox)) return onAccount;
  const inInbox = types.filter(({ needs }) => needs === readingInbox);
  return sql`(${onAccount} or (n.type = any (${namesOf(inInbox)}::text[])
    and n.inbox_sid in (select inbox_sid from joined)))`;
}

const namesOf = (types: NotificationType[]) => types.map(({ name }) => name);
