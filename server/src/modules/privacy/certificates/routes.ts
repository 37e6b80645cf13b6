import { accountPath, Closed, Sid } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { publishedKeys } from '../../opt-in-links/index.ts';
import { getCertificate } from './certificates.ts';
import { publishedCertificateKeys } from './keys.ts';
import { ErasureCertificate, SigningKeys } from './schema.ts';

const tag = 'Privacy requests';

export const certificateOperations = [
  operation({
    id: 'getPrivacyCertificate',
    method: 'GET',
    path: '/v1/accounts/{accountSid}/privacy/requests/{requestSid}/certificate',
    summary: 'Get the certificate of an erasure',
    description:
      'A signed statement of what was erased, what was kept and on which legal basis, and what ends later by itself. It names nobody. ' +
      '`godwit privacy verify` proves it without a service, and its SHA-256 stands in the audit chain.',
    tag,
    access: ['privacy:read'],
    params: Closed({ ...accountPath, requestSid: Sid('DR') }),
    responses: { 200: ErasureCertificate },
    handler: (t, { params }) => getCertificate(t, params.requestSid),
  }),
  operation({
    id: 'listSigningKeys',
    method: 'GET',
    path: '/.well-known/jwks.json',
    summary: 'List the keys of this installation',
    description:
      'A JSON Web Key Set with every key by which a certificate of erasure or a receipt was ever signed.',
    tag,
    access: 'public',
    responses: { 200: SigningKeys },
    async open({ database }) {
      const receipts = await publishedKeys(database);
      return { keys: [...(await publishedCertificateKeys(database)), ...receipts.keys] };
    },
  }),
];
