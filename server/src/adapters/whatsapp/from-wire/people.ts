// What people decided about us, and how the provider names them.
import type { UserIdUpdate, UserPreference } from '../../../modules/provider/index.ts';
import { type Fields, fieldsOf, instantOf, listOf, textOf } from '../reading.ts';
import type { Change } from './change.ts';

type Known = { waId: string | null; bsuid: string | null };

/** What stands beside the changes about this person. */
export function contactFor(value: Fields, { waId, bsuid }: Known): Fields {
  const contacts = listOf(value.contacts).map(fieldsOf);
  return (
    contacts.find(
      (contact) => (waId !== null && contact.wa_id === waId) || (bsuid !== null && contact.user_id === bsuid),
    ) ?? {}
  );
}

// A person who signs up for marketing has as little against it as one who takes it up again.
const values: Record<string, UserPreference['value']> = { stop: 'stop', resume: 'resume', signup: 'resume' };

export function readUserPreference(raw: Fields, { value, receivedAt }: Change): UserPreference | null {
  const user = {
    waId: textOf(raw.wa_id),
    bsuid: textOf(raw.user_id),
    parentBsuid: textOf(raw.parent_user_id),
  };
  const category = textOf(raw.category);
  const wish = values[textOf(raw.value) ?? ''];
  if ((user.waId ?? user.bsuid) === null || category === null || wish === undefined) return null;
  return {
    user,
    profileName: textOf(fieldsOf(contactFor(value, user).profile).name),
    category,
    value: wish,
    detail: textOf(raw.detail),
    occurredAt: instantOf(raw.timestamp) ?? receivedAt,
  };
}

export function readUserIdUpdate(raw: Fields, { receivedAt }: Change): UserIdUpdate | null {
  const own = fieldsOf(raw.user_id);
  const parent = fieldsOf(raw.parent_user_id);
  const update = {
    waId: textOf(raw.wa_id),
    previousBsuid: textOf(own.previous),
    currentBsuid: textOf(own.current),
    previousParentBsuid: textOf(parent.previous),
    currentParentBsuid: textOf(parent.current),
    occurredAt: instantOf(raw.timestamp) ?? receivedAt,
  };
  return (update.currentBsuid ?? update.currentParentBsuid) === null ? null : update;
}
