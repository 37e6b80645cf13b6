import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { sandboxCatalogId } from '@godwit/simulator';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { deskOf } from '../../../../test/harness/inboxes.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { newSid } from '../../../platform/ids.ts';
import { silentLog } from '../../../platform/observability/logging.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { newPhone } from '../../contacts/fixtures.ts';
import { requireMovable } from '../../number-migrations/judge.ts';
import { type CapabilityName, capabilities, decideCapability } from '../../provider/index.ts';
import { requireSender } from '../../senders/index.ts';
import { senderStatuses } from '../../senders/senders.ts';
import { requireCapability } from './require-capability.ts';
import type { ProviderCapability } from './schema.ts';

let app: TestApp;
let wabaSid: string;
let senderSid: string;
let flowSid: string;
let contactSid: string;
let destinationSid: string;
/** Somebody who wrote a moment ago, and somebody who wants offers and never wrote. */
const [writer, follower] = [newPhone(), newPhone()];
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { env: { SANDBOX_PROVIDER_API_VERSION: 'v23.0' } });
  const desk = deskOf(app);
  senderSid = await desk.sender();
  wabaSid = (await app.get(`${app.at}/senders/${senderSid}`)).body.wabaSid;
  await desk.hears(senderSid, writer.slice(1));
  const contact = await app.post(`${app.at}/contacts`, {
    identifiers: [{ identifierType: 'phone_e164', value: follower }],
  });
  assert.equal(contact.status, 201, contact.text);
  const consent = { purpose: 'MARKETING', source: 'FORM', status: 'OPTED_IN' };
  const agreed = await app.post(`${app.at}/contacts/${contact.body.sid}/consents`, consent);
  assert.equal(agreed.status, 201, agreed.text);
  contactSid = contact.body.sid;
  destinationSid = (await app.post(`${app.at}/wabas`, { name: 'Destination' })).body.sid;
  flowSid = newSid('FL', app.clock.now());
  await app.sql(
    `insert into flows (account_sid, livemode, sid, waba_sid, provider_flow_id, name, status, exchanges_data,
       status_changed_at, created_at, updated_at) values ($1, false, $2, $3, '1', 'Survey', 'PUBLISHED', true, $4, $4, $4)`,
    [app.accountSid, flowSid, wabaSid, app.clock.now()],
  );
});

async function listed(query = 'limit=100', headers = {}): Promise<ProviderCapability[]> {
  const reply = await app.get(`${app.at}/provider-capabilities?${query}`, headers);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data;
}

/** The code of each capability of the account, the business account and the number. */
async function codes(): Promise<Map<CapabilityName, string | null>> {
  const items = await listed();
  const ours = items.filter(
    (item) => (item.wabaSid ?? wabaSid) === wabaSid && (item.senderSid ?? senderSid) === senderSid,
  );
  return new Map(ours.map(({ name, errorCode }) => [name, errorCode]));
}

const context = () => ({
  principal: systemPrincipal('test', false),
  now: app.clock.now(),
  requestId: 'test',
  log: silentLog,
});

/** What whoever asks by name is refused with. */
async function required(name: CapabilityName): Promise<string | null> {
  const about = [{ wabaSid, senderSid }] as never;
  return codeOf(() =>
    app.database.read({ accountSid: app.accountSid, livemode: false }, context(), (t) =>
      requireCapability(t, name, ...(about as [])),
    ),
  );
}

async function codeOf(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return error.code;
  }
}

const offer = {
  type: 'template',
  template: {
    name: 'spring_offer',
    language: 'en',
    components: [{ type: 'body', parameters: ['Ines', '20%'].map((text) => ({ type: 'text', text })) }],
  },
};
const hello = { type: 'template', template: { name: 'hello_world', language: 'en' } };
const catalog = { type: 'catalog', catalog: { catalogId: sandboxCatalogId, body: 'All of it' } };
const flow = () => ({ type: 'flow', flow: { flowSid, body: 'Tell us', ctaText: 'Go' } });

async function preflight(to: string, message: object): Promise<string | null> {
  const reply = await app.post(`${app.at}/messages/preflight`, { from: senderSid, to, ...message });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.accepted ? null : reply.body.error.code;
}

async function newTemplate(): Promise<string | null> {
  const reply = await app.post(`${app.at}/templates`, {
    wabaSid,
    name: `t_${crypto.randomUUID().replaceAll('-', '')}`,
    language: 'en',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Hello' }],
  });
  return reply.status < 300 ? null : reply.body.error.code;
}

async function move(): Promise<string | null> {
  const { body } = await app.get(`${app.at}/templates?limit=1`);
  const validation = { templateSid: body.data[0].sid, contactSid };
  const given = { destinationWabaSid: destinationSid, validation } as Parameters<typeof requireMovable>[2];
  return codeOf(() =>
    app.database.write({ accountSid: app.accountSid, livemode: false }, context(), async (t) =>
      requireMovable(t, await requireSender(t, senderSid), given),
    ),
  );
}

