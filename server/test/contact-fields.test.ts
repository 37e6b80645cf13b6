// A field of a contact reaches everything that shows, changes, moves or chooses contacts. What a field does not reach is named
// here, with the reason.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { ImportedContact } from '../src/modules/contact-files/schema.ts';
import { contactEvents } from '../src/modules/contacts/events.ts';
import { Contact, ContactChange, contactSample } from '../src/modules/contacts/schema.ts';
import { SegmentDefinition, SegmentFilters } from '../src/modules/segments/schema.ts';
import { startTestApp, type TestApp } from './harness/app.ts';
import { sharedLifetime } from './harness/lifetime.ts';
import { operationsOf } from './harness/operations.ts';

const properties = Object.keys(Contact.properties);

/** What people say of a contact, each a text of its own. */
const fieldNames = Object.keys(ContactChange.properties).filter(
  (name) => name !== 'attributes' && name !== 'expectedUpdatedAt',
);
const fieldFilters = Object.entries(SegmentFilters.properties).filter(([filter]) =>
  fieldNames.some((name) => filter.startsWith(name)),
);

type Exceptions = Record<string, string>;

const notExported: Exceptions = {
  object: 'every line is a contact',
  accountSid: 'the file is of one account',
  livemode: 'and of one environment',
  status: 'only ACTIVE contacts are exported',
  mergedInto: 'only ACTIVE contacts are exported',
  restrictedBy: 'whoever is restricted is in no file and no segment',
};

/** Columns of a CSV file that are not named as the field is. */
const columnsOf: Record<string, string[]> = {
  sid: ['contactSid'],
  identifiers: ['phone', 'username', 'bsuid', 'scopeRef'],
  consent: Object.keys(contactSample.consent).map((purpose) => `consents.${purpose}`),
};

const notImported: Exceptions = {
  ...notExported,
  sid: 'who it is follows from the identifiers',
  createdAt: 'is when it was imported',
  updatedAt: 'is when it was imported',
};

const notInSegments: Exceptions = {
  ...notExported,
  identifiers: 'single contacts are named by contactSids',
  updatedAt: 'moves with every change, so that a segment of it would not hold still',
};

/** Filters that are not named as the field is. */
const filterOf: Record<string, string> = { sid: 'contactSids', createdAt: 'createdAfter' };

function reaches(what: string, exceptions: Exceptions, reached: (property: string) => boolean): void {
  for (const property of properties) {
    const excepted = Object.hasOwn(exceptions, property);
    assert.ok(excepted || reached(property), `${property} is not ${what}`);
    assert.ok(!(excepted && reached(property)), `${property} is ${what} and is said not to be`);
  }
}

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { role: 'all' });
});

const fieldsOf = (contact: object) =>
  Object.fromEntries(fieldNames.map((name) => [name, (contact as Record<string, unknown>)[name]]));
const given = fieldsOf(contactSample);
const none = Object.fromEntries(fieldNames.map((name) => [name, null]));

async function created(value: string, fields: object): Promise<{ sid: string }> {
  const identifiers = [{ identifierType: 'phone_e164', value }];
  const reply = await app.post(`${app.at}/contacts`, { identifiers, ...fields });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

async function exported(format: string, identifier: string): Promise<string> {
  const reply = await app.post(`${app.at}/contacts/export`, { format, identifier });
  const { result } = await operationsOf(app).ended(reply.body.sid);
  return (await app.get(result.file.url)).text;
}

test('every field is stored when a contact is made, changed and emptied, and told in its events', async () => {
  const contact = await created('+33612500001', given);
  assert.deepEqual(fieldsOf(contact), given);
  const path = `${app.at}/contacts/${contact.sid}`;
  assert.deepEqual(fieldsOf((await app.get(path)).body), given);
  assert.deepEqual(fieldsOf((await app.patch(path, none)).body), none);
  for (const name of fieldNames) await app.patch(path, { [name]: given[name] });
  assert.deepEqual(fieldsOf((await app.get(path)).body), given);
  const events = await app.sql<{ data: object }>(
    'select data from events where resource_sid = $1 order by sequence',
    [contact.sid],
  );
  assert.deepEqual(fieldsOf(events[0]!.data), given);
  assert.deepEqual(fieldsOf(events[1]!.data), none);
  assert.deepEqual(fieldsOf(events.at(-1)!.data), given);
});

test('every field of a contact is in the data of its events', () => {
  for (const { schema } of [contactEvents.created, contactEvents.updated])
    assert.deepEqual(Object.keys((schema as typeof Contact).properties), properties);
});

test('every field of a contact is exported, as CSV and as NDJSON, or is an exception', async () => {
  await created('+33612500002', given);
  const [header] = parse(await exported('csv', '+33612500002')) as string[][];
  reaches('a column of exported CSV', notExported, (property) =>
    (columnsOf[property] ?? [property]).every((column) => header!.includes(column)),
  );
  const line = JSON.parse(await exported('ndjson', '+33612500002'));
  reaches('in exported NDJSON', notExported, (property) => Object.hasOwn(line, property));
});

test('every field of a contact can be imported, or is an exception', async () => {
  reaches('imported', notImported, (property) =>
    Object.hasOwn(ImportedContact.properties, property === 'consent' ? 'consents' : property),
  );
  const content = `phone,${fieldNames.join(',')}\n+33612500003,${Object.values(given).join(',')}\n`;
  const reply = await app.post(`${app.at}/contacts/import`, { format: 'csv', content });
  const { result } = await operationsOf(app).ended(reply.body.sid);
  assert.equal(result.created, 1, JSON.stringify(result));
  const { body } = await app.get(`${app.at}/contacts?identifier=%2B33612500003`);
  assert.deepEqual(fieldsOf(body.data[0]), given);
});

test('every field of a contact can be asked for in segments, or is an exception', async () => {
  const filters = Object.keys({ ...SegmentFilters.properties, ...SegmentDefinition.properties });
  reaches('a filter of segments', notInSegments, (property) =>
    [filterOf[property] ?? property, `${property}In`, `${property}Contains`].some((name) =>
      filters.includes(name),
    ),
  );
  const has = await created('+33612500004', given);
  const lacks = await created('+33612500005', {});
  for (const [filter, schema] of fieldFilters) {
    const value = given[fieldNames.find((name) => filter.startsWith(name))!];
    const definition = {
      kind: 'DYNAMIC',
      contactSids: [has.sid, lacks.sid],
      filters: { [filter]: (schema as { type: string }).type === 'array' ? [value] : value },
    };
    const { body } = await app.post(`${app.at}/segments/preview`, definition);
    assert.deepEqual(body.sample, [has.sid], filter);
  }
});
