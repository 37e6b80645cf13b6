// Somebody of whom a mark stands in every text that is taken of people, over HTTP and from the provider, is erased by a started service. A day
// later the mark is in no table, in nothing PostgreSQL sampled, in no file of the data folder and in no line of the log.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { crons } from '../../src/main/modules.ts';
import { newPhone } from '../../src/modules/contacts/fixtures.ts';
import { doing, publishedWorkflow } from '../../src/modules/workflows/runs.test-data.ts';
import { generateMasterKey } from '../../src/platform/sealing.ts';
import { methodsOf, type Reply, startTestApp, type TestApp } from '../harness/app.ts';
import { peopleOf, phone } from '../harness/contacts.ts';
import { callFor } from '../harness/jobs.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { formOf } from '../harness/media.ts';
import { freePort } from '../harness/ports.ts';
import { privacyOf } from '../harness/privacy.ts';
import { onThisMachine, startReceiver, verifiedEndpoint } from '../harness/webhooks.ts';
import { dataFolder, until } from './godwit.ts';
import { waitFor } from './killed-work.ts';
import { keepRunning, patientMs, type RestartedService } from './restarted-service.ts';

const mark = 'zqmarkzq';
const number = newPhone();
const waId = number.slice(1);
const hour = 3_600_000;

let app: TestApp;
let service: RestartedService;
let folder: string;
let simulatorUrl: string;
const lifetime = sharedLifetime();
before(async () => {
  const [MASTER_KEY, PORT, simulatorPort] = [generateMasterKey(), await freePort(), await freePort()];
  const beside = await startTestApp(lifetime, { env: { MASTER_KEY } });
  // Jobs fall due by the database's clock, so that of the services stays near to it.
  beside.clock.set(new Date());
  folder = await dataFolder(lifetime);
  service = await keepRunning(lifetime, beside, 'erasure', {
    MASTER_KEY,
    PORT: String(PORT),
    SIMULATOR_PORT: String(simulatorPort),
    HOST: '127.0.0.1',
    DATA_DIR: folder,
    TEST_LOG_LEVEL: 'trace',
    ...onThisMachine,
  });
  simulatorUrl = `http://127.0.0.1:${simulatorPort}`;
  app = asking(beside);
});

