import { accountPath, Closed, ListOf, Sid, sample, Uuid } from '../../platform/http/input/schema.ts';
import { Answer, created, operation } from '../../platform/http/operations/operation.ts';
import { changeContact } from './change-contacts.ts';
import { getContact, listContacts } from './contacts.ts';
import { fieldSamples } from './fields.ts';
import { findOrCreateContact } from './find-or-create-contact.ts';
import type { ContactHooks } from './hooks.ts';
import { listConflicts } from './merges/conflicts.ts';
import { mergeContacts, resolveConflict, revertMerge } from './merges/merge-contacts.ts';
import { getMerge, listMerges } from './merges/merges.ts';
import { previewMerge } from './merges/preview-merge.ts';
import {
  ConflictResolution,
  Contact,
  ContactChange,
  ContactConflict,
  ContactList,
  ContactMerge,
  ContactMergePreview,
  ContactQuery,
  contactConflictSample,
  contactMergePreviewSample,
  contactMergeSample,
  contactSample,
  MergePreviewRequest,
  MergeRequest,
  NewContact,
  PageQuery,
} from './schema.ts';

const tag = 'Contacts';
const all = '/v1/accounts/{accountSid}/contacts';
const one = `${all}/{contactSid}`;
const contactPath = Closed({ ...accountPath, contactSid: Sid('CT') });

sample(Contact, contactSample);
sample(ContactConflict, contactConflictSample);
sample(ContactMerge, contactMergeSample);
sample(ContactMergePreview, contactMergePreviewSample);