/** What needs which capabilities, in the order in which they are asked, and how it is tried. */
const attempts: { needs: CapabilityName[]; attempt(): Promise<string | null> }[] = [
  {
    needs: ['SERVICE_WINDOW_MESSAGES'],
    attempt: () => preflight(writer, { type: 'text', text: { body: 'Hi' } }),
  },
  { needs: ['OPENING_TEMPLATES'], attempt: () => preflight(follower, offer) },
  { needs: ['SERVICE_WINDOW_MESSAGES', 'UTILITY_TEMPLATES'], attempt: () => preflight(writer, hello) },
  { needs: ['OPENING_TEMPLATES', 'UTILITY_TEMPLATES'], attempt: () => preflight(follower, hello) },
  {
    needs: ['OPENING_TEMPLATES', 'MARKETING_MESSAGES'],
    attempt: () => preflight(follower, { ...offer, transport: 'marketing_messages' }),
  },
  { needs: ['SERVICE_WINDOW_MESSAGES', 'PRODUCT_MESSAGES'], attempt: () => preflight(writer, catalog) },
  { needs: ['SERVICE_WINDOW_MESSAGES', 'FLOW_DATA_EXCHANGE'], attempt: () => preflight(writer, flow()) },
  { needs: ['TEMPLATE_MANAGEMENT'], attempt: newTemplate },
  { needs: ['NUMBER_MIGRATION'], attempt: move },
];

const goodWaba = {
  connection_state: 'CONNECTED',
  disconnected_at: null,
  ban_state: 'NONE',
  restrictions: '[]',
  marketing_messages: 'ONBOARDED',
  catalog_ids: [sandboxCatalogId],
};
const goodSender = {
  status: 'CONNECTED',
  flow_key: 'VALID',
  on_business_app: false,
  name_status: 'APPROVED',
};

const restricted = (type: string, expiresAt: string | null) => ({
  restrictions: JSON.stringify([{ type, expiresAt }]),
});
const kinds = [
  'RESTRICTED_BIZ_INITIATED_MESSAGING',
  'RESTRICTED_CUSTOMER_INITIATED_MESSAGING',
  'RESTRICTED_UTILITY_TEMPLATES',
  'RESTRICTED_ADD_PHONE_NUMBER_ACTION',
];
const wabaStates: object[] = [
  {},
  { connection_state: 'DISCONNECTED', disconnected_at: '2026-08-21T09:00:00Z' },
  { ban_state: 'SCHEDULED' },
  { ban_state: 'DISABLED' },
  ...kinds.flatMap((kind) => [
    restricted(kind, null),
    restricted(kind, '2026-09-01T00:00:00Z'),
    restricted(kind, '2026-08-01T00:00:00Z'),
  ]),
  ...[null, 'ELIGIBLE', 'PENDING_VALID_PAYMENT_METHOD', 'a new word'].map((marketing_messages) => ({
    marketing_messages,
  })),
  { catalog_ids: null },
  { catalog_ids: [] },
];
const senderStates: object[] = [
  ...senderStatuses.map((status) => ({ status })),
  ...[null, 'MISMATCH', 'NONE'].map((flow_key) => ({ flow_key })),
  { on_business_app: true },
  ...[null, 'PENDING_REVIEW', 'DECLINED'].map((name_status) => ({ name_status })),
  { provider_phone_number_id: null },
];

async function put(table: 'wabas' | 'senders', sid: string, state: object): Promise<void> {
  const columns = Object.keys(state).map((column, at) => `${column} = $${at + 2}`);
  await app.sql(`update ${table} set ${columns.join(', ')} where sid = $1`, [sid, ...Object.values(state)]);
}

async function putBoth(waba: object, sender: object): Promise<void> {
  await put('wabas', wabaSid, { ...goodWaba, ...waba });
  await put('senders', senderSid, { provider_phone_number_id: '106000000000001', ...goodSender, ...sender });
}

async function compare(state: object): Promise<void> {
  const told = await codes();
  const says = JSON.stringify(state);
  assert.deepEqual([...told.keys()].sort(), Object.keys(capabilities).sort(), says);
  for (const [name, code] of told) assert.equal(await required(name), code, `${name} in ${says}`);
  for (const { needs, attempt } of attempts) {
    const expected = needs.map((name) => told.get(name)!).find((code) => code !== null) ?? null;
    assert.equal(await attempt(), expected, `${needs} in ${says}`);
  }
}

