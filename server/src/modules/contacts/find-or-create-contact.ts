import type { TenantTx } from '../../platform/db/database.ts';
import { type ErrorDetail, invalid } from '../../platform/errors/errors.ts';
import { judgeAttributes } from './attributes.ts';
import { getContact } from './contacts.ts';
import { judgeFields } from './fields.ts';
import type { ContactHooks } from './hooks.ts';
import { judgeIdentifiers } from './identifiers/identifiers.ts';
import { requireFound, resolveContacts } from './resolve-contacts.ts';
import type { Contact, Identifier, NewContact } from './schema.ts';

/** What a contact is judged by before anything is looked up. */
export function judgeContact(input: NewContact): { identifiers: Identifier[]; details: ErrorDetail[] } {
  const { identifiers, details } = judgeIdentifiers(input.identifiers, input.defaultCountry);
  details.push(...judgeFields(input), ...judgeAttributes(input.attributes ?? {}));
  return { identifiers, details };
}

/** Fields and attributes are those of a new contact: finding one changes none of them. */
export async function findOrCreateContact(
  t: TenantTx,
  hooks: ContactHooks,
  input: NewContact,
): Promise<{ contact: Contact; created: boolean }> {
  const { identifiers, details } = judgeContact(input);
  if (details.length > 0) throw invalid(...details);
  const [resolved] = await resolveContacts(t, hooks, [{ identifiers, profile: input }]);
  const { contactSid, outcome, contact } = requireFound(resolved!);
  return { contact: contact ?? (await getContact(t, hooks, contactSid)), created: outcome === 'created' };
}
