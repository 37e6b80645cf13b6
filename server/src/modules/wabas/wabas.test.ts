import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { sandboxCatalogId, simulatorAppId } from '@godwit/simulator';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { refused } from '../../../test/harness/contacts.ts';
import { runJob, write } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { person } from '../../../test/harness/people.ts';
import { wabaHooks } from '../../main/hooks.ts';
import { newSid } from '../../platform/ids.ts';
import type { AccountUpdate, Routed } from '../provider/index.ts';
import { senderByPhoneNumberId } from '../senders/index.ts';
import { readWabaWith } from './connection/look.ts';
import { unsubscribeWaba } from './jobs.ts';
import { countedRecipients, countRecipients, portfolioRooms } from './portfolios.ts';
import { applyAccountUpdates } from './provider-updates.ts';
import { reconnectWabaWith } from './reconnect-waba.ts';
import { connectionOf, wabaByProviderId } from './wabas.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

/** A fresh account with the sandbox it was given. */
async function fresh() {
  const { accountSid, sandboxKey, liveKey } = await app.newAccount();
  const headers = { authorization: `Bearer ${sandboxKey}` };
  const at = `/v1/accounts/${accountSid}`;
  const get = async (path: string) => (await app.get(at + path, headers)).body;
  const [waba] = (await get('/wabas')).data;
  return { accountSid, headers, liveKey, at, get, waba };
}

suite('the sandbox of a new account', () => {
  test('can send at once: a business account, two connected senders, approved templates in two languages', async () => {
    const { waba, get, accountSid } = await fresh();
    assert.deepEqual([waba.connection.state, waba.status], ['CONNECTED', 'ACTIVE']);
    const senders = (await get('/senders')).data;
    assert.deepEqual(
      senders.map(({ status, ready }: { status: string; ready: boolean }) => [status, ready]),
      [
        ['CONNECTED', true],
        ['CONNECTED', true],
      ],
    );
    const templates = (await get('/templates?limit=100&status=APPROVED')).data;
    const languages = new Set(templates.map(({ language }: { language: string }) => language));
    assert.ok(languages.has('en') && languages.has('fr'));
    const connection = await write({ app, accountSid }, (t) => connectionOf(t, waba.sid));
    assert.match(connection!.accessToken, /^SIM\./);
    assert.equal(await app.count(`events where account_sid = '${accountSid}'`), 0);
  });
  test('is found by what the provider calls it, and by nobody else', async () => {
    const { waba, get, accountSid } = await fresh();
    const [sender] = (await get('/senders')).data;
    const route = { accountSid, livemode: false, wabaSid: waba.sid };
    const byWaba = await app.database.system((s) => wabaByProviderId(s, waba.providerWabaId, false));
    assert.deepEqual(byWaba, route);
    const byNumber = await app.database.system((s) =>
      senderByPhoneNumberId(s, sender.providerPhoneNumberId, false),
    );
    assert.deepEqual(byNumber, { ...route, senderSid: sender.sid });
    assert.equal(await app.database.system((s) => wabaByProviderId(s, waba.providerWabaId, true)), null);
    const stranger = await fresh();
    assert.equal(
      await write({ app, accountSid: stranger.accountSid }, (t) => connectionOf(t, waba.sid)),
      null,
    );
  });
  test('never shows or stores its token in clear', async () => {
    const { waba, accountSid, headers, at } = await fresh();
    const { accessToken } = (await write({ app, accountSid }, (t) => connectionOf(t, waba.sid)))!;
    const shown = await app.get(`${at}/wabas/${waba.sid}`, headers);
    assert.ok(!shown.text.includes(accessToken) && !/accessToken|SIM\./i.test(shown.text));
    const [row] = await app.sql<{ stored: string }>(
      "select encode(access_token, 'escape') as stored from wabas where sid = $1",
      [waba.sid],
    );
    assert.ok(!row!.stored.includes('SIM.'));
  });
});

