import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { bearer, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { startMediaApp } from '../../../test/harness/media.ts';
import { operationsOf } from '../../../test/harness/operations.ts';
import { verifyConsents } from '../consent/index.ts';

let app: TestApp;
let operations: ReturnType<typeof operationsOf>;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { role: 'all' });
  operations = operationsOf(app);
});

type Given = { format?: string; dryRun?: boolean; defaultCountry?: string; consent?: object };
async function imported(content: string, given: Given = {}) {
  const reply = await app.post(`${app.at}/contacts/import`, { format: 'csv', content, ...given });
  assert.equal(reply.status, 202, reply.text);
  assert.equal(reply.headers.get('location'), `${app.at}/operations/${reply.body.sid}`);
  return operations.ended(reply.body.sid);
}
const refusals = async (sid: string) =>
  (await operations.children(sid)).map(
    ({ position, error }: { position: number; error: { message: string } }) => [position, error.message],
  );
const byPhone = async (phone: string) =>
  (await app.get(`${app.at}/contacts?identifier=${encodeURIComponent(phone)}`)).body.data;

suite('an import', () => {
  test('makes the contacts and consents of its rows as single requests would, with their events', async () => {
    const ended = await imported(
      'phone,displayName,locale,attributes.plan,attributes,consent.purpose,consent.status,consent.evidence.capturedAt,consent.evidence.reOptIn\r\n' +
        '06 12 00 00 01,"Martin, Inès",fr,gold,"{""visits"":3,""plan"":""tin""}",MARKETING,OPTED_IN,2026-01-15T09:30:00Z,true\r\n' +
        '06 12 00 00 02,,,,,,,,\r\n',
      { defaultCountry: 'FR' },
    );
    assert.equal(ended.state, 'SUCCEEDED', JSON.stringify(ended));
    const { created, consents, rows, errors } = ended.result;
    assert.deepEqual([created, consents, rows, errors], [2, 1, 2, null]);
    assert.deepEqual([ended.progress.done, ended.progress.total, ended.progress.failed], [2, 2, 0]);
    const [contact] = await byPhone('+33612000001');
    assert.deepEqual(
      [contact.displayName, contact.locale, contact.attributes],
      ['Martin, Inès', 'fr', { plan: 'gold', visits: 3 }],
    );
    assert.equal(contact.consent.MARKETING.status, 'OPTED_IN');
    const { body } = await app.get(`${app.at}/contacts/${contact.sid}/consents`);
    assert.deepEqual(
      [body.data[0].source, body.data[0].evidence],
      ['IMPORT', { capturedAt: '2026-01-15T09:30:00Z', reOptIn: true }],
    );
    const events = await app.sql<{ type: string }>(
      'select type from events where resource_sid = any ($1) order by sequence',
      [[contact.sid, contact.consent.MARKETING.consentSid]],
    );
    assert.deepEqual(
      events.map(({ type }) => type),
      ['contact.created', 'consent.recorded'],
    );
    const found = await app.get(`${app.at}/contacts?q=ines`);
    assert.equal(found.body.data[0].sid, contact.sid);
  });

  test('finds who is known, adds what is new and opens conflicts, also between its own rows', async () => {
    const lines = [
      { identifiers: [{ identifierType: 'phone_e164', value: '+33612000011' }], displayName: 'A' },
      { identifiers: [{ identifierType: 'username', value: 'bea.one' }], displayName: 'B' },
      // The contact of the first row, with a name more.
      {
        identifiers: [
          { identifierType: 'phone_e164', value: '+33612000011' },
          { identifierType: 'username', value: 'ann.one' },
        ],
        displayName: 'not A',
      },
      // Two contacts taken for one.
      {
        identifiers: [
          { identifierType: 'username', value: 'ann.one' },
          { identifierType: 'username', value: 'bea.one' },
        ],
      },
      { identifiers: [{ identifierType: 'username', value: '@Bea.One' }] },
    ];
    const content = lines.map((line) => JSON.stringify(line)).join('\n');
    const dry = await imported(content, { format: 'ndjson', dryRun: true });
    const expected = { created: 2, updated: 1, unchanged: 2, conflicts: 1, consents: 0, rows: 5 };
    const { dryRun, errors: _, ...planned } = dry.result;
    assert.deepEqual([dryRun, planned], [true, expected]);
    assert.deepEqual(await byPhone('+33612000011'), []);

    const { result } = await imported(content, { format: 'ndjson' });
    const { dryRun: __, errors: ___, ...done } = result;
    assert.deepEqual(done, expected);
    const [contact] = await byPhone('+33612000011');
    assert.deepEqual(
      [contact.displayName, contact.identifiers.map(({ value }: { value: string }) => value)],
      ['A', ['+33612000011', 'ann.one']],
    );
    const { body } = await app.get(`${app.at}/contacts/conflicts`);
    assert.equal(body.data[0].contactSid, contact.sid);
    const again = await imported(content, { format: 'ndjson' });
    assert.deepEqual([again.result.created, again.result.updated, again.result.unchanged], [0, 0, 5]);
  });

  test('tells every refused row with its reasons, and gives them back to be corrected', async () => {
    const ended = await imported(
      'phone,displayName,timezone,consent.purpose,consent.status,consent.expiresAt\n' +
        '+33612000021,ok,Europe/Paris,,,\n' +
        'nonsense,=1+1,Nowhere/Else,,,\n' +
        '+33612000023,short\n' +
        '+33612000024,,,MARKETING,PERHAPS,\n' +
        '+33612000025,,,MARKETING,OPTED_IN,2020-01-01T00:00:00Z\n' +
        ',nobody,,,,\n',
    );
    assert.deepEqual(
      [ended.state, ended.progress.done, ended.progress.failed, ended.result.created],
      ['SUCCEEDED', 6, 5, 1],
    );
    const told = await refusals(ended.sid);
    assert.deepEqual(
      told.map(([position]: [number]) => position),
      [2, 3, 4, 5, 6],
    );
    assert.match(told[0][1], /identifiers\[0\].value: .*; timezone: /);
    assert.match(told[1][1], /has 2 cells where the header has 6 columns/);
    assert.match(told[2][1], /consents\[0\].status/);
    assert.match(told[3][1], /consents\[0\].expiresAt: must be in the future/);
    assert.match(told[4][1], /identifiers/);
    assert.equal((await byPhone('+33612000025')).length, 0, 'a refused row leaves nothing');

    const file = await app.get(ended.result.errors.url);
    assert.deepEqual([file.status, file.headers.get('x-content-type-options')], [200, 'nosniff']);
    assert.match(file.headers.get('content-type')!, /^text\/csv/);
    const rows = parse(file.text);
    assert.deepEqual(rows[0]!.slice(0, 4), ['row', 'error', 'phone', 'displayName']);
    assert.deepEqual(rows[1]![3], "'=1+1", 'no cell begins a formula');
    // Corrected in place, it is a file that can be sent as it is.
    const corrected = file.text
      .replace('nonsense', '+33612000022')
      .replace('Nowhere/Else', 'Europe/Rome')
      .replace('PERHAPS', 'OPTED_OUT');
    const second = await imported(corrected);
    assert.deepEqual([second.result.created, second.progress.failed], [2 + 1, 2], JSON.stringify(second));
    assert.equal((await byPhone('+33612000022'))[0].displayName, '=1+1');
  });

  test('refuses a file it cannot read as a whole before anything of it is stored', async () => {
    const good = '+33612000031,x\n';
    for (const [content, message] of [
      [`phone,displayName\n${good}+33612000032,"open\n`, /Line \d+: a quote is opened and never closed/],
      [`phone,displayName\n${good}+33612000032,"a"b\n`, /Line \d+: a quoted cell goes on/],
      [`phone,displayName\n${good}+33612000032,a"b\n`, /Line \d+: a quote stands in the middle/],
      [`phone,phone\n${good}`, /"phone" twice/],
      [`phone,surprise\n${good}`, /unknown columns: "surprise"/],
      ['displayName\nx\n', /phone, username or bsuid/],
      [' ', /no header|unknown/],
      [`phone${',attributes.x'.repeat(300)}\n`, /more than 250 columns/],
      [`phone,displayName\n${good}+33612000032,${'x'.repeat(300_000)}\n`, /longer than 256 KiB/],
      [`phone${','.repeat(400_000)}\n`, /longer than 256 KiB|more than 250 columns/],
    ] as const) {
      const ended = await imported(content);
      assert.deepEqual([ended.state, ended.error.code], ['FAILED', 'VALIDATION_ERROR'], content.slice(0, 60));
      assert.match(ended.error.message, message);
      assert.equal(ended.retryEligible, false);
    }
    assert.deepEqual(await byPhone('+33612000031'), []);
  });

  test('reads a byte order mark, any line ending, and names text that is no UTF-8', async () => {
    const { result } = await imported(
      '\ufeffphone,displayName\r\n+33612000041,"a ""b""\r\nc"\r\n\r\n+33612000042,\'d\r\n',
    );
    assert.equal(result.created, 2);
    assert.equal((await byPhone('+33612000041'))[0].displayName, 'a "b"\r\nc');
    assert.equal((await byPhone('+33612000042'))[0].displayName, "'d");
    const broken = await imported(
      'phone,displayName\n+33612000043,caf\ufffd\n+33612000044,\u0000\n+33612000045,ok\n'.replace(
        '\u0000',
        'x',
      ),
    );
    assert.deepEqual([broken.result.created, broken.progress.failed], [2, 1]);
    assert.match((await refusals(broken.sid))[0][1], /displayName: must be UTF-8/);
  });

  test('judges every line of NDJSON by itself', async () => {
    const line = (value: string) =>
      JSON.stringify({ identifiers: [{ identifierType: 'phone_e164', value }] });
    const content = [
      line('+33612000051'),
      '{"identifiers":',
      '[]',
      'null',
      `{"identifiers":[{"identifierType":"phone_e164","value":"+33612000052"}],"__proto__":{}}`,
      `{"identifiers":[{"identifierType":"phone_e164","value":"+33612000053"}],"displayName":"\\ud800"}`,
      line('x'.repeat(300_000)),
      '',
      line('+33612000054'),
    ].join('\r\n');
    const ended = await imported(content, { format: 'ndjson' });
    assert.deepEqual(
      [ended.result.created, ended.progress.failed, ended.result.rows],
      [2, 6, 8],
      JSON.stringify(ended),
    );
    const told = await refusals(ended.sid);
    assert.match(told[0][1], /valid JSON/);
    assert.match(told.at(-1)[1], /longer than 256 KiB/);
  });

  test('records the consent of the request for rows that bring none', async () => {
    const consent = { purpose: 'SUPPORT', status: 'OPTED_IN', evidence: { wording: 'Yes, please.' } };
    const { result } = await imported(
      'phone,consent.purpose,consent.status\n+33612000061,,\n+33612000061,MARKETING,OPTED_OUT\n+33612000061,SUPPORT,REVOKED\n',
      { consent },
    );
    assert.deepEqual([result.created, result.unchanged, result.consents], [1, 2, 3]);
    const [contact] = await byPhone('+33612000061');
    assert.deepEqual(
      [contact.consent.SUPPORT.status, contact.consent.MARKETING.status],
      ['REVOKED', 'OPTED_OUT'],
    );
    const { body } = await app.get(`${app.at}/contacts/${contact.sid}/consents`);
    const [revoked, , first] = body.data;
    assert.equal(revoked.supersedesConsentSid, first.sid);
    for await (const report of verifyConsents(app.database, app.accountSid))
      assert.equal(report.broken, null);
  });

  test('keeps numbers out of plain sight: operation, job and stored file show none', async () => {
    const { sid } = await imported('phone,displayName\n+33699887766,secret-name\n+3369988,refused-name\n');
    const [plain] = await app.sql<{ text: string }>(
      `select (select string_agg(o::text, '') from operations o where sid = $1) ||
         (select string_agg(encode(body, 'escape'), '') from contact_file_parts where operation_sid = $1) as text`,
      [sid],
    );
    assert.doesNotMatch(plain!.text, /33699887766|secret-name|refused-name/);
    const other = await app.newAccount();
    const url = `/v1/accounts/${other.accountSid}/contacts/imports/${sid}/errors`;
    assert.equal((await app.get(url, bearer(other.sandboxKey))).status, 404);
    const { key } = await app.key(['operations:read']);
    assert.equal((await app.get(`${app.at}/contacts/imports/${sid}/errors`, bearer(key))).status, 403);
  });
});