export const operations = (hooks: ContactHooks) => [
  operation({
    id: 'listContacts',
    method: 'GET',
    path: all,
    summary: 'List and search contacts',
    description:
      'Live contacts, newest first. `q` looks in names and identifiers, anywhere from three characters on, at the ' +
      'beginning of a word below that; case and accents do not matter. `identifier` finds the contact that owns it.',
    tag,
    access: ['contacts:read'],
    params: Closed(accountPath),
    query: ContactQuery,
    responses: { 200: ContactList },
    handler: (t, { query, pager }) => listContacts(t, hooks, query, pager),
  }),
  operation({
    id: 'createContact',
    method: 'POST',
    path: all,
    summary: 'Find the contact with an identifier, or create it',
    description:
      'Answers 200 with the contact that owns the first known identifier, or 201 with a new one. Unknown identifiers ' +
      'become its own; identifiers of other contacts stay with them and open an identity conflict. The name, ' +
      'attributes, locale and time zone are used only for a new contact.',
    tag,
    access: ['contacts:write'],
    idempotency: 'required',
    sharesTransaction: true,
    keepsPlans: true,
    params: Closed(accountPath),
    body: NewContact,
    responses: { 200: Contact, 201: Contact },
    example: {
      identifiers: [{ identifierType: 'phone_e164', value: '06 12 34 56 78' }],
      defaultCountry: 'FR',
      ...fieldSamples,
      attributes: { plan: 'gold', visits: 3 },
    },
    async handler(t, { body }) {
      const { contact, created: isNew } = await findOrCreateContact(t, hooks, body);
      return isNew
        ? created(contact, `/v1/accounts/${t.accountSid}/contacts/${contact.sid}`)
        : new Answer(200, contact);
    },
  }),
  operation({
    id: 'listContactConflicts',
    method: 'GET',
    path: `${all}/conflicts`,
    summary: 'List identity conflicts',
    description:
      'A conflict is opened when identifiers of one request belong to two contacts. The newest first; ' +
      'settle an open one by merging the two or by dismissing it.',
    tag,
    access: ['contacts:read'],
    params: Closed(accountPath),
    query: PageQuery,
    responses: { 200: ListOf(ContactConflict) },
    handler: (t, { pager }) => listConflicts(t, pager),
  }),
  operation({
    id: 'resolveContactConflict',
    method: 'POST',
    path: `${all}/conflicts/{conflictId}/resolve`,
    summary: 'Merge the contacts of a conflict, or dismiss it',
    description:
      'A merge keeps the older contact. A dismissed conflict is not opened again by the same identifiers.',
    tag,
    access: ['contacts:write'],
    idempotency: 'required',
    params: Closed({ ...accountPath, conflictId: Uuid }),
    body: ConflictResolution,
    responses: { 200: ContactConflict },
    example: { action: 'merge' },
    handler: (t, { params, body }) => resolveConflict(t, hooks, params.conflictId, body.action),
  }),
  operation({
    id: 'listContactMerges',
    method: 'GET',
    path: `${all}/merges`,
    summary: 'List merges',
    description: 'The newest first. Each says what moved, who merged, and until when it can be taken back.',
    tag,
    access: ['contacts:read'],
    params: Closed(accountPath),
    query: PageQuery,
    responses: { 200: ListOf(ContactMerge) },
    handler: (t, { pager }) => listMerges(t, pager),
  }),
  operation({
    id: 'getContactMerge',
    method: 'GET',
    path: `${all}/merges/{mergeId}`,
    summary: 'Get a merge',
    description:
      'Shows which identifiers and records moved to the surviving contact and, once reverted, what moved ' +
      'back and what stayed.',
    tag,
    access: ['contacts:read'],
    params: Closed({ ...accountPath, mergeId: Uuid }),
    responses: { 200: ContactMerge },
    handler: (t, { params }) => getMerge(t, params.mergeId),
  }),
  operation({
    id: 'revertContactMerge',
    method: 'POST',
    path: `${all}/merges/{mergeId}/revert`,
    summary: 'Revert a merge',
    description:
      'Possible for 30 days. Exactly what moved returns; what the survivor gained since stays. The answer names both.',
    tag,
    access: ['contacts:write'],
    idempotency: 'required',
    params: Closed({ ...accountPath, mergeId: Uuid }),
    responses: { 200: ContactMerge },
    handler: (t, { params }) => revertMerge(t, hooks, params.mergeId),
  }),
  operation({
    id: 'getContact',
    method: 'GET',
    path: one,
    summary: 'Get a contact with its identifiers, attributes and consents',
    description:
      'A contact that was merged answers with status MERGED and names the survivor in `mergedInto`. ' +
      '`consent` tells for each purpose what holds now and which record says so.',
    tag,
    access: ['contacts:read'],
    params: contactPath,
    responses: { 200: Contact },
    handler: (t, { params }) => getContact(t, hooks, params.contactSid),
  }),
  operation({
    id: 'updateContact',
    method: 'PATCH',
    path: one,
    summary: 'Change a contact',
    description:
      'Attributes are changed name by name: those not given stay, and null removes one. With `expectedUpdatedAt` the ' +
      'change is refused if the contact was edited since.',
    tag,
    access: ['contacts:write'],
    idempotency: 'required',
    keepsPlans: true,
    sharesTransaction: true,
    params: contactPath,
    body: ContactChange,
    responses: { 200: Contact },
    example: { displayName: 'Inès Durand', attributes: { plan: 'platinum', trial: null } },
    handler: (t, { params, body }) => changeContact(t, hooks, params.contactSid, body),
  }),
  operation({
    id: 'mergeContact',
    method: 'POST',
    path: `${one}/merge`,
    summary: 'Merge another contact into this one',
    description:
      'Identifiers, consents, suppressions and service windows move to the contact in the path; its own name and ' +
      'attributes stay as they are. Can be reverted for 30 days.',
    tag,
    access: ['contacts:write'],
    idempotency: 'required',
    params: contactPath,
    body: MergeRequest,
    responses: { 200: ContactMerge },
    example: { mergeContactSid: 'CT01K3C0N7AC7S0R0THERPERS0N0', reason: 'The same person with a new number' },
    handler: (t, { params, body }) => mergeContacts(t, hooks, params.contactSid, body),
  }),
  operation({
    id: 'previewContactMerge',
    method: 'POST',
    path: `${one}/merge/preview`,
    summary: 'See what a merge would do',
    description:
      'What would move to the contact in the path and how that would look afterwards, found out by merging and taking it back: ' +
      'nothing is stored and nobody is told. It is refused where the merge would be.',
    tag,
    sdk: 'contacts.previewMerge',
    access: ['contacts:write'],
    whileSuspended: true,
    repeatable: 'Nothing is stored.',
    params: contactPath,
    body: MergePreviewRequest,
    responses: { 200: ContactMergePreview },
    example: { mergeContactSid: 'CT01K3C0N7AC7S0R0THERPERS0N0' },
    outside: (call, { params, body }) => previewMerge(call, hooks, params.contactSid, body.mergeContactSid),
  }),
];