suite('connecting', () => {
  test('another sandbox account has its own portfolio, or joins one', async () => {
    const { at, headers, waba, get } = await fresh();
    const own = (await app.post(`${at}/wabas`, { name: 'Second' }, headers)).body;
    assert.notEqual(own.portfolio.id, waba.portfolio.id);
    assert.equal(own.senders.length, 1);
    const joined = (await app.post(`${at}/wabas`, { name: 'Third', portfolioId: waba.portfolio.id }, headers))
      .body;
    assert.equal(joined.portfolio.id, waba.portfolio.id);
    const portfolios = (await get('/portfolios')).data;
    const shared = portfolios.find(({ id }: { id: string }) => id === waba.portfolio.id);
    assert.deepEqual(shared.limits.phoneNumbers, { limit: 20, used: 3 });
    assert.equal(shared.limits.templates.length, 2);
  });
  test('tells of the business account, of each sender that joined and of each template found', async () => {
    const { at, headers, accountSid } = await fresh();
    const types = async () =>
      (
        await app.sql<{ type: string }>('select type from events where account_sid = $1 order by sequence', [
          accountSid,
        ])
      ).map(({ type }) => type);
    assert.deepEqual(await types(), []);
    const { body } = await app.post(`${at}/wabas`, { name: 'Second' }, headers);
    const [sender, ...rest] = await types();
    assert.deepEqual([sender, rest.at(-1)], ['sender.connected', 'waba.connected']);
    const found = rest.slice(0, -1);
    assert.ok(found.length > 0 && found.every((type) => type === 'template.created'), String(found));
    const [event] = await app.sql<{ data: { sid: string; wabaSid: string } }>(
      `select data from events where account_sid = $1 and type = 'sender.connected'`,
      [accountSid],
    );
    assert.deepEqual([event!.data.sid, event!.data.wabaSid], [body.senders[0].sid, body.sid]);
  });
  test('one that cannot be connected costs a person no step-up token', async () => {
    const { accountSid, at } = await fresh();
    const owner = await person(app, { accountSid });
    const stepUpToken = await owner.stepUp('WABA_CONNECT');
    const connect = (more: object) =>
      app.post(`${at}/wabas`, { name: 'Depot', stepUpToken, ...more }, owner.headers);
    assert.equal((await connect({ portfolioId: randomUUID() })).status, 404);
    assert.equal((await connect({})).status, 201);
    refused(await connect({}), 403, 'STEP_UP_REQUIRED');
  });
  test('live needs the ids and a token; the sandbox refuses them', async () => {
    const { at, headers, liveKey } = await fresh();
    const live = { authorization: `Bearer ${liveKey}` };
    refused(await app.post(`${at}/wabas`, { name: 'x' }, live), 400, 'VALIDATION_ERROR', 'accessToken');
    const given = { name: 'x', accessToken: 'EAAG12345678' };
    refused(await app.post(`${at}/wabas`, given, headers), 400, 'VALIDATION_ERROR', 'accessToken');
    refused(await app.post(`${at}/senders`, { displayName: 'x' }, live), 403, 'ONBOARDING_NOT_PERMITTED');
  });
  test('numbers are capped over the portfolio, also for those who come at once', async () => {
    const { at, headers, waba } = await fresh();
    await app.sql('update portfolios set phone_number_cap = 4 where id = $1', [waba.portfolio.id]);
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => app.post(`${at}/senders`, { displayName: 'More' }, headers)),
    );
    assert.equal(replies.filter(({ status }) => status === 201).length, 2);
    refused(replies.find(({ status }) => status !== 201)!, 422, 'PHONE_NUMBER_CAP_REACHED');
  });
  test('a new number is described by the token of its account', async () => {
    const { at, headers, waba, accountSid } = await fresh();
    const sender = (await app.post(`${at}/senders`, { displayName: 'Depot Lyon' }, headers)).body;
    const { accessToken } = (await write({ app, accountSid }, (t) => connectionOf(t, waba.sid)))!;
    const described = JSON.parse(Buffer.from(accessToken.slice(4), 'base64url').toString());
    assert.equal(described.phoneNumbers.length, 3);
    assert.equal(described.phoneNumbers[2].id, sender.providerPhoneNumberId);
  });
});

