// The header of a CSV file: which column fills which place of a contact.
import { fieldNames } from '../contacts/index.ts';
import { readCell } from './csv.ts';
import { unreadable } from './read-rows.ts';
import { ImportedConsent } from './schema.ts';

type Tree = { [name: string]: unknown };
/** Puts a cell in its place; tells what is wrong with it, if anything. */
type Column = { name: string; put(contact: Tree, cell: string): string | null };

const maxColumns = 250;

const identifierTypes: Record<string, string> = { phone: 'phone_e164', username: 'username', bsuid: 'bsuid' };
// Columns of our own files that tell something and bring nothing: a file we wrote can be corrected and sent again.
const passedOver = ['contactSid', 'createdAt', 'updatedAt', 'row', 'error'];
const ownConsents = /^consents\.[A-Z]+$/;

const consentNames = Object.keys(ImportedConsent.properties).filter((name) => name !== 'evidence');
const evidenceNames = Object.keys(
  (ImportedConsent.properties.evidence as unknown as { properties: object }).properties,
);

/** The columns of a header, or an error that names every column nobody knows. */
export function readHeader(cells: string[]): Column[] {
  if (cells.length > maxColumns) throw unreadable(`The header has more than ${maxColumns} columns.`);
  const names = cells.map((cell) => readCell(cell.trim()));
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw unreadable(`The header names the column ${shown(twice)} twice.`);
  const unknown = names.filter((name) => columnOf(name) === null);
  if (unknown.length > 0) {
    const listed = unknown.slice(0, 5).map(shown).join(', ');
    throw unreadable(`The header has unknown columns: ${listed}${unknown.length > 5 ? ', …' : ''}.`);
  }
  if (!names.some((name) => Object.hasOwn(identifierTypes, name)))
    throw unreadable('The header needs a column phone, username or bsuid.');
  return names.map((name) => columnOf(name)!);
}

const shown = (name: string) => JSON.stringify(name.slice(0, 64));

function columnOf(name: string): Column | null {
  if (Object.hasOwn(identifierTypes, name)) return identifierColumn(name);
  if (name === 'scopeRef') return { name, put: putScope };
  if (fieldNames.some((known) => known === name)) return textColumn(name, (contact) => contact, name);
  if (name === 'attributes') return { name, put: putAttributes };
  const [first, ...rest] = name.split('.');
  const last = rest.join('.');
  if (first === 'attributes' && last !== '')
    return textColumn(name, (contact) => below(contact, 'attributes'), last);
  if (first === 'consent' && consentNames.includes(last)) return textColumn(name, consentOf, last);
  if (
    first === 'consent' &&
    rest[0] === 'evidence' &&
    evidenceNames.includes(rest[1] ?? '') &&
    rest.length === 2
  )
    return evidenceColumn(name, rest[1]!);
  if (passedOver.includes(name) || ownConsents.test(name)) return { name, put: () => null };
  return null;
}

// A name such as __proto__ is only a name: what cells fill has no prototype.
const empty = (): Tree => Object.create(null);

function below(tree: Tree, name: string): Tree {
  tree[name] ??= empty();
  return tree[name] as Tree;
}

function consentOf(contact: Tree): Tree {
  contact.consents ??= [empty()];
  return (contact.consents as Tree[])[0]!;
}

function textColumn(name: string, place: (contact: Tree) => Tree, member: string): Column {
  return {
    name,
    put(contact, cell) {
      place(contact)[member] = cell;
      return null;
    },
  };
}

function identifierColumn(name: string): Column {
  return {
    name,
    put(contact, value) {
      contact.identifiers ??= [];
      (contact.identifiers as Tree[]).push({ identifierType: identifierTypes[name], value });
      return null;
    },
  };
}

/** Beside a bsuid; the column may stand before it, so it is settled when the row is whole. */
function putScope(contact: Tree, cell: string): null {
  contact.scopeRef = cell;
  return null;
}

function putAttributes(contact: Tree, cell: string): string | null {
  let given: unknown;
  try {
    given = JSON.parse(cell);
  } catch {}
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return 'must be a JSON object';
  const own = below(contact, 'attributes');
  // Columns of single attributes say more than the object, wherever they stand.
  for (const [name, value] of Object.entries(given)) own[name] ??= value;
  return null;
}

function evidenceColumn(name: string, member: string): Column {
  return {
    name,
    put(contact, cell) {
      const isFlag = member === 'reOptIn';
      if (isFlag && cell !== 'true' && cell !== 'false') return 'must be true or false';
      below(consentOf(contact), 'evidence')[member] = isFlag ? cell === 'true' : cell;
      return null;
    },
  };
}