suite('an import of an uploaded document', () => {
  test("reads what is READY and the account's own, and nothing else", async (context) => {
    const media = await startMediaApp(context);
    const people = Buffer.from('phone,displayName\n+33612000071,Zoé\n');
    const { sid } = await media.take(people, { filename: 'people.csv', mime: 'text/csv' });
    const own = media;
    const reply = await own.post(`${own.at}/contacts/import`, { format: 'csv', mediaSid: sid });
    assert.equal(reply.status, 202, reply.text);
    const ended = await operationsOf(own).ended(reply.body.sid);
    assert.deepEqual([ended.state, ended.result?.created], ['SUCCEEDED', 1], JSON.stringify(ended));

    const line = { identifiers: [{ identifierType: 'phone_e164', value: '+33612000072' }] };
    const lines = Buffer.from(`${JSON.stringify(line)}\n`);
    for (const [filename, mime, created] of [
      ['people.ndjson', 'application/x-ndjson', 1],
      ['people.jsonl', 'application/octet-stream', 0],
    ] as const) {
      const { sid: mediaSid, status, sendable } = await media.take(lines, { filename, mime });
      assert.deepEqual([status, sendable], ['READY', false], filename);
      const asked = await own.post(`${own.at}/contacts/import`, { format: 'ndjson', mediaSid });
      const { state, result } = await operationsOf(own).ended(asked.body.sid);
      assert.deepEqual([state, result?.created, result?.rows], ['SUCCEEDED', created, 1], filename);
    }

    const other = await own.newAccount();
    const foreign = await own.post(
      `/v1/accounts/${other.accountSid}/contacts/import`,
      { format: 'csv', mediaSid: sid },
      bearer(other.sandboxKey),
    );
    assert.deepEqual([foreign.status, foreign.body.error.code], [404, 'NOT_FOUND']);
    for (const body of [{ format: 'csv' }, { format: 'csv', mediaSid: sid, content: 'x' }]) {
      assert.equal((await own.post(`${own.at}/contacts/import`, body)).status, 400);
    }
  });
});

