// Whom a request is about: a contact, or whoever has an identifier.
import { Type } from 'typebox';
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError, type ErrorDetail } from '../../platform/errors/errors.ts';
import { Closed, Nullable, Sid, Text } from '../../platform/http/input/schema.ts';
import { judgeBy } from '../../platform/http/input/validation.ts';
import {
  beingErased,
  findOwners,
  type Identifier,
  IdentifierType,
  judgeIdentifier,
  survivorOf,
} from '../contacts/index.ts';
import type { RequestKind } from './states.ts';

const judgeContact = judgeBy(Closed({ contactSid: Sid('CT') }));
const judgeNamed = judgeBy(
  Closed({
    identifierType: IdentifierType,
    value: Text(256, 1),
    scopeRef: Type.Optional(Nullable(Text(64))),
  }),
);

type Given =
  | { contactSid: string }
  | { identifierType: Identifier['identifierType']; value: string; scopeRef?: string | null };
const places = { value: 'subject.value', scopeRef: 'subject.scopeRef' };
const identifierNames = ['identifierType', 'value', 'scopeRef'];

/** Everything that is wrong with it, each at its place. */
export function issuesOfSubject(subject: Record<string, unknown>): ErrorDetail[] {
  const namesContact = 'contactSid' in subject;
  const namesIdentifier = identifierNames.some((name) => name in subject);
  if (namesContact === namesIdentifier)
    return [{ path: 'subject', issue: 'must be either a contactSid or an identifierType with its value' }];
  const issues = (namesContact ? judgeContact : judgeNamed)(subject);
  if (issues.length > 0) return issues.map(({ path, issue }) => ({ path: `subject.${path}`, issue }));
  return namesContact ? [] : judgeIdentifier(subject as never, places).details;
}

/** What is asked of somebody unknown has nothing to do, or nobody to do it to. */
const needsSomebody = new Set<RequestKind>(['RECTIFICATION', 'RESTRICTION']);

/** The contact it means now, whoever it was merged into or being erased; null for somebody the account does not know. */
export async function contactMeant(
  t: TenantTx,
  kind: RequestKind,
  given: Record<string, unknown>,
): Promise<string | null> {
  const subject = given as Given;
  if ('contactSid' in subject) return survivorOf(t, subject.contactSid);
  const { identifier } = judgeIdentifier(subject, places);
  const [owner] = await findOwners(t, { ...identifier, values: [identifier.value] });
  if (owner !== undefined) return survivorOf(t, owner);
  // It was taken from whoever is being erased, of whom something is kept until that ends.
  const leaving = await beingErased(t, identifier);
  if (leaving !== null) return leaving;
  if (needsSomebody.has(kind)) throw new ApiError('NOT_FOUND');
  return null;
}
