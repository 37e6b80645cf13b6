// A person of whom something stands in every store: a row in every table that holds something of contacts, with a mark in every column
// that does. Rows are made from what the catalogue says of their columns, so that a new column is planted by itself, and a new table
// when its row can be made like that; `rows` says what only a person can know.
import { randomUUID } from 'node:crypto';
import { holdings } from '../../src/main/personal-data.ts';
import type { Person } from '../../src/platform/belongings.ts';
import { newSid } from '../../src/platform/ids.ts';
import type { TestApp } from './app.ts';

type Column = { table: string; column: string; type: string; required: boolean };
type Values = Record<string, string | number | boolean | null>;

/** Whether erasing a contact is to change the column. A file goes when nobody has it any more. */
export const isErased = (erasure: string) =>
  !/^(ends by its own clock|kept|made by it|deleted with the file)/.test(erasure);

const markedColumns = (table: string) =>
  Object.entries(holdings[table] ?? {})
    .filter(([, { of, erasure }]) => of === 'contact' && isErased(erasure))
    .map(([column]) => column);

export const markedTables = Object.keys(holdings).filter((table) => markedColumns(table).length > 0);

/** `nth` tells several of them apart. */
export async function plantPerson(app: TestApp, mark: string, phoneNumberId: string, nth: number) {
  const now = app.clock.now();
  const { accountSid } = app;
  const sid = (prefix: Parameters<typeof newSid>[0]) => newSid(prefix, now);
  const contactSid = sid('CT');
  const [messageSid, mediaSid, consentSid, operationSid] = [sid('SM'), sid('ME'), sid('CS'), sid('OP')];
  const [segmentSid, workflowSid, runSid, campaignSid] = [sid('SG'), sid('WF'), sid('WR'), sid('CP')];
  const deliverySid = `delivery ${nth}`;
  const [place, callback] = [`${1_000_000 + nth}`, `${4_000_000_000 + nth}`];
  const json = (value: object) => JSON.stringify(value);

  /** In this order; `extra` tables hold nothing of the person, and others refer to them. */
  const rows: Record<string, Values | Values[]> = {
    contacts: { sid: contactSid, attributes: json({ mark }) },
    contact_identifiers: { contact_sid: contactSid, identifier_type: 'username', scope_ref: '' },
    contact_conflicts: { contact_sid: contactSid, other_contact_sid: sid('CT'), status: 'open' },
    contact_merges: { survivor_sid: contactSid, merged_sid: sid('CT') },
    contact_files: { operation_sid: operationSid, kind: 'export', format: 'csv' },
    contact_file_parts: { operation_sid: operationSid, kind: 'export' },
    segments: { sid: segmentSid, kind: 'DYNAMIC' },
    segment_versions: { segment_sid: segmentSid, filters: json({ usernameIn: [mark] }) },
    messages: {
      sid: messageSid,
      contact_sid: contactSid,
      direction: 'outbound',
      identifier_type: 'phone_e164',
      category: null,
    },
    message_states: {
      sid: messageSid,
      status: 'read',
      waiting: false,
      error: json({ code: 'PROVIDER_TEMPORARY_ERROR', message: mark }),
    },
    message_attempts: { message_sid: messageSid, outcome: null },
    provider_messages: { message_sid: messageSid },
    provider_blocks: { contact_sid: contactSid },
    provider_callbacks: { id: callback, body: `{"id":"${phoneNumberId}","from":"${mark}"}` },
    provider_callback_work: { id: callback, state: 'parked' },
    media: { sid: mediaSid, direction: 'INBOUND', status: 'REJECTED', requested_type: 'AUTO', type: null },
    media_uses: { media_sid: mediaSid, message_sid: messageSid, contact_sid: contactSid },
    media_provider_ids: { media_sid: mediaSid },
    consents: {
      sid: consentSid,
      contact_sid: contactSid,
      sequence: place,
      purpose: 'MARKETING',
      status: 'OPTED_IN',
    },
    audit_entries: { resource: contactSid, sequence: place },
    chain_details: [
      { chain: 'consent', sequence: place },
      { chain: 'audit', sequence: place },
    ],
    suppressions: { contact_sid: contactSid, reason: 'COMPLAINT', scope: 'ALL' },
    events: {
      resource_sid: contactSid,
      sequence: place,
      data: `{"object":"contact","sid":"${contactSid}","x":"\\u0000 ${mark}"}`,
    },
    webhook_deliveries: { resource_sid: contactSid, sid: deliverySid },
    webhook_attempts: { delivery_sid: deliverySid, failure: null },
    operations: { sid: operationSid, kind: 'STEP', state: 'SUCCEEDED', finished_at: now.toISOString() },
    operation_children: { operation_sid: operationSid, state: 'FAILED' },
    authorizations: { resource_ref: mark },
    privacy_requests: { contact_sid: contactSid, kind: 'RESTRICTION', state: 'ACTIVE' },
    workflows: { sid: workflowSid, state: 'DRAFT' },
    workflow_runs: {
      sid: runSid,
      workflow_sid: workflowSid,
      contact_sid: contactSid,
      state: 'COMPLETED',
      depth: 0,
      ended_at: now.toISOString(),
      cursor: json({ position: 1, error: mark }),
    },
    workflow_steps: { run_sid: runSid, trace: json({ position: 1, saw: mark }) },
    workflow_mail: { run_sid: runSid, kind: 'event' },
    workflow_decisions: { workflow_sid: workflowSid, contact_sid: contactSid, decision: 'started' },
    workflow_contact_stops: { workflow_sid: workflowSid, contact_sid: contactSid },
    workflow_tests: { workflow_sid: workflowSid, result: json({ contactSid, mark }) },
    campaigns: { sid: campaignSid, state: 'DRAFT', segment_sid: segmentSid, contact_sids: null },
    campaign_recipients: { campaign_sid: campaignSid, contact_sid: contactSid, state: 'PENDING', code: null },
  };
  const unplanned = markedTables.filter((table) => !Object.hasOwn(rows, table));
  const columns = Map.groupBy(await columnsOf(app), ({ table }) => table);
  const statements = [...Object.entries(rows), ...unplanned.map((table): [string, Values] => [table, {}])]
    .filter(([table]) => columns.has(table))
    .flatMap(([table, given]) =>
      [given]
        .flat()
        .map((values) =>
          insertOf(
            table,
            columns.get(table)!,
            { account_sid: accountSid, livemode: false, ...values },
            mark,
            now,
          ),
        ),
    );
  await app.sql(`begin; set local session_replication_role = replica; ${statements.join('; ')}; commit`);
  const person: Person = {
    contactSid,
    family: [contactSid],
    identifiers: [{ identifierType: 'bsuid', value: mark, scopeRef: 'x' }],
  };
  return { person, mediaSid };
}

