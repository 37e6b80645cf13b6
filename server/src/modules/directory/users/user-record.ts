// A user as a directory describes them, and what the service itself needs of that description.
import { type DirectoryRecord, usableEmail } from '../../identity/index.ts';
import type { Document } from '../protocol/normalise.ts';
import { badRequest } from '../protocol/scim-error.ts';

/** What has a place of its own is taken out; all the rest is kept as it was given. */
export function toRecord({ externalId, active, ...attributes }: Document): DirectoryRecord {
  const { userName } = attributes;
  if (typeof userName !== 'string' || userName.trim() === '')
    throw badRequest('invalidValue', '"userName" is required.');
  return {
    externalId: (externalId as string | undefined) ?? null,
    email: emailIn(attributes, userName),
    displayName: displayNameIn(attributes)?.slice(0, 128) ?? null,
    active: (active as boolean | undefined) ?? true,
    attributes,
  };
}

type Email = { value?: string; type?: string; primary?: boolean };

function emailIn({ emails = [] }: { emails?: unknown }, userName: string): string {
  const list = emails as Email[];
  const chosen = list.find(({ primary }) => primary) ?? list.find(({ type }) => type === 'work') ?? list[0];
  const email = chosen?.value ?? userName;
  const usable = usableEmail(email);
  if (usable === null)
    throw badRequest('invalidValue', 'An e-mail address is required, in "emails" or as "userName".');
  return usable;
}

type Names = { displayName?: string; name?: { formatted?: string; givenName?: string; familyName?: string } };

function displayNameIn(attributes: Document): string | null {
  const { displayName, name = {} } = attributes as Names;
  const composed = [name.givenName, name.familyName].filter(Boolean).join(' ');
  return displayName ?? name.formatted ?? (composed || null);
}
