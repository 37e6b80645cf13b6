// Somebody of whom a mark stands in every text that is taken of people, over HTTP and from the provider, is erased by a started service. A day
// later the mark is in no table, in nothing PostgreSQL sampled, in no file of the data folder, in nothing the simulator knows and in no line of
// the log: as it is, encoded, or behind a seal, for which everything that was sealed is opened.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { crons } from '../../src/main/modules.ts';
import { offerTo } from '../../src/modules/campaigns/campaigns.test-data.ts';
import { newPhone } from '../../src/modules/contacts/fixtures.ts';
import { doing, publishedWorkflow } from '../../src/modules/workflows/runs.test-data.ts';
import { createSealer, generateMasterKey, parseMasterKeys } from '../../src/platform/sealing.ts';
import { methodsOf, type Reply, startTestApp, type TestApp } from '../harness/app.ts';
import { peopleOf, phone } from '../harness/contacts.ts';
import { looksLike, type Search, searchFor } from '../harness/hidden-marks.ts';
import { callFor } from '../harness/jobs.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { formOf } from '../harness/media.ts';
import { noteContexts, notedContexts, notingContexts } from '../harness/noted-contexts.ts';
import { freePort } from '../harness/ports.ts';
import { privacyOf } from '../harness/privacy.ts';
import { onThisMachine, startReceiver, verifiedEndpoint } from '../harness/webhooks.ts';
import { atEnd, dataFolder, until } from './godwit.ts';
import { waitFor } from './killed-work.ts';
import { keepRunning, patientMs, type RestartedService } from './restarted-service.ts';

const mark = 'zqmarkzq';
const number = newPhone();
const waId = number.slice(1);
const marks = [mark, waId];
const hour = 3_600_000;

