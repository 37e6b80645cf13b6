// From a raw row to a contact that can be stored, or to every reason why not.
import { ApiError, type ErrorDetail } from '../../platform/errors/errors.ts';
import { isCleanText, parseJsonBody } from '../../platform/http/input/json-body.ts';
import { judgeBy } from '../../platform/http/input/validation.ts';
import { judgeConsent, type NewConsent } from '../consent/index.ts';
import { type ContactEntry, judgeContact, type NewContact } from '../contacts/index.ts';
import type { readHeader } from './columns.ts';
import { readCell } from './csv.ts';
import type { RawRow } from './read-rows.ts';
import { ImportedContact, type ImportInput } from './schema.ts';

export type GoodRow = { number: number; entry: ContactEntry; consents: NewConsent[]; raw: RawRow };
export type BadRow = { number: number; issues: string; raw: RawRow };
export type JudgedRow = GoodRow | BadRow;

const judgeShape = judgeBy(ImportedContact);

type Columns = ReturnType<typeof readHeader>;
type Judging = { columns: Columns | null; input: ImportInput; now: Date };

export function judgeRow(raw: RawRow, { columns, input, now }: Judging): JudgedRow {
  const { contact, details } = readContact(raw, columns);
  const all = contact === null || details.length > 0 ? details : judgeContent(contact, input, now);
  if (Array.isArray(all)) return { number: raw.number, issues: written(all), raw };
  return { number: raw.number, raw, ...all };
}

const written = (details: ErrorDetail[]) =>
  details
    .slice(0, 10)
    .map(({ path, issue }) => (path ? `${path}: ${issue}` : issue))
    .join('; ');

type Read = { contact: unknown; details: ErrorDetail[] };

function readContact(raw: RawRow, columns: Columns | null): Read {
  if ('issue' in raw) return { contact: null, details: [{ path: '', issue: raw.issue }] };
  if ('cells' in raw) return fromCells(raw.cells, columns!);
  try {
    return { contact: parseJsonBody(raw.json), details: [] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const details = error.facts.details ?? [];
    return {
      contact: null,
      details: details.map(({ path, issue }) => ({ path: path === 'body' ? '' : path, issue })),
    };
  }
}

function fromCells(cells: string[], columns: Columns): Read {
  if (cells.length !== columns.length) {
    const issue = `has ${cells.length} cells where the header has ${columns.length} columns`;
    return { contact: null, details: [{ path: '', issue }] };
  }
  const contact: Record<string, unknown> = {};
  const details: ErrorDetail[] = [];
  for (const [i, { name, put }] of columns.entries()) {
    const cell = readCell(cells[i]!);
    if (cell === '') continue;
    const issue = isReadable(cell) ? put(contact, cell) : 'must be UTF-8 text without NUL characters';
    if (issue !== null) details.push({ path: name, issue });
  }
  const { scopeRef, ...rest } = contact;
  if (scopeRef !== undefined) {
    const scoped = ((rest.identifiers ?? []) as Record<string, unknown>[]).find(
      ({ identifierType }) => identifierType === 'bsuid',
    );
    if (scoped) scoped.scopeRef = scopeRef;
    else details.push({ path: 'scopeRef', issue: 'belongs to a bsuid only' });
  }
  return { contact: { identifiers: [], ...rest }, details };
}

/** Bytes that are no UTF-8 were read as the replacement character. */
const isReadable = (text: string) => isCleanText(text) && !text.includes('\ufffd');

type Content = { entry: ContactEntry; consents: NewConsent[] };

function judgeContent(given: unknown, input: ImportInput, now: Date): Content | ErrorDetail[] {
  const shape = judgeShape(given);
  if (shape.length > 0) return shape;
  const { consents, ...profile } = given as ImportedContact;
  const { defaultCountry } = input;
  const judged = judgeContact({ ...profile, ...(defaultCountry && { defaultCountry }) } as NewContact);
  const wanted = consents ?? (input.consent ? [input.consent] : []);
  const records = wanted.map((consent) => ({ ...consent, source: 'IMPORT' }) as NewConsent);
  const details = [
    ...judged.details,
    ...records.flatMap((record, i) =>
      judgeConsent(now, record).map(({ path, issue }) => ({ path: `consents[${i}].${path}`, issue })),
    ),
  ];
  if (details.length > 0) return details;
  return { entry: { identifiers: judged.identifiers, profile }, consents: records };
}