suite('an export', () => {
  const exported = async (of: object, own = app) => {
    const reply = await own.post(`${own.at}/contacts/export`, of);
    assert.equal(reply.status, 202, reply.text);
    const { result, state } = await operationsOf(own).ended(reply.body.sid);
    assert.equal(state, 'SUCCEEDED');
    return { result, file: await own.get(result.file.url) };
  };

  test('written as CSV comes back unchanged when it is imported elsewhere, whatever its cells hold', async (context) => {
    const own = await startTestApp(context, { role: 'all' });
    const names = [
      '=cmd()',
      '+1 + 1',
      '-2',
      "'=x",
      '@here',
      '\tTab',
      'a "quote", a comma\nand a line',
      "'plain",
      '+33612345678',
    ];
    for (const [i, displayName] of names.entries()) {
      const identifiers = [{ identifierType: 'phone_e164', value: `+3361300000${i}` }];
      const attributes = { note: displayName, n: i };
      assert.equal(
        (await own.post(`${own.at}/contacts`, { identifiers, displayName, attributes })).status,
        201,
      );
    }
    const { result, file } = await exported({ format: 'csv' }, own);
    assert.equal(result.rows, names.length);
    for (const row of parse(file.text)) {
      for (const cell of row) assert.doesNotMatch(cell, /^[=+\-@\t\r](?!\d+(\.\d+)?$)/);
    }
    const content = file.text.replaceAll('+336130', '+336140');
    const reply = await own.post(`${own.at}/contacts/import`, { format: 'csv', content });
    const ended = await operationsOf(own).ended(reply.body.sid);
    assert.equal(ended.result.created, names.length, JSON.stringify(ended));
    for (const [i, displayName] of names.entries()) {
      const { body } = await own.get(`${own.at}/contacts?identifier=%2B3361400000${i}`);
      assert.deepEqual(
        [body.data[0].displayName, body.data[0].attributes],
        [displayName, { note: displayName, n: i }],
      );
    }
  });

  test('takes the filters of the list or a segment, and refuses both, and what makes no sense', async () => {
    await imported('phone,displayName\n+33612000081,Zoé Exported\n+33612000082,Somebody\n');
    const { file } = await exported({ format: 'ndjson', q: 'zoe exp' });
    const lines = file.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ displayName }) => displayName),
      ['Zoé Exported'],
    );
    const [contact] = await byPhone('+33612000082');
    const segment = await app.post(`${app.at}/segments`, {
      kind: 'DYNAMIC',
      name: 'S',
      contactSids: [contact.sid],
    });
    const members = await exported({ format: 'ndjson', segmentSid: segment.body.sid });
    assert.equal(JSON.parse(members.file.text).sid, contact.sid);
    const none = await exported({ format: 'csv', q: 'nobody has this name' });
    assert.equal(parse(none.file.text).length, 1);
    const both = await app.post(`${app.at}/contacts/export`, {
      format: 'csv',
      q: 'x',
      segmentSid: segment.body.sid,
    });
    assert.equal(both.status, 400);
    const senseless = await app.post(`${app.at}/contacts/export`, {
      format: 'csv',
      identifierType: 'username',
    });
    assert.equal(senseless.status, 400);
    const unknown = await app.post(`${app.at}/contacts/export`, {
      format: 'csv',
      segmentSid: 'SG01K3C0N7AC7S0R0THERPERS0N0',
    });
    assert.equal(unknown.status, 404);
  });

  test('is kept for 7 days', async (context) => {
    const own = await startTestApp(context, { role: 'all' });
    const { result } = await exported({ format: 'csv' }, own);
    own.clock.advance(7 * 24 * 60 * 60 * 1000 - 1);
    assert.equal((await own.get(result.file.url)).status, 200);
    own.clock.advance(1);
    assert.equal((await own.get(result.file.url)).status, 404);
  });
});