suite('what the list says is what is refused', () => {
  for (const state of wabaStates)
    test(`of a business account with ${JSON.stringify(state)}`, async () => {
      await putBoth(state, {});
      await compare(state);
    });
  for (const state of senderStates)
    test(`of a number with ${JSON.stringify(state)}`, async () => {
      await putBoth({}, state);
      await compare(state);
    });

  test('of accounts the operator pays for: before there are prices, with them, and live without a partner', async () => {
    await putBoth({}, {});
    const billing = async () => (await codes()).get('PARTNER_BILLING');
    const start = async () => {
      const reply = await app.post(`${app.at}/wabas/${wabaSid}/billing-mode-switch`);
      return reply.status === 202 ? null : reply.body.error.code;
    };
    assert.deepEqual([await billing(), await start()], ['CAPABILITY_UNAVAILABLE', 'CAPABILITY_UNAVAILABLE']);
    app.clock.set(new Date('2026-11-20T10:00:00Z'));
    assert.deepEqual([await billing(), await start()], [null, null]);
    const [live] = (await listed('limit=100', bearer(app.liveKey))).filter(
      ({ name }) => name === 'PARTNER_BILLING',
    );
    assert.deepEqual([live!.status, live!.errorCode], ['UNAVAILABLE', 'CAPABILITY_UNAVAILABLE']);
    app.clock.set(new Date('2026-08-21T10:00:00Z'));
  });
});

suite('the list', () => {
  test('tells a version that lacks something from one that no longer has it, and looks at what is really served', async () => {
    const versions = async (headers = {}) =>
      (await listed('limit=100', headers))
        .filter(({ name }) => name.endsWith('_REPORTS'))
        .map(({ name, status, sinceVersion, untilVersion }) => [name, status, sinceVersion, untilVersion]);
    assert.deepEqual(await versions(), [
      ['CONVERSATION_REPORTS', 'AVAILABLE', null, 'v23.0'],
      ['PORTFOLIO_LIMIT_REPORTS', 'PLANNED', 'v24.0', null],
    ]);
    const newer = [
      ['CONVERSATION_REPORTS', 'UNAVAILABLE', null, 'v23.0'],
      ['PORTFOLIO_LIMIT_REPORTS', 'AVAILABLE', 'v24.0', null],
    ];
    assert.deepEqual(await versions(bearer(app.liveKey)), newer);
    // v23.0 ended, and is served by the oldest that has not.
    app.clock.set(new Date('2027-10-08T00:00:00Z'));
    assert.deepEqual(await versions(), newer);
    app.clock.set(new Date('2026-08-21T10:00:00Z'));
  });

  test('is the same page by page, and shows nothing of others', async () => {
    await app.post(`${app.at}/wabas`, { name: 'Second' });
    await app.post(`${app.at}/senders`, { displayName: 'Third', wabaSid });
    const whole = await listed();
    assert.equal(
      new Set(whole.map((item) => `${item.wabaSid}${item.senderSid}${item.name}`)).size,
      whole.length,
    );
    const { body: all } = await app.get(`${app.at}/senders?limit=100`);
    const named = new Set(whole.map((item) => item.senderSid));
    assert.deepEqual(named, new Set([null, ...all.data.map(({ sid }: { sid: string }) => sid)]));
    const paged: ProviderCapability[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const from: string = cursor && `&cursor=${cursor}`;
      const { body } = await app.get(`${app.at}/provider-capabilities?limit=4${from}`);
      paged.push(...body.data);
      cursor = body.nextCursor;
    }
    assert.deepEqual(paged, whole);
    const other = await app.newAccount();
    const theirs = await app.get(
      `/v1/accounts/${other.accountSid}/provider-capabilities?limit=100`,
      bearer(other.sandboxKey),
    );
    const sids = theirs.body.data.flatMap((item: ProviderCapability) => [item.wabaSid, item.senderSid]);
    assert.ok(!sids.includes(wabaSid) && !sids.includes(senderSid));
  });

  test('says when the provider was last read', async () => {
    await app.sql('update wabas set read_at = $2 where sid = $1', [wabaSid, '2026-08-21T09:30:00Z']);
    await app.sql(`update wabas set updated_at = '2026-08-20T00:00:00Z' where sid = $1`, [wabaSid]);
    const [item] = (await listed()).filter((item) => item.wabaSid === wabaSid && item.senderSid === null);
    assert.deepEqual(item!.evidence, { source: 'PROVIDER', observedAt: '2026-08-21T09:30:00.000Z' });
  });
});

test('without a hosted signup set up, it is refused by the settings that are missing', () => {
  const facts = { partnerBilling: false, apiVersion: 'v24.0', now: new Date() };
  const without = decideCapability('EMBEDDED_SIGNUP', { ...facts, signup: false });
  assert.equal(without.errorCode, 'CAPABILITY_UNAVAILABLE');
  assert.match(without.reason!, /PROVIDER_SIGNUP_CONFIG_ID/);
  assert.equal(decideCapability('EMBEDDED_SIGNUP', { ...facts, signup: true }).status, 'AVAILABLE');
});
