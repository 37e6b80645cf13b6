// A SAML identity provider for tests: it signs whatever a test writes, honest or not.
import { randomUUID } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { SignedXml } from 'xml-crypto';

export type Said = {
  assertionId: string;
  responseId: string;
  issuer: string;
  audience: string | null;
  destination: string | null;
  recipient: string;
  inResponseTo: string | null;
  nameId: string;
  nameIdFormat: string;
  notBefore: string;
  notOnOrAfter: string | null;
  confirmedUntil: string | null;
  method: string;
  email: string;
};

export type Asked = { id: string; relayState: string; entityId: string; acsUrl: string };

/** What our redirect asks of the provider. */
export function readRequest(location: string): Asked {
  const query = new URL(location).searchParams;
  const xml = inflateRawSync(Buffer.from(query.get('SAMLRequest')!, 'base64')).toString('utf8');
  const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(xml)![1]!;
  return {
    id: attribute('ID'),
    relayState: query.get('RelayState')!,
    entityId: /Issuer[^>]*>([^<]*)</.exec(xml)![1]!,
    acsUrl: attribute('AssertionConsumerServiceURL'),
  };
}

const at = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString();

/** What an honest provider says to a request. */
export function honest(asked: Asked, now: Date, nameId = 'alice'): Said {
  return {
    assertionId: `_${randomUUID()}`,
    responseId: `_${randomUUID()}`,
    issuer: 'https://idp.example.com',
    audience: asked.entityId,
    destination: asked.acsUrl,
    recipient: asked.acsUrl,
    inResponseTo: asked.id,
    nameId,
    nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    notBefore: at(now, -60),
    notOnOrAfter: at(now, 300),
    confirmedUntil: at(now, 300),
    method: 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
    email: `${nameId}@example.com`,
  };
}

const maybe = (name: string, value: string | null) => (value === null ? '' : ` ${name}="${value}"`);
const saml = 'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';

export const assertionXml = (said: Said) =>
  `<saml:Assertion ${saml} ID="${said.assertionId}" IssueInstant="${said.notBefore}" Version="2.0">` +
  `<saml:Issuer>${said.issuer}</saml:Issuer>` +
  `<saml:Subject><saml:NameID Format="${said.nameIdFormat}">${said.nameId}</saml:NameID>` +
  `<saml:SubjectConfirmation Method="${said.method}"><saml:SubjectConfirmationData` +
  `${maybe('InResponseTo', said.inResponseTo)}${maybe('NotOnOrAfter', said.confirmedUntil)} Recipient="${said.recipient}"/>` +
  `</saml:SubjectConfirmation></saml:Subject>` +
  `<saml:Conditions NotBefore="${said.notBefore}"${maybe('NotOnOrAfter', said.notOnOrAfter)}>` +
  (said.audience === null
    ? ''
    : `<saml:AudienceRestriction><saml:Audience>${said.audience}</saml:Audience></saml:AudienceRestriction>`) +
  `</saml:Conditions><saml:AuthnStatement AuthnInstant="${said.notBefore}"><saml:AuthnContext>` +
  `<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>` +
  `</saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement><saml:Attribute Name="email">` +
  `<saml:AttributeValue>${said.email}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement></saml:Assertion>`;

/** An answer around an assertion, or around whatever stands in its place. */
export const responseXml = (said: Said, inside = assertionXml(said)) =>
  `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="${said.responseId}" Version="2.0" ` +
  `IssueInstant="${said.notBefore}"${maybe('Destination', said.destination)}${maybe('InResponseTo', said.inResponseTo)}>` +
  `<saml:Issuer ${saml}>${said.issuer}</saml:Issuer>` +
  `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>` +
  `${inside}</samlp:Response>`;

type Signing = { key: string; weak?: boolean };

const sha256 = {
  signature: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  digest: 'http://www.w3.org/2001/04/xmlenc#sha256',
};
const sha1 = {
  signature: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
  digest: 'http://www.w3.org/2000/09/xmldsig#sha1',
};

/** Signs the first element of this name in the document. */
export function signed(xml: string, element: 'Assertion' | 'Response', { key, weak }: Signing): string {
  const algorithms = weak ? sha1 : sha256;
  const place = `(//*[local-name(.)='${element}'])[1]`;
  const signature = new SignedXml({
    privateKey: key,
    signatureAlgorithm: algorithms.signature,
    canonicalizationAlgorithm: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  });
  signature.addReference({
    xpath: place,
    digestAlgorithm: algorithms.digest,
    transforms: [
      'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
      'http://www.w3.org/2001/10/xml-exc-c14n#',
    ],
  });
  signature.computeSignature(xml, {
    location: { reference: `${place}/*[local-name(.)='Issuer']`, action: 'after' },
  });
  return signature.getSignedXml();
}

export const encoded = (xml: string) => Buffer.from(xml).toString('base64');
