import { accountPath, Closed, Sid } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { certifyConsents } from './certify-consents.ts';
import { ConsentCertificate } from './schema.ts';

export const consentCertificateOperations = [
  operation({
    id: 'certifyConsents',
    method: 'POST',
    path: '/v1/accounts/{accountSid}/contacts/{contactSid}/consent-certificate',
    summary: 'Sign a proof of what a contact agreed to',
    description:
      'The newest 200 consent records of the contact and of those merged into it, each as the text that was hashed, with its words and their ' +
      'salt as far as they are kept, its place in the chain, and where the chain stood. It names nobody else. `godwit privacy verify` ' +
      'proves it without a service, and its SHA-256 stands in the audit chain. A contact without a record is answered CONFLICT.',
    tag: 'Consent',
    sdk: 'consent.certify',
    access: ['contacts:read'],
    whileSuspended: true,
    idempotency: 'required',
    params: Closed({ ...accountPath, contactSid: Sid('CT') }),
    responses: { 200: ConsentCertificate },
    handler: (t, { params }) => certifyConsents(t, params.contactSid),
  }),
];