suite('disconnecting', () => {
  test('stops the senders at once, tells the provider later, and then forgets the token', async () => {
    const { at, headers, waba, accountSid, get } = await fresh();
    const path = `${at}/wabas/${waba.sid}/disconnect`;
    const gone = await app.post(path, { reason: 'Moved' }, headers);
    assert.deepEqual([gone.status, gone.body.connection.state], [200, 'DISCONNECTED'], gone.text);
    await app.post(path, { reason: 'Again' }, headers);
    assert.equal(
      await app.count(`events where account_sid = '${accountSid}' and type = 'waba.disconnected'`),
      1,
    );
    const senders = (await get('/senders')).data;
    assert.ok(
      senders.every(
        ({ status, ready }: { status: string; ready: boolean }) => status === 'DISCONNECTED' && !ready,
      ),
    );
    assert.equal(await write({ app, accountSid }, (t) => connectionOf(t, waba.sid)), null);
    const asked: string[] = [];
    const provider = {
      unsubscribe: async (_connection: unknown, id: string) => {
        asked.push(id);
        return { ok: true as const, value: null };
      },
    };
    await runJob({ app, accountSid, provider }, unsubscribeWaba, { wabaSid: waba.sid });
    await runJob({ app, accountSid, provider }, unsubscribeWaba, { wabaSid: waba.sid });
    assert.deepEqual(asked, [waba.providerWabaId]);
    assert.equal(await app.count(`wabas where sid = '${waba.sid}' and access_token is null`), 1);
    const late = await app.database.system((s) => wabaByProviderId(s, waba.providerWabaId, false));
    assert.equal(late?.wabaSid, waba.sid);
  });
});

