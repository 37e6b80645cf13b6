// Whom the recipients are now. People who were merged since the audience was cut are one person, and get one message at most.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { type MailedContact, mailedContacts } from '../../contacts/index.ts';
import { admittedAmong, type Waiting } from './recipients.ts';

/** For each in order: whom they stand for; or why nothing is sent to them. */
export async function peopleOf(
  t: TenantTx,
  campaignSid: string,
  waiting: Waiting[],
  attributeNames: string[],
): Promise<(MailedContact | ApiError)[]> {
  const people = await mailedContacts(
    t,
    waiting.map(({ contactSid }) => contactSid),
    attributeNames,
  );
  const written = await writtenTo(t, campaignSid, waiting, people);
  return waiting.map(({ contactSid }) => {
    const person = people.get(contactSid);
    if (!person) return new ApiError('NOT_FOUND', { message: 'The contact is no longer there.' });
    if (!written.has(person.contactSid)) {
      // Of several who became one the first in line is written to.
      written.add(person.contactSid);
      return person;
    }
    return new ApiError('CONFLICT', {
      message: `The contact is ${person.contactSid} now, who has a message of this campaign.`,
    });
  });
}

/** Those who have a message already, under any of the names they had. */
async function writtenTo(
  t: TenantTx,
  campaignSid: string,
  waiting: Waiting[],
  people: ReadonlyMap<string, MailedContact>,
): Promise<Set<string>> {
  const merged = waiting.flatMap(({ contactSid }) => {
    const person = people.get(contactSid);
    return person && (person.contactSid !== contactSid || person.mergedSids.length > 0) ? [person] : [];
  });
  const namesOf = ({ contactSid, mergedSids }: MailedContact) => [contactSid, ...mergedSids];
  const admitted =
    merged.length === 0 ? new Set<string>() : await admittedAmong(t, campaignSid, merged.flatMap(namesOf));
  return new Set(
    merged
      .filter((person) => namesOf(person).some((sid) => admitted.has(sid)))
      .map(({ contactSid }) => contactSid),
  );
}
