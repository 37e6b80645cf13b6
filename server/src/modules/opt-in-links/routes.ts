import { accountPath, Closed, ListOf, Sid } from '../../platform/http/input/schema.ts';
import { Answer, operation } from '../../platform/http/operations/operation.ts';
import { refusalPage, showForm, submitForm } from './form/answers.ts';
import { createLink, listLinks, revokeLink } from './links.ts';
import {
  CreatedOptInLink,
  NewOptInLink,
  OptInForm,
  OptInFormFields,
  OptInLink,
  OptInReceipt,
  OptInSubmission,
  OptInToken,
  ReceiptKeys,
} from './schema.ts';
import { publishedKeys } from './submissions/receipt-keys.ts';

const tag = 'Opt-in links';
const all = '/v1/accounts/{accountSid}/opt-in-links';
const form = '/v1/opt-in/{token}';

export const operations = [
  operation({
    id: 'listOptInLinks',
    method: 'GET',
    path: all,
    summary: 'List opt-in links',
    description: 'The newest 1,000, with expired and revoked ones. Tokens are not among what is told.',
    tag,
    access: ['contacts:read'],
    params: Closed(accountPath),
    responses: { 200: ListOf(OptInLink) },
    handler: (t) => listLinks(t),
  }),
  operation({
    id: 'createOptInLink',
    method: 'POST',
    path: all,
    summary: 'Create a link to a hosted opt-in form',
    description:
      'The `token` and the `url` of the form are answered once; only a hash of the token is kept. The link never changes: ' +
      'for other words make another. `purpose` is MARKETING unless said otherwise, `defaultCountry` the ' +
      "organization's country, and without `expiresInDays` it stays open until it is revoked. At most 500 are open at a time.",
    tag,
    access: ['contacts:write'],
    idempotency: 'accepted',
    revealsSecret: true,
    params: Closed(accountPath),
    body: NewOptInLink,
    responses: { 201: CreatedOptInLink },
    example: {
      consentText: 'Yes, Blue Heron may send me offers on WhatsApp. I can stop them at any time.',
      label: 'Newsletter, autumn',
      defaultCountry: 'FR',
      expiresInDays: 90,
    },
    handler: async (t, { body }) => new Answer(201, await createLink(t, body)),
  }),
  operation({
    id: 'revokeOptInLink',
    method: 'POST',
    path: `${all}/{linkSid}/revoke`,
    summary: 'Revoke an opt-in link',
    description: 'Its form is gone at once, and its row is kept. Revoking it again changes nothing.',
    tag,
    access: ['contacts:write'],
    repeatable: 'A revoked link stays revoked, since when it was first.',
    params: Closed({ ...accountPath, linkSid: Sid('OL') }),
    responses: { 200: OptInLink },
    handler: (t, { params }) => revokeLink(t, params.linkSid),
  }),
  operation({
    id: 'getOptInForm',
    method: 'GET',
    path: form,
    summary: 'Show an opt-in form',
    description:
      'A page for browsers (`Accept: text/html`), in English or French by `Accept-Language`, and what it says for programs. ' +
      'Query parameters are ignored. Unknown, expired and revoked links are all NOT_FOUND.',
    tag,
    access: 'public',
    ignoresQuery: true,
    params: OptInToken,
    responses: { 200: OptInForm },
    page: true,
    refusalPage,
    open: showForm,
  }),
  operation({
    id: 'submitOptInForm',
    method: 'POST',
    path: form,
    summary: 'Submit an opt-in form',
    description:
      'Finds or creates the contact by phone and records an OPTED_IN consent of source FORM that cites the link and the exact ' +
      'words. Submitting again records nothing new. If the person opted out before, that stands until their own phone ' +
      'sends the text in `confirmation`. From the sixth submission of an address within 10 minutes on, a solved ' +
      'challenge must come along.',
    tag,
    access: 'public',
    repeatable: 'A person who agreed on this link already is not recorded again.',
    ignoresQuery: true,
    takesSolution: true,
    maxBodyBytes: 16 * 1024,
    params: OptInToken,
    body: OptInSubmission,
    responses: { 200: OptInReceipt },
    page: true,
    refusalPage,
    form: OptInFormFields,
    example: { phone: '+33612345678', name: 'Inès Martin', agreed: true },
    open: submitForm,
  }),
  operation({
    id: 'listReceiptKeys',
    method: 'GET',
    path: '/v1/receipt-keys',
    summary: 'List the keys that sign receipts',
    description: 'A JSON Web Key Set with every key by which a receipt was ever signed.',
    tag,
    access: 'public',
    responses: { 200: ReceiptKeys },
    open: ({ database }) => publishedKeys(database),
  }),
];