const columnsOf = (app: TestApp) =>
  app.sql<Column>(
    `select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type,
       a.attnotnull and not a.atthasdef and a.attidentity = '' as required
       from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
        and a.attgenerated = ''`,
  );

const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;

function insertOf(table: string, columns: Column[], given: Values, mark: string, now: Date): string {
  const marked = new Set(markedColumns(table));
  const filled = columns.flatMap(({ column, type, required }) => {
    if (Object.hasOwn(given, column)) {
      const value = given[column]!;
      return [[column, value === null ? 'null' : `${literal(value, type)}`]];
    }
    if (marked.has(column)) return [[column, literal(markOf(type, mark), type)]];
    return required ? [[column, literal(plainOf(type, now), type)]] : [];
  });
  return `insert into ${table} (${filled.map(([column]) => `"${column}"`).join(', ')}) overriding system value values (${filled.map(([, value]) => value).join(', ')})`;
}

const literal = (value: string | number | boolean, type: string) =>
  type === 'bytea' ? `convert_to(${quoted(String(value))}, 'UTF8')` : `${quoted(String(value))}::${type}`;

const markOf = (type: string, mark: string) =>
  type.startsWith('json') ? JSON.stringify({ said: mark }) : type.endsWith('[]') ? `{${mark}}` : mark;

function plainOf(type: string, now: Date): string {
  if (type.startsWith('json') || type.endsWith('[]')) return '{}';
  if (type === 'uuid') return randomUUID();
  if (type === 'boolean') return 'false';
  if (type.startsWith('timestamp') || type === 'date') return now.toISOString();
  // Two people have rows beside each other.
  return ['text', 'bytea'].includes(type) ? `x ${randomUUID()}` : '1';
}

/** The tables in which something is found, whichever way it is written there. */
export async function tablesWith(app: TestApp, mark: string): Promise<string[]> {
  const columns = await columnsOf(app);
  const found: string[] = [];
  const ways = [mark, Buffer.from(mark).toString('hex'), Buffer.from(mark).toString('base64').slice(0, -4)];
  const worded = columns.filter(({ type }) => /^(text|json|jsonb|bytea)(\[\])?$/.test(type));
  for (const [table, own] of Map.groupBy(worded, (one) => one.table)) {
    const looks = own.map(({ column }) => `bool_or("${column}"::text ~ $1) as "${column}"`);
    const [row] = await app.sql<Record<string, boolean | null>>(`select ${looks.join(', ')} from ${table}`, [
      ways.join('|'),
    ]);
    for (const [column, isThere] of Object.entries(row!)) if (isThere) found.push(`${table}.${column}`);
  }
  return found.sort();
}
