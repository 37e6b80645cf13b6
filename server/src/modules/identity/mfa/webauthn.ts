// WebAuthn ceremonies: what the browser is asked, and whether its answer holds. Only the browser's page of this very
// service may answer, and only after the authenticator recognized its person (a PIN, a fingerprint, a face).
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Site } from '../../../platform/ports.ts';

export type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON };

// Loaded when the first person needs it: the start of the service should not wait for it.
const webauthn = () => import('@simplewebauthn/server');

// EdDSA, ES256, RS256: what authenticators make. Named, so that asking and judging agree.
const algorithms = [-8, -7, -257];
export const ceremonyMs = 5 * 60_000;

const rpId = (site: Site) => new URL(site.publicUrl).hostname;
const originOf = (site: Site) => new URL(site.publicUrl).origin;

export type KnownKey = { webauthnId: string; transports: string[] };
const toDescriptor = ({ webauthnId, transports }: KnownKey) => ({ id: webauthnId, transports });

type Person = { userSid: string; email: string; displayName: string | null };

export async function creationOptions(
  site: Site,
  challenge: string,
  person: Person,
  known: KnownKey[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  return (await webauthn()).generateRegistrationOptions({
    rpName: 'Godwit',
    rpID: rpId(site),
    userName: person.email,
    userDisplayName: person.displayName ?? person.email,
    userID: new Uint8Array(Buffer.from(person.userSid)),
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: ceremonyMs,
    attestationType: 'none',
    excludeCredentials: known.map(toDescriptor),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  });
}

export async function requestOptions(
  site: Site,
  challenge: string,
  known: KnownKey[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return (await webauthn()).generateAuthenticationOptions({
    rpID: rpId(site),
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: ceremonyMs,
    allowCredentials: known.map(toDescriptor),
    userVerification: 'required',
  });
}

export type Registered = {
  webauthnId: string;
  publicKey: Buffer;
  counter: number;
  transports: string[];
  backedUp: boolean;
};

/** The new authenticator, or null when the answer does not hold. */
export async function judgeRegistration(
  site: Site,
  text: string,
  challenge: string,
): Promise<Registered | null> {
  try {
    const response = JSON.parse(text) as RegistrationResponseJSON;
    if (!isFirstParty(response.response.clientDataJSON) || !(await isUnattested(response))) return null;
    const { verifyRegistrationResponse } = await webauthn();
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: originOf(site),
      expectedRPID: rpId(site),
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    });
    if (!verified) return null;
    const { credential, credentialBackedUp } = registrationInfo;
    return {
      webauthnId: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: knownTransports(credential.transports),
      backedUp: credentialBackedUp,
    };
  } catch {
    return null; // the library throws on every answer that does not hold
  }
}

/**
 * We ask for no attestation and believe none, so a certificate in the answer has no honest reason. It is refused
 * unread, since judging one would fetch revocation lists from an address written in it.
 */
async function isUnattested({ response }: RegistrationResponseJSON): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const decoded = decodeAttestationObject(
    new Uint8Array(Buffer.from(response.attestationObject, 'base64url')),
  );
  const format = decoded.get('fmt');
  return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined);
}

const transports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];
const knownTransports = (given: readonly string[] = []) => transports.filter((name) => given.includes(name));

export type Assertion = { response: AuthenticationResponseJSON; webauthnId: string; challenge: string };

const isUrlSafe = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z0-9_-]{1,2048}$/.test(value);

/** Reads what the browser sent, without believing it yet. */
export function readAssertion(text: string): Assertion | null {
  try {
    const response = JSON.parse(text) as AuthenticationResponseJSON;
    const { clientDataJSON } = response.response;
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
    if (!isUrlSafe(response.id) || !isUrlSafe(challenge) || !isFirstParty(clientDataJSON)) return null;
    return { response, webauthnId: response.id, challenge };
  } catch {
    return null;
  }
}

/** A page of ours inside somebody else's frame is not where people confirm things. */
function isFirstParty(clientDataJSON: string): boolean {
  const { crossOrigin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
  return crossOrigin !== true;
}

export type KnownAuthenticator = KnownKey & { publicKey: Buffer; counter: number };

/** The authenticator's new counter, or null when the answer does not hold. */
export async function judgeAssertion(
  site: Site,
  { response, challenge }: Assertion,
  known: KnownAuthenticator,
): Promise<{ counter: number; backedUp: boolean } | null> {
  try {
    const { verifyAuthenticationResponse } = await webauthn();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: originOf(site),
      expectedRPID: rpId(site),
      requireUserVerification: true,
      credential: {
        id: known.webauthnId,
        publicKey: new Uint8Array(known.publicKey),
        counter: known.counter,
        transports: known.transports as AuthenticatorTransport[],
      },
    });
    if (!verified) return null;
    return { counter: authenticationInfo.newCounter, backedUp: authenticationInfo.credentialBackedUp };
  } catch {
    return null;
  }
}
