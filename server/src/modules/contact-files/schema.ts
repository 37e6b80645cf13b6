import { type Static, Type } from 'typebox';
import { Closed, NamedObject, named, Sid, Text, Word } from '../../platform/http/input/schema.ts';
import { NewConsent } from '../consent/index.ts';
import { ContactQuery, NewContact } from '../contacts/index.ts';

export const Format = named('ContactFileFormat', Word('csv', 'ndjson'));
export type Format = Static<typeof Format>;

// What a request can carry beside its other fields.
const maxInline = 900_000;

const { purpose, status, evidenceRef, expiresAt, evidence } = NewConsent.properties;
const { supersedesConsentSid: _, ...proof } = (
  evidence as typeof evidence & { properties: Record<string, never> }
).properties;

/** As consent is recorded for one contact; the source is IMPORT, and what is superseded follows from the ledger. */
export const ImportedConsent = NamedObject('ImportedConsent', {
  purpose,
  status,
  evidenceRef,
  expiresAt,
  evidence: Type.Optional(Closed(proof)),
});
export type ImportedConsent = Static<typeof ImportedConsent>;

const { defaultCountry, ...contact } = NewContact.properties;

/** One line of NDJSON, and what a row of CSV is read as. */
export const ImportedContact = Closed({
  ...contact,
  consents: Type.Optional(Type.Array(ImportedConsent, { maxItems: 10 })),
});
export type ImportedContact = Static<typeof ImportedContact>;

const settings = {
  format: Format,
  defaultCountry,
  /** Recorded for every row that brings no consent of its own. */
  consent: Type.Optional(ImportedConsent),
};

const mediaSid = Type.Optional(Sid('ME'));

export const NewImport = NamedObject('ImportContactsRequest', {
  ...settings,
  /** The file itself; a larger one is uploaded first, and named by its mediaSid. */
  content: Type.Optional(Text(maxInline, 1)),
  mediaSid,
  dryRun: Type.Optional(Type.Boolean()),
});
export type NewImport = Static<typeof NewImport>;

/** What an import keeps of its request; the rows lie apart, sealed. */
export const ImportInput = Closed({ ...settings, mediaSid });
export type ImportInput = Static<typeof ImportInput>;

const { limit: __, cursor: ___, ...listFilters } = ContactQuery.properties;

export const NewExport = NamedObject('ExportContactsRequest', {
  format: Format,
  segmentSid: Type.Optional(Sid('SG')),
  ...listFilters,
});
export type NewExport = Static<typeof NewExport>;

export const CsvFile = Type.String({ contentMediaType: 'text/csv' });
export const ContactFile = Type.String({ 'x-media-types': ['text/csv', 'application/x-ndjson'] });