/** Everything is asked of the service that was started, with the mark wherever a request has a place for words of its own. */
function asking(beside: TestApp): TestApp {
  const send: TestApp['send'] = async (method, path, { body, headers = {} } = {}) => {
    const raw = typeof body === 'string' || body instanceof Buffer;
    const given = {
      authorization: `Bearer ${beside.sandboxKey}`,
      'user-agent': `${mark}/1.0`,
      'accept-language': 'en',
      'x-request-id': `${mark}-${randomUUID()}`,
      ...(method !== 'GET' && { 'idempotency-key': `${mark} ${number} ${randomUUID()}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    };
    const answer = await fetch(service.url + path, {
      method,
      headers: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
      ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json');
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: isJson && text ? JSON.parse(text) : null,
    };
  };
  return { ...beside, send, ...methodsOf(send) };
}

const wait = (what: string, condition: () => Promise<unknown>) => waitFor({ app, service }, what, condition);

const good = (reply: Reply) => {
  assert.ok(reply.status < 300, `${reply.status} ${reply.text}`);
  return reply.body;
};
const post = async (path: string, body: object, headers: object = {}) =>
  good(await app.post(`${app.at}${path}`, body, headers));

const simulator = async (path: string, body: object) => {
  const answer = await fetch(`${simulatorUrl}/_control/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(answer.status, 200, await answer.clone().text());
};

const counted = async (tableAndWhere: string) => Number(await app.count(tableAndWhere));

/** What is said of and to them by whoever runs the business. Answers with whom. */
async function plantByHand(from: string): Promise<string> {
  const people = peopleOf(app);
  const { sid } = await people.contact({
    identifiers: [phone(number), { identifierType: 'username', value: `${mark}.u` }],
    displayName: mark,
    attributes: { note: mark, deep: { [mark]: [mark] } },
  });
  good(await app.patch(`${app.at}/contacts/${sid}`, { attributes: { other: mark } }));
  const twin = await people.contact({ displayName: mark });
  await post(`/contacts/${sid}/merge`, { mergeContactSid: twin.sid, reason: mark });
  const words = {
    reason: mark,
    application: mark,
    campaignRef: mark,
    proofRef: mark,
    sourcePage: `https://example.com/${mark}`,
    wording: mark,
  };
  await people.consent(sid, { evidence: words, evidenceRef: mark });
  const { sid: suppressionSid } = await people.suppress(sid, { source: mark });
  good(await app.delete(`${app.at}/contacts/${sid}/suppressions/${suppressionSid}`));
  await post('/segments', {
    kind: 'DYNAMIC',
    name: 'Some',
    filters: { attributes: { phone: { eq: number } } },
  });
  await post('/authorizations', { task: 'TEMPLATE_APPEAL', resourceRef: sid, instruction: mark });
  const workflow = await publishedWorkflow(app, {
    ...doing([{ type: 'set_contact', attributes: { said: { path: 'event.payload.note' } } }]),
    trigger: { eventTypes: ['CUSTOM_PAID'] },
  });
  await post('/workflow-events', { eventType: 'CUSTOM_PAID', contactSid: sid, payload: { note: mark } });
  await post(`/workflows/${workflow}/test`, {
    eventType: 'CUSTOM_PAID',
    contactSid: sid,
    payload: { note: mark },
  });
  await wait('the run is over', () => counted('workflow_runs where ended_at is not null'));
  await post(`/workflows/${workflow}/contacts/${sid}/stop`, { reason: mark });
  const link = await post('/opt-in-links', { consentText: 'Yes', label: 'Shop' });
  good(
    await app.post(`/v1/opt-in/${link.token}`, {
      agreed: true,
      phone: number,
      name: mark,
    }),
  );
  await send(from, sid);
  return sid;
}

async function send(from: string, contactSid: string): Promise<void> {
  const named = { filename: `${mark}.txt`, mime: 'text/plain' };
  const { body, type } = formOf(Buffer.from(`About ${mark}`), { type: 'DOCUMENT' }, named);
  const file = good(await app.send('POST', `${app.at}/media`, { body, headers: { 'content-type': type } }));
  await wait('the file was looked at', () =>
    counted(`media where sid = '${file.sid}' and status not in ('PENDING', 'SCANNING')`),
  );
  const more = { metadata: { [mark]: mark }, tags: [mark] };
  const text = { from, contactSid, type: 'text', text: { body: `To ${mark}` }, ...more };
  await post('/messages/preflight', text);
  await post('/messages', text);
  await post('/messages', {
    from,
    to: number,
    type: 'document',
    media: { sid: file.sid, caption: mark, filename: `${mark}.txt` },
  });
  await post('/messages/batch', { messages: [text] });
  await post('/messages', { ...text, sendAt: new Date(app.clock.now().getTime() + hour).toISOString() });
}

/** What they write themselves. */
async function plantFromProvider(senderSid: string, to: string): Promise<void> {
  // The simulator knows a number once something was sent with it.
  const greeting = { type: 'template', template: { name: 'hello_world', language: 'en' } };
  await post('/messages', { from: senderSid, to: number, ...greeting });
  await wait('they are written to', () => counted(`provider_messages`));
  const from = { from: waId, to, name: mark, username: `${mark}.u` };
  await simulator('inbound', { ...from, text: `From ${mark}` });
  await simulator('inbound', { ...from, type: 'document', text: mark, content: { filename: `${mark}.pdf` } });
  await simulator('inbound', {
    ...from,
    type: 'location',
    content: { name: mark, latitude: 1, longitude: 2 },
  });
  await wait('they have written', async () => (await counted(`messages where direction = 'inbound'`)) === 3);
}

async function plantFiles(): Promise<void> {
  const content = `phone,name,attributes.note\n${number},${mark},${mark}\n${mark},${mark},${mark}\n`;
  for (const dryRun of [true, false]) await post('/contacts/import', { format: 'csv', content, dryRun });
  await post('/contacts/export', { format: 'csv', q: mark });
  await post('/contacts/export', { format: 'ndjson', identifier: number });
  await wait('files are made', async () => (await counted('operations where finished_at is null')) === 0);
}

/** Asked in vain, and looked for: what is wrong is named without being repeated. */
async function plantInVain(contactSid: string): Promise<void> {
  const refused = [
    await app.post(`${app.at}/messages`, { from: mark, to: mark, text: { body: mark }, [mark]: mark }),
    await app.post(`${app.at}/contacts`, `{"displayName":"${mark}`, { 'content-type': 'application/json' }),
    await app.get(`${app.at}/contacts/${mark}?${mark}=${mark}`),
    await app.post(`${app.at}/contacts`, { identifiers: [{ identifierType: 'phone_e164', value: mark }] }),
    await app.get(`${app.at}/contacts/${contactSid}`, { authorization: `Bearer ${mark}` }),
  ];
  for (const { status } of refused) assert.ok(status >= 400 && status < 500, String(status));
  for (const query of [`q=${mark}`, `identifier=${encodeURIComponent(number)}`])
    good(await app.get(`${app.at}/contacts?${query}`));
}

/** What they asked for before, each time with a reason. */
async function plantRequests(contactSid: string): Promise<void> {
  const privacy = privacyOf(app);
  const reason = { reason: mark };
  const subject = { identifierType: 'phone_e164', value: number };
  await privacy.asked('RECTIFICATION', { contactSid }, { ...reason, changes: { displayName: mark } });
  await privacy.asked('ACCESS', subject, reason);
  const { sid } = await privacy.asked('RESTRICTION', { contactSid }, reason);
  const { headers, stepUpToken } = await privacy.confirmed('PRIVACY_RESTRICTION_LIFT');
  await post(`/privacy/requests/${sid}/lift-restriction`, { ...reason, stepUpToken }, headers);
  await wait('the copy is made', () =>
    counted(`privacy_requests where kind = 'ACCESS' and state = 'COMPLETED'`),
  );
}

/** However it is written: as it is, in hexadecimal, or in base64 from any place. */
function waysOf(text: string): string[] {
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.from('x'.repeat(shift) + text)
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  );
  return [text, Buffer.from(text).toString('hex'), ...base64];
}
const looksLike = new RegExp([...waysOf(mark), ...waysOf(waId)].join('|'), 'i');

/** Every table of every schema, whole rows. */
async function tablesWithMark(): Promise<string[]> {
  const tables = await app.sql<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const found = [];
  for (const { name } of tables) {
    const rows = await app.sql<{ row: string }>(
      `select one::text as row from ${name} one where one::text ~* $1`,
      [looksLike.source],
    );
    found.push(...rows.map(({ row }) => `${name}: ${row.slice(0, 300)}`));
  }
  return found;
}

/** What PostgreSQL remembers of values, which a dump takes along. */
async function samplesWithMark(): Promise<string[]> {
  await app.sql('analyze');
  const rows = await app.sql<{ row: string }>(
    `select tablename || '.' || attname as row from pg_stats s where schemaname not in ('pg_catalog', 'information_schema') and s::text ~* $1
     union all select statistics_name from pg_stats_ext s where s::text ~* $1`,
    [looksLike.source],
  );
  return rows.map(({ row }) => row);
}

async function filesWithMark(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const text = await readFile(file, 'latin1').catch(() => '');
    if (looksLike.test(text) || looksLike.test(file)) found.push(file.slice(folder.length));
  }
  return found;
}

async function sweep(): Promise<void> {
  await callFor(
    app,
    crons.filter(({ name }) => /sweep|join|expire|trim|forget/.test(name)),
  );
  await wait(
    'all is swept',
    async () => (await counted(`graphile_worker._private_jobs where key like 'test %'`)) === 0,
  );
}

suite('somebody whom a mark stands for in everything that is taken of people', () => {
  test('is in no table, sample, file or line of the log a day after they are erased', async () => {
    // One that fails, and says of whom it heard.
    const receiver = await startReceiver(lifetime, ({ event, raw }, response) => {
      response.statusCode = event.data?.challenge ? 200 : 500;
      response.end(event.data?.challenge ?? (looksLike.test(raw) ? `No ${mark}` : 'No'));
    });
    await verifiedEndpoint(app, receiver.url);
    const [sender] = await app.sql<{ sid: string; phone: string }>(
      `select sid, phone_number as phone from senders where account_sid = $1 and not livemode and status = 'CONNECTED' order by sid limit 1`,
      [app.accountSid],
    );
    await plantFromProvider(sender!.sid, sender!.phone.slice(1));
    const contactSid = await plantByHand(sender!.sid);
    await plantFiles();
    await plantInVain(contactSid);
    await plantRequests(contactSid);
    await wait('all is handed over', async () => {
      // What the provider did not answer in time is tried again later.
      service.advance(1_000);
      return (await counted(`message_states where status in ('queued', 'sending')`)) <= 1;
    });
    // Reports of what was sent come now, and not a day later.
    await simulator('advance', { ms: hour });
    await simulator('settle', {});
    await until('the receiver was told', () => receiver.events().length > 5, patientMs);
    // It is found wherever it may stand, and was never sampled.
    assert.notDeepEqual(await tablesWithMark(), []);
    assert.notDeepEqual(await filesWithMark(), []);
    assert.deepEqual(await samplesWithMark(), []);

    const privacy = privacyOf(app);
    const request = await privacy.asked('ERASURE', { contactSid }, { reason: mark });
    const isIn = (state: string) =>
      counted(`privacy_requests where sid = '${request.sid}' and state = '${state}'`);
    await wait('it settles', () => isIn('SETTLING'));
    service.advance(26 * hour);
    await wait('it has ended', () => isIn('COMPLETED'));
    await sweep();

    const lines = service.log().split('\n');
    assert.ok(lines.length > 100, 'the log is there');
    const left = {
      tables: await tablesWithMark(),
      samples: await samplesWithMark(),
      files: await filesWithMark(),
      lines: lines.filter((line) => looksLike.test(line)),
    };
    assert.deepEqual(left, { tables: [], samples: [], files: [], lines: [] });
  });
});
