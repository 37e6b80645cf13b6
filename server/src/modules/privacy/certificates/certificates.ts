// Certificates as they are shown, and verified by whoever has nothing but the certificate and the keys.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { sha256Hex } from '../../../platform/hashing.ts';
import { verifyStatement } from '../../../platform/signing/signatures.ts';
import { getRequest } from '../requests.ts';
import type { CertificateClaims, ErasureCertificate } from './schema.ts';
import { certificateType } from './sign.ts';

export async function getCertificate(t: TenantTx, requestSid: string): Promise<ErasureCertificate> {
  const { certificate, accountSid, livemode } = await getRequest(t, requestSid);
  if (certificate === null) throw new ApiError('NOT_FOUND');
  return {
    object: 'erasure_certificate',
    requestSid,
    accountSid,
    livemode,
    certificate,
    sha256: sha256Hex(certificate),
    claims: JSON.parse(Buffer.from(certificate.split('.')[1]!, 'base64url').toString()),
  };
}

/** What a certificate says, if one of these keys signed it as it stands; throws `StatementBroken` otherwise. */
export const verifyCertificate = (certificate: string, keys: readonly unknown[]): CertificateClaims =>
  verifyStatement(certificate, keys, certificateType) as CertificateClaims;