suite('what the provider tells of an account', () => {
  const told = (wabaSid: string, minutes: number, more: Partial<AccountUpdate>): Routed<AccountUpdate> => ({
    field: 'account_update',
    event: null,
    banState: null,
    restrictions: [],
    messagingLimit: null,
    value: {},
    occurredAt: new Date(app.clock.now().getTime() + minutes * 60_000),
    senderSid: null,
    wabaSid,
    ...more,
  });
  const apply = (accountSid: string, ...updates: Routed<AccountUpdate>[]) =>
    write({ app, accountSid }, (t) => applyAccountUpdates(wabaHooks)(t, updates));

  test('restrictions hold until they end, and a late ban does not undo a newer pardon', async () => {
    const { waba, accountSid, get } = await fresh();
    const expiresAt = new Date(app.clock.now().getTime() + 3_600_000);
    const restrictions = [{ type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiresAt }];
    await apply(accountSid, told(waba.sid, 0, { event: 'ACCOUNT_RESTRICTION', restrictions }));
    assert.equal((await get(`/wabas/${waba.sid}`)).status, 'RESTRICTED');
    assert.ok((await get('/senders')).data.every(({ ready }: { ready: boolean }) => !ready));
    app.clock.advance(3_600_000);
    assert.equal((await get(`/wabas/${waba.sid}`)).status, 'ACTIVE');
    await apply(accountSid, told(waba.sid, 10, { event: 'DISABLED_UPDATE', banState: 'REINSTATE' }));
    await apply(accountSid, told(waba.sid, 5, { event: 'DISABLED_UPDATE', banState: 'DISABLE' }));
    assert.equal((await get(`/wabas/${waba.sid}`)).status, 'ACTIVE');
    await apply(accountSid, told(waba.sid, 15, { event: 'DISABLED_UPDATE', banState: 'DISABLE' }));
    assert.equal((await get(`/wabas/${waba.sid}`)).status, 'DISABLED');
  });
  test('a word from far ahead of time does not silence the later ones', async () => {
    const { waba, accountSid, get } = await fresh();
    const ban = (minutes: number, banState: string) =>
      apply(accountSid, told(waba.sid, minutes, { event: 'DISABLED_UPDATE', banState }));
    await ban(1_000_000_000, 'DISABLE');
    assert.equal((await get(`/wabas/${waba.sid}`)).status, 'DISABLED');
    await ban(1, 'REINSTATE');
    assert.equal((await get(`/wabas/${waba.sid}`)).status, 'ACTIVE');
  });
  test('a removed partner ends the connection', async () => {
    const { waba, accountSid, get } = await fresh();
    await apply(accountSid, told(waba.sid, 0, { event: 'PARTNER_REMOVED' }));
    assert.equal((await get(`/wabas/${waba.sid}`)).connection.state, 'DISCONNECTED');
  });
  const eventsOf = async (accountSid: string, type: string) =>
    app.count(`events where account_sid = '${accountSid}' and type = '${type}'`);
  const queued = (task: string, wabaSid: string) =>
    app.count(
      `graphile_worker._private_jobs j join graphile_worker._private_tasks k on k.id = j.task_id
        where k.identifier = '${task}' and j.payload::text like '%${wabaSid}%'`,
    );
  const good = <T>(value: T) => ({ ok: true as const, value });
  const refusing = (retryable: boolean) => ({
    ok: false as const,
    failure: {
      code: retryable ? ('PROVIDER_TEMPORARY_ERROR' as const) : ('PROVIDER_TOKEN_INVALID' as const),
      retryable,
      providerCode: 190,
      providerSubcode: null,
      reason: 'So it was',
      retryAfterMs: null,
    },
  });

  test('an account it gives back is connected again once the kept token has worked', async () => {
    const { waba, accountSid, get } = await fresh();
    const [first, second] = (await get('/senders')).data;
    await apply(accountSid, told(waba.sid, 10, { event: 'PARTNER_REMOVED' }));
    await apply(accountSid, told(waba.sid, 5, { event: 'ACCOUNT_RECONNECTED' }));
    assert.equal(await queued('wabas.reconnect', waba.sid), 0, 'it was said before the end');
    await apply(accountSid, told(waba.sid, 15, { event: 'ACCOUNT_RECONNECTED' }));
    assert.equal(await queued('wabas.reconnect', waba.sid), 1);
    assert.equal((await get(`/wabas/${waba.sid}`)).connection.state, 'DISCONNECTED');

    const job = reconnectWabaWith(wabaHooks);
    const run = (listPhoneNumbers: object, subscribe: object = good(null)) =>
      runJob(
        {
          app,
          accountSid,
          provider: {
            listPhoneNumbers: async () => listPhoneNumbers,
            subscribe: async () => subscribe,
          } as never,
        },
        job,
        { wabaSid: waba.sid },
      );
    await run(refusing(false));
    await assert.rejects(run(refusing(true)));
    assert.equal((await get(`/wabas/${waba.sid}`)).connection.state, 'DISCONNECTED');
    const numbers = [first, second].map(({ providerPhoneNumberId, phoneNumber, displayName }) => ({
      id: providerPhoneNumberId,
      displayPhoneNumber: phoneNumber,
      verifiedName: displayName,
      status: 'CONNECTED',
      qualityRating: 'GREEN',
      throughputLevel: 'STANDARD',
      messagingLimit: null,
      nameStatus: 'APPROVED',
      isOnBizApp: false,
      codeVerificationStatus: 'VERIFIED',
    }));
    await run(good({ items: numbers, after: null }));
    await run(good({ items: numbers, after: null }));
    const again = await get(`/wabas/${waba.sid}`);
    assert.deepEqual([again.connection.state, again.connection.disconnectReason], ['CONNECTED', null]);
    assert.ok((await get('/senders')).data.every(({ ready }: { ready: boolean }) => ready));
    assert.equal(await eventsOf(accountSid, 'waba.connected'), 1);
  });

  test('an account that was disconnected here stays so', async () => {
    const { waba, accountSid, at, headers } = await fresh();
    await app.post(`${at}/wabas/${waba.sid}/disconnect`, { reason: 'Moved' }, headers);
    await apply(accountSid, told(waba.sid, 10, { event: 'ACCOUNT_RECONNECTED' }));
    // The provider is asked nothing: it would fail the test.
    await runJob({ app, accountSid }, reconnectWabaWith(wabaHooks), { wabaSid: waba.sid });
    assert.equal(await eventsOf(accountSid, 'waba.connected'), 0);
  });

  test('signed terms are followed by a reading of what the account may use, told once where it changed', async () => {
    const { waba, accountSid, get } = await fresh();
    assert.deepEqual([waba.marketingMessages, waba.catalogIds], ['ONBOARDED', [sandboxCatalogId]]);
    await apply(accountSid, told(waba.sid, 0, { event: 'MM_LITE_TERMS_SIGNED' }));
    assert.equal(await queued('wabas.read', waba.sid), 1);
    const read = (marketingMessages: string, catalogs: object) =>
      runJob(
        {
          app,
          accountSid,
          provider: {
            getWaba: async () => good({ marketingMessages }),
            listCatalogs: async () => catalogs,
            listSubscribedApps: async () => good({ apps: [{ appId: simulatorAppId, overrideUrl: null }] }),
          } as never,
        },
        readWabaWith(wabaHooks),
        { wabaSid: waba.sid },
      );
    const known = async () => {
      const { marketingMessages, catalogIds } = await get(`/wabas/${waba.sid}`);
      return [marketingMessages, catalogIds];
    };
    await read('ONBOARDED', good({ catalogIds: [sandboxCatalogId] }));
    assert.equal(await eventsOf(accountSid, 'waba.updated'), 0);
    await read('ELIGIBLE', good({ catalogIds: ['7', '8'] }));
    assert.deepEqual(await known(), ['ELIGIBLE', ['7', '8']]);
    await assert.rejects(read('ONBOARDED', refusing(true)));
    assert.deepEqual(await known(), ['ELIGIBLE', ['7', '8']]);
    await read('ONBOARDED', refusing(false));
    assert.deepEqual(await known(), ['ONBOARDED', null]);
    assert.equal(await eventsOf(accountSid, 'waba.updated'), 2);
  });

  test('limits are read as numbers and as names, the newest last', async () => {
    const { waba, accountSid, get } = await fresh();
    const field = 'business_capability_update';
    const limits = async () => (await get('/portfolios')).data[0].limits;
    const value = { max_daily_conversations_per_business: 10_000, max_phone_numbers_per_business: 25 };
    await apply(accountSid, told(waba.sid, 10, { field, value }));
    assert.deepEqual(
      [(await limits()).messaging.tier, (await limits()).phoneNumbers.limit],
      ['TIER_10K', 25],
    );
    await apply(accountSid, told(waba.sid, 5, { field, messagingLimit: 'TIER_250' }));
    assert.equal((await limits()).messaging.tier, 'TIER_10K');
    await apply(accountSid, told(waba.sid, 15, { field, messagingLimit: 'TIER_UNLIMITED' }));
    assert.equal((await limits()).messaging.limit, null);
  });
});

test('people are counted once in a rolling day, portfolio by portfolio', async () => {
  const { waba, accountSid, get } = await fresh();
  const { id } = waba.portfolio;
  const people = Array.from({ length: 3 }, () => newSid('CT', app.clock.now()));
  const inAccount = <T>(work: Parameters<typeof write<T>>[1]) => write({ app, accountSid }, work);
  await inAccount((t) => countRecipients(t, id, [...people, ...people]));
  const used = async () => (await get('/portfolios')).data[0].limits.messaging.used;
  assert.equal(await used(), 3);
  app.clock.advance(12 * 3_600_000);
  await inAccount((t) => countRecipients(t, id, people.slice(0, 1)));
  app.clock.advance(12 * 3_600_000);
  assert.equal(await used(), 1);
  assert.deepEqual(await inAccount((t) => countedRecipients(t, id, people)), new Set(people.slice(0, 1)));
  assert.equal((await inAccount((t) => portfolioRooms(t, [waba.sid]))).get(waba.sid)?.used, 1);
  await Promise.all(
    [people, [...people].reverse()].map((batch) => inAccount((t) => countRecipients(t, id, batch))),
  );
  assert.equal(await used(), 3);
});
