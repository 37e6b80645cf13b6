// Proves certificates with nothing but files: whoever was given one needs no account and no service.
import { readFile } from 'node:fs/promises';
import {
  type CertificateClaims,
  type ConsentCertificateClaims,
  consentCertificateType,
  verifyCertificate,
  verifyConsentCertificate,
} from '../../../modules/privacy/index.ts';
import { ConfigError } from '../../../platform/config.ts';
import { claimedType, StatementBroken } from '../../../platform/signing/signatures.ts';

type Print = (line: string) => void;

/** Says what the certificate says; false where it does not hold, with the reason. */
export async function proveCertificate(
  file: string,
  keysFile: string,
  { json }: { json: boolean },
  print: Print,
): Promise<boolean> {
  const [certificate, keys] = [certificateIn(await read(file)), keysIn(await read(keysFile), keysFile)];
  try {
    const { claims, lines } = verified(certificate, keys);
    if (json) print(JSON.stringify(claims));
    else for (const line of lines()) print(line);
    return true;
  } catch (error) {
    if (!(error instanceof StatementBroken)) throw error;
    print(`The certificate does not hold: ${error.message}.`);
    return false;
  }
}

/** A certificate of consents or of an erasure, as it says itself; whatever it is, its signature covers that. */
function verified(certificate: string, keys: unknown[]): { claims: object; lines: () => string[] } {
  if (claimedType(certificate) === consentCertificateType) {
    const claims = verifyConsentCertificate(certificate, keys);
    return { claims, lines: () => describedConsents(claims) };
  }
  const claims = verifyCertificate(certificate, keys);
  return { claims, lines: () => described(claims) };
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? error}.`);
  }
}

/** The certificate alone, or the answer of the API that holds it. */
function certificateIn(text: string): string {
  const found = parsed(text) as { certificate?: unknown } | null;
  return typeof found?.certificate === 'string' ? found.certificate : text.trim();
}

function keysIn(text: string, file: string): unknown[] {
  const { keys } = (parsed(text) ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new ConfigError(`${file} is no key set: it has no list "keys".`);
  return keys;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function described(claims: CertificateClaims): string[] {
  const { jti, accountSid, livemode, completedAt, counts, kept, tails, backupsUntil, chains } = claims;
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return [
    'The certificate holds.',
    `request    ${jti} of ${accountSid}, ${livemode ? 'live' : 'sandbox'}, at ${claims.iss}`,
    `contact    ${claims.contactSid ?? 'nobody was found'}`,
    `completed  ${completedAt}`,
    `erased     ${rows} rows in ${Object.keys(counts).length} stores`,
    ...kept.map(({ store, why }) => `kept       ${store}: ${why}`),
    ...tails.map(({ store, what, until }) => `ends       ${store}: ${what}, ${until}`),
    `backups    until ${backupsUntil}`,
    ...chains.map(({ chain, sequence, hash }) => `chain      ${chain} ${sequence} ${hash}`),
  ];
}

function describedConsents(claims: ConsentCertificateClaims): string[] {
  const { contactSid, accountSid, livemode, iss, iat, consents, omitted, head } = claims;
  return [
    'The certificate holds.',
    `contact    ${contactSid} of ${accountSid}, ${livemode ? 'live' : 'sandbox'}, at ${iss}`,
    `signed     ${new Date(iat * 1_000).toISOString()}`,
    ...(omitted > 0 ? [`omitted    ${omitted} older records`] : []),
    ...consents.map(describedConsent),
    `chain      consent ${head.sequence} ${head.hash}`,
  ];
}

function describedConsent({
  sequence,
  payload,
  detail,
}: ConsentCertificateClaims['consents'][number]): string {
  const { createdAt, purpose, status, source } = JSON.parse(payload) as Record<string, unknown>;
  const said = detail === null ? '' : `: ${detail.text}`;
  return `link       ${sequence} ${createdAt} ${purpose} ${status} by ${source}${said}`;
}
