// Contacts into a file, as an operation: those of a list's filters, or the members of a segment. Each chunk is one part of
// the file. A CSV file written here can be imported again.
import type { TenantTx } from '../../platform/db/database.ts';
import { invalid } from '../../platform/errors/errors.ts';
import { createPager } from '../../platform/http/operations/pagination.ts';
import { consentsOf } from '../consent/index.ts';
import {
  type Contact,
  consentPurposes,
  countContacts,
  fieldNames,
  listContacts,
  readContacts,
} from '../contacts/index.ts';
import { accepted, type Chunk, defineOperationType, startOperation } from '../operations/index.ts';
import { getSegment, memberSids } from '../segments/index.ts';
import { csvLine } from './csv.ts';
import { appendPart, createFile, requireFile } from './files.ts';
import { NewExport } from './schema.ts';

const chunkRows = 1_000;

type Checkpoint = { after: string | null; part: number; rows: number };

export async function startExport(t: TenantTx, input: NewExport) {
  const { format: _, segmentSid, ...filters } = input;
  const filtered = Object.keys(filters).length > 0;
  if (segmentSid !== undefined && filtered) {
    throw invalid({ path: 'segmentSid', issue: 'cannot be combined with other filters' });
  }
  // Read once now, so that filters that make no sense are refused at once and not by the operation.
  if (filtered) await page(t, input, null, 1);
  const total = segmentSid
    ? (await getSegment(t, segmentSid)).memberCount
    : filtered
      ? null
      : await countContacts(t);
  const operation = await startOperation(t, contactExport, input, total === null ? {} : { total });
  await createFile(t, operation.sid, 'export', input.format);
  return accepted(operation);
}

export const contactExport = defineOperationType({
  type: 'contacts.export',
  input: NewExport,
  async *chunks({ read, signal }, { sid, input }, checkpoint): AsyncGenerator<Chunk> {
    let { after, part, rows } = (checkpoint as Checkpoint | null) ?? { after: null, part: 0, rows: 0 };
    for (;;) {
      signal.throwIfAborted();
      const found = await read((t) => page(t, input, after, chunkRows));
      // Also an empty file has its header.
      if (found.sids.length === 0 && part > 0) return;
      after = found.sids.at(-1) ?? after;
      const position = part;
      part += 1;
      rows += found.contacts.length;
      const body = Buffer.from(written(input, found.contacts, position === 0));
      yield {
        checkpoint: { after, part, rows },
        async apply(t) {
          await appendPart(t, sid, 'export', position, body);
          return { done: found.contacts.length, failed: 0 };
        },
      };
    }
  },
  async finish(t, { sid }, checkpoint) {
    const { format, expiresAt } = await requireFile(t, sid, 'export');
    const url = `/v1/accounts/${t.accountSid}/contacts/exports/${sid}/file`;
    return { rows: (checkpoint as Checkpoint).rows, file: { url, format, expiresAt } };
  },
});

type Found = { sids: string[]; contacts: Contact[] };

/** The next contacts and where they end: one merged meanwhile is passed over, and the place it had is kept. */
async function page(t: TenantTx, input: NewExport, after: string | null, limit: number): Promise<Found> {
  const { format: _, segmentSid, ...query } = input;
  if (segmentSid !== undefined) {
    const sids = await memberSids(t, segmentSid, after ?? '', limit);
    const contacts = await readContacts(t, { consentsOf }, sids);
    return { sids, contacts: contacts.filter(({ status }) => status === 'ACTIVE') };
  }
  const pager = createPager(t.sealer, 'contacts.export', t, { limit });
  const from = { ...pager, after: after === null ? null : [after] };
  const { data } = await listContacts(t, { consentsOf }, query, from);
  const found = data.filter((contact) => contact !== undefined);
  // Whoever is restricted is found by an identifier, and yet put into no file.
  const contacts = found.filter(({ restrictedBy }) => restrictedBy === null);
  return { sids: found.map(({ sid }) => sid), contacts };
}

function written({ format }: NewExport, contacts: Contact[], first: boolean): string {
  if (format === 'ndjson') return contacts.map((contact) => `${JSON.stringify(toLine(contact))}\n`).join('');
  return `${first ? csvLine(header) : ''}${contacts.map((contact) => csvLine(toCells(contact))).join('')}`;
}

/** As the contact is shown, without what says whose it is. */
function toLine({
  object: _,
  accountSid: __,
  livemode: ___,
  status: ____,
  mergedInto: _____,
  restrictedBy: ______,
  ...contact
}: Contact) {
  return contact;
}

const header = [
  'contactSid',
  'phone',
  'username',
  'bsuid',
  'scopeRef',
  ...fieldNames,
  'attributes',
  ...consentPurposes.map((purpose) => `consents.${purpose}`),
  'createdAt',
  'updatedAt',
];

/** A spreadsheet has one cell for each kind of identifier: the oldest stands in it. NDJSON has them all. */
function toCells(contact: Contact): (string | null)[] {
  const of = (type: string) => contact.identifiers.find(({ identifierType }) => identifierType === type);
  const bsuid = of('bsuid');
  return [
    contact.sid,
    of('phone_e164')?.value ?? null,
    of('username')?.value ?? null,
    bsuid?.value ?? null,
    bsuid?.scopeRef ?? null,
    ...fieldNames.map((name) => contact[name]),
    JSON.stringify(contact.attributes),
    ...consentPurposes.map((purpose) => contact.consent[purpose].status),
    contact.createdAt,
    contact.updatedAt,
  ];
}
