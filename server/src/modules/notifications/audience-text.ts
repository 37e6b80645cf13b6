// How the audience of a notification is written down: as one text, by which it is found.
import type { Audience } from '../../platform/notifications.ts';

export function audienceText(to: Audience): string {
  if ('principal' in to) return to.principal;
  return 'scope' in to ? scopeText(to.scope) : inboxText(to.part);
}

export const scopeText = (scope: string) => `scope:${scope}`;
export const inboxText = (inboxSid: string) => `inbox:${inboxSid}`;

/** The inbox that a single person must still reach. */
export const inboxOf = (to: Audience): string | null => ('principal' in to ? (to.part ?? null) : null);

export function readAudience(text: string, inbox: string | null): Audience {
  if (text.startsWith('scope:')) return { scope: text.slice('scope:'.length) };
  return text.startsWith('inbox:') ? { part: text.slice('inbox:'.length) } : { principal: text, part: inbox };
}
