import type { Module } from '../../platform/module.ts';
import { contactBelongings } from './erasure/belongings.ts';
import { contactEvents } from './events.ts';
import type { ContactHooks } from './hooks.ts';
import { operations } from './routes.ts';

export { type Addressee, type Addressees, addresseesOf, findAddressees } from './addressees.ts';
export {
  type AttributeTest,
  type Audience,
  attributeHolds,
  audience,
  createdAfter,
  isOneOf,
} from './audience.ts';
export { type ContactEdit, changeContact, changeContacts, issuesOfChange } from './change-contacts.ts';
export {
  changedHands,
  countContacts,
  findOwners,
  identitiesOf,
  isErased,
  listContacts,
  lockContact,
  lockContacts,
  lockSurvivor,
  noConsents,
  readContacts,
  survivorOf,
  survivorsOf,
} from './contacts.ts';
export { beingErased, erasedSince, forgetErased, noteErased } from './erasure/erased-identifiers.ts';
export { tellErased } from './erasure/tell-erased.ts';
export { fieldFilters, fieldNames, fieldsHold, isTimeZone } from './fields.ts';
export { judgeContact } from './find-or-create-contact.ts';
export { type ContactHooks, followMerges, type MergedPair, type MergeFollower } from './hooks.ts';
export {
  type IdentifierFilter,
  identifierFilter,
  identifierKey,
  judgeIdentifier,
  normalizeUsername,
  type PersonNames,
  personIdentifiers,
  readCountry,
  readPhone,
  readWaId,
} from './identifiers/identifiers.ts';
export { type KnownAs, learnNumbers } from './learn-numbers.ts';
export { type MailedContact, mailedContacts, mergesAmong, peopleAmong } from './mailed-contacts.ts';
export { contactsNow, type NamedContact } from './merges/contacts-now.ts';
export { lockMerges } from './merges/merge-contacts.ts';
export {
  detachIdentifiers,
  erasedOptOuts,
  type HashedOptOut,
  hashOptOut,
  type KeptConsent,
  type KeptSuppression,
  keepOptOut,
  liftErased,
  type OptOut,
  type Returning,
  takeHashed,
} from './opt-outs/erased-opt-outs.ts';
export { returnOptOutsBy } from './opt-outs/return-opt-outs.ts';
export { personOf } from './person.ts';
export {
  type ContactEntry,
  type Found,
  type Known,
  type Profile,
  planContacts,
  type Resolved,
} from './plan-contacts.ts';
export { contactsFor, requireFound, resolveContacts } from './resolve-contacts.ts';
export {
  isRestricted,
  restrictContact,
  restrictedConflict,
  restrictionsNow,
  restrictionsOf,
  restrictsAnybody,
  unrestrictContact,
} from './restrictions.ts';
export {
  type ConsentPurpose,
  ConsentStatus,
  ConsentSummary,
  Contact,
  ContactQuery,
  consentPurposes,
  consentStatuses,
  Identifier,
  IdentifierType,
  NewContact,
} from './schema.ts';

export const contactsModule = (hooks: ContactHooks): Module => ({
  name: 'contacts',
  tables: [
    'contacts',
    'contact_identifiers',
    'contact_conflicts',
    'contact_merges',
    'opt_out_keys',
    'erased_opt_outs',
    'contact_restrictions',
    'erased_identifiers',
  ],
  tags: {
    Contacts: 'People and their identifiers, merged where two turn out to be one.',
  },
  operations: operations(hooks),
  events: Object.values(contactEvents),
  jobs: [],
  crons: [],
  belongings: contactBelongings,
});
