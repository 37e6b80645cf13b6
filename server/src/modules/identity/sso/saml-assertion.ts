// What a signed assertion must say before it is believed. Everything here is read from the signed element alone, but
// for `judgeEnvelope`, which only refuses.
import type { SamlConfig } from '../providers/config.ts';
import { type ExternalPerson, maxSubjectLength } from './external-person.ts';

// The element as the library reads XML: attributes under `$`, text under `_`, every child a list.
type Node = { $?: Record<string, string>; _?: string };
type Confirmation = Node & { SubjectConfirmationData?: Node[] };
type Attribute = Node & { AttributeValue?: (Node | string)[] };
export type Assertion = Node & {
  Issuer?: Node[];
  Subject?: { NameID?: Node[]; SubjectConfirmation?: Confirmation[] }[];
  Conditions?: Node[];
  AuthnStatement?: Node[];
  AttributeStatement?: { Attribute?: Attribute[] }[];
};

type Expected = { config: SamlConfig; recipient: string; requestId: string; now: Date };

const skewMs = 60_000;
const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';

/**
 * Refuses before anything is parsed: comments and document types, which parsers read in different ways and honest
 * providers do not send; broken hashes; and an answer that says it is meant for another address.
 */
export function judgeEnvelope(xml: string, recipient: string): void {
  if (/<!/.test(xml)) throw new Error('the answer holds a comment or a document type');
  if (/xmldsig#(rsa-sha1|dsa-sha1|hmac-sha1|sha1)["']/.test(xml))
    throw new Error('the answer is signed with SHA-1');
  const root = /^\s*(?:<\?xml[^>]*\?>\s*)?<(?:[\w.-]+:)?Response(\s[^>]*)>/.exec(xml)?.[1];
  if (root === undefined) throw new Error('the answer is no SAML response');
  const destination = /\sDestination\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(root);
  const named = destination?.[1] ?? destination?.[2];
  if (named !== undefined && named !== recipient) throw new Error('the answer is meant for another address');
}

export function judgeAssertion(assertion: Assertion, expected: Expected) {
  const { config, now } = expected;
  const id = assertion.$?.ID ?? '';
  if (assertion.$?.Version !== '2.0' || id === '' || id.length > 256)
    throw new Error('the assertion has no identity');
  if (assertion.Issuer?.[0]?._ !== config.idpEntityId) throw new Error('the assertion is of another issuer');
  const conditions = only(assertion.Conditions, 'conditions').$ ?? {};
  judgeWindow(conditions, now);
  const subject = only(assertion.Subject, 'subject');
  const confirmed = (subject.SubjectConfirmation ?? []).some((one) => confirms(one, expected));
  if (!confirmed) throw new Error('no confirmation of the subject fits this request');
  const session = only(assertion.AuthnStatement, 'authentication').$ ?? {};
  if (session.SessionNotOnOrAfter !== undefined && instant(session.SessionNotOnOrAfter) <= now.getTime())
    throw new Error('the session at the provider is over');
  const expiresAt = new Date(instant(conditions.NotOnOrAfter) + skewMs + 1_000);
  return { person: personIn(subject.NameID, assertion, config), assertion: { id, expiresAt } };
}

function only<T>(list: T[] | undefined, what: string): T {
  if (list?.length !== 1) throw new Error(`the assertion must have its ${what} exactly once`);
  return list[0]!;
}

/** In milliseconds. What is missing or no instant is refused: a window without an end never closes. */
function instant(text: string | undefined): number {
  const ms = Date.parse(text ?? '');
  if (Number.isNaN(ms)) throw new Error('the assertion lacks an instant');
  return ms;
}

function judgeWindow({ NotBefore, NotOnOrAfter }: Record<string, string>, now: Date): void {
  if (NotBefore !== undefined && instant(NotBefore) > now.getTime() + skewMs)
    throw new Error('the assertion is not valid yet');
  if (instant(NotOnOrAfter) <= now.getTime() - skewMs) throw new Error('the assertion has expired');
}

function confirms(confirmation: Confirmation, { recipient, requestId, now }: Expected): boolean {
  const data = confirmation.SubjectConfirmationData?.[0]?.$ ?? {};
  return (
    confirmation.$?.Method === bearer &&
    data.Recipient === recipient &&
    data.InResponseTo === requestId &&
    data.NotBefore === undefined &&
    data.NotOnOrAfter !== undefined &&
    instant(data.NotOnOrAfter) > now.getTime() - skewMs
  );
}

function personIn(nameIds: Node[] | undefined, assertion: Assertion, config: SamlConfig): ExternalPerson {
  const nameId = only(nameIds, 'name of the subject');
  const subject = nameId._?.trim() ?? '';
  if (subject === '' || subject.length > maxSubjectLength) throw new Error('the subject has no usable name');
  // Such a name is another one at every sign-in.
  if (nameId.$?.Format === transient) throw new Error('the subject has a passing name');
  const attributes = attributesOf(assertion);
  const first = (...names: (string | undefined)[]) =>
    names
      .map((name) => (name === undefined ? undefined : attributes.get(name)))
      .find((value) => value !== undefined);
  return {
    subject,
    email: first(config.emailAttribute, ...emailAttributes) ?? null,
    emailVerified: null,
    displayName: first(config.displayNameAttribute, ...displayNameAttributes) ?? null,
  };
}

// By these names the common providers tell them.
const emailAttributes = [
  'email',
  'mail',
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
];
const displayNameAttributes = [
  'displayName',
  'urn:oid:2.16.840.1.113730.3.1.241',
  'http://schemas.microsoft.com/identity/claims/displayname',
];

function attributesOf(assertion: Assertion): Map<string, string> {
  const found = new Map<string, string>();
  for (const attribute of (assertion.AttributeStatement ?? []).flatMap(
    (statement) => statement.Attribute ?? [],
  )) {
    const [value] = attribute.AttributeValue ?? [];
    const text = typeof value === 'string' ? value : value?._;
    const name = attribute.$?.Name;
    if (name !== undefined && text !== undefined && !found.has(name)) found.set(name, text.trim());
  }
  return found;
}