let app: TestApp;
let service: RestartedService;
let folder: string;
let simulatorUrl: string;
/** Looks with the master key, and in every context in which something was sealed until then. */
let search: () => Search;
const lifetime = sharedLifetime();
before(async () => {
  const [MASTER_KEY, PORT, simulatorPort] = [generateMasterKey(), await freePort(), await freePort()];
  const contexts = join(await dataFolder(lifetime), 'contexts');
  const noteNoMore = noteContexts(contexts);
  atEnd(lifetime, async () => noteNoMore());
  search = () => searchFor(marks, MASTER_KEY, notedContexts(contexts));
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
    ...notingContexts(contexts),
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

/** What is said in passing: to a conversation, a list of those who said no, a preview, a campaign. */
async function plantInPassing(from: string, contactSid: string): Promise<void> {
  const identifier = { identifier: number, identifierType: 'phone_e164' };
  await post('/suppressions', { ...identifier, reason: 'TENANT_BLOCKLIST', scope: 'ALL', source: mark });
  good(await app.delete(`${app.at}/suppressions`, { ...identifier, reason: mark }));
  await post('/segments/preview', { kind: 'DYNAMIC', filters: { attributes: { other: mark } } });
  const content = await post('/contents', { name: 'Greeting', type: 'text', text: { body: 'Hi {{name}}' } });
  await post(`/contents/${content.sid}/preview`, { variables: { name: mark } });
  await post(`/contacts/${contactSid}/consent-certificate`, {});
  const [conversation] = await app.sql<{ sid: string }>(
    'select sid from conversations where contact_sid = $1',
    [contactSid],
  );
  const claim = `/conversations/${conversation!.sid}/composer-claim`;
  await post(claim, {});
  await post(claim, { composerOverrideReason: mark });
  await post('/messages', {
    from,
    conversationSid: conversation!.sid,
    composerOverrideReason: mark,
    type: 'text',
    text: { body: mark },
  });
  const campaign = await post('/campaigns', {
    name: 'Offer',
    audience: { contactSids: [contactSid] },
    message: offerTo('{{name}}'),
    variables: { name: { attribute: 'other' } },
    from,
  });
  await post(`/campaigns/${campaign.sid}/preview`, {});
  await post(`/campaigns/${campaign.sid}/launch`, {});
}

/** What is done on the phone they have in the sandbox, whose number stands in the address. */
async function plantOnPhone(senderSid: string): Promise<void> {
  const itsPhone = `/sandbox/phones/${encodeURIComponent(number)}`;
  good(await app.get(`${app.at}${itsPhone}`));
  await post(`${itsPhone}/messages`, { senderSid, text: mark });
  for (const marketing of ['STOP', 'RESUME']) await post(`${itsPhone}/preference`, { senderSid, marketing });
  await wait('they have written', async () => (await counted(`messages where direction = 'inbound'`)) === 4);
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

type Found = { where: string; how: string };

/**
 * All that a dump writes down, which no program that came with PostgreSQL is there to make: every row of every table, and what is
 * remembered of values. Rows as text are what a dump copies, and samples are read as they are kept, whatever they are called in views.
 */
async function* dumped(): AsyncGenerator<[string, string]> {
  await app.sql('analyze');
  const tables = await app.sql<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')
     union all select unnest(array['pg_largeobject', 'pg_description', 'pg_shdescription', 'pg_db_role_setting', 'pg_seclabel'])`,
  );
  for (const { name } of tables)
    for (const { row } of await app.sql<{ row: string }>(`select one::text as row from ${name} one`))
      yield [name, row];
  yield* await samples();
}

/** What PostgreSQL remembers of values. */
async function samples(): Promise<[string, string][]> {
  const sets = [1, 2, 3, 4, 5].map((nth) => `stavalues${nth}::text`).join(', ');
  const rows = await app.sql<{ name: string; kept: string }>(
    `select 'sample of ' || starelid::regclass || '.' || (select attname from pg_attribute where attrelid = starelid and attnum = staattnum) as name,
       concat_ws(' ', ${sets}) as kept from pg_statistic
     union all select 'sample of ' || statistics_name, s::text from pg_stats_ext s
     union all select 'sample of ' || statistics_name, s::text from pg_stats_ext_exprs s`,
  );
  return rows.map(({ name, kept }) => [name, kept]);
}

async function* filed(): AsyncGenerator<[string, Buffer | string]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name);
    yield [file.slice(folder.length), await readFile(file).catch(() => '')];
    yield ['name of a file', file.slice(folder.length)];
  }
}

/** The simulator's whole record, which it writes to its file a moment later. */
async function* simulated(): AsyncGenerator<[string, string]> {
  for (const what of ['messages', 'callbacks', 'commands']) {
    const answer = await fetch(`${simulatorUrl}/_control/${what}?limit=10000`);
    assert.equal(answer.status, 200);
    yield [`simulator's ${what}`, await answer.text()];
  }
}

const logged = () => service.log().split('\n');

async function found(): Promise<Found[]> {
  const finds = search();
  const left: Found[] = [];
  const look = (where: string, content: Buffer | string) => {
    const how = finds(content);
    if (how) left.push({ where, how });
  };
  for (const source of [dumped, filed, simulated])
    for await (const [where, content] of source()) look(where, content);
  for (const line of logged()) look(`log: ${line.slice(0, 300)}`, line);
  return left;
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
  test('would be found encoded, compressed, escaped and sealed, and a seal that nobody can open is told', () => {
    const masterKey = generateMasterKey();
    const sealer = createSealer(parseMasterKeys(masterKey));
    const finds = searchFor([mark], masterKey, ['a', 'b']);
    const base64 = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64');
    const sealed = sealer.seal(gzipSync(`"${mark}"`), 'b');
    const mail = base64(`${'.'.repeat(53)}${mark}${'.'.repeat(53)}`).replace(/.{76}/g, '$&\r\n');
    const hidden: [Buffer | string, string][] = [
      [`to ${mark.toUpperCase()}`, 'as it is'],
      [`(a,\\x${sealed.toString('hex')})`, 'hexadecimal, sealed, compressed'],
      [`key: ${base64(sealed)}`, 'base64, sealed, compressed'],
      [deflateSync(mark), 'compressed'],
      [base64(base64(`.${mark}.`)), 'base64'],
      [mail, 'base64'],
      ['"\\u007aqmark\\u007aq"', 'escaped'],
      ['?q=%7aqmarkzq', 'percent-encoded'],
      ['zqma=\r\nrkz=71', 'quoted-printable'],
      [sealer.seal('', 'c'), 'sealed in no known context'],
    ];
    for (const [content, how] of hidden) assert.equal(finds(content), how);
    for (const other of ['', 'zqmark', sealer.seal('zqmark', 'a')]) assert.equal(finds(other), null);
  });

  test('is in no table, sample, file, seal, record of the simulator or line of the log a day after they are erased', async () => {
    // One that fails, and says of whom it heard.
    const receiver = await startReceiver(lifetime, ({ event, raw }, response) => {
      response.statusCode = event.data?.challenge ? 200 : 500;
      response.end(event.data?.challenge ?? (looksLike(marks).test(raw) ? `No ${mark}` : 'No'));
    });
    await verifiedEndpoint(app, receiver.url);
    const [sender] = await app.sql<{ sid: string; phone: string }>(
      `select sid, phone_number as phone from senders where account_sid = $1 and not livemode and status = 'CONNECTED' order by sid limit 1`,
      [app.accountSid],
    );
    await plantFromProvider(sender!.sid, sender!.phone.slice(1));
    const contactSid = await plantByHand(sender!.sid);
    await plantOnPhone(sender!.sid);
    await plantInPassing(sender!.sid, contactSid);
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
    // It is found wherever it may stand, behind seals too, and was never sampled or logged.
    assert.equal(await counted(`messages m where campaign_sid is not null and m::text like '%${mark}%'`), 1);
    const before = await found();
    const ways = new Set(before.map(({ where, how }) => `${where}: ${how}`));
    const sealed = ['contact_file_parts', 'idempotency_keys', 'privacy_copy_parts'];
    for (const table of sealed)
      assert.ok(ways.has(`public.${table}: hexadecimal, sealed`), `${table}: ${[...ways].join('; ')}`);
    for (const place of ['public.messages: as it is', "simulator's messages: as it is"])
      assert.ok(ways.has(place), `${place}: ${[...ways].join('; ')}`);
    const never = before.filter(
      ({ where, how }) => /^sample|^log|^name/.test(where) || how.includes('no known context'),
    );
    assert.deepEqual(never, []);

    const privacy = privacyOf(app);
    const request = await privacy.asked('ERASURE', { contactSid }, { reason: mark });
    const isIn = (state: string) =>
      counted(`privacy_requests where sid = '${request.sid}' and state = '${state}'`);
    await wait('it settles', () => isIn('SETTLING'));
    service.advance(26 * hour);
    await wait('it has ended', () => isIn('COMPLETED'));
    await sweep();

    assert.ok(logged().length > 100, 'the log is there');
    assert.deepEqual(await found(), []);
  });
});
