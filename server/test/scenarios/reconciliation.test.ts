// Differences with a provider that keeps its own books: each kind is made by the simulator, found, looked into, and put right.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { compareDays, importCharges, signCase } from '../../src/main/commands/reconciliation.ts';
import type { ReconciliationCase } from '../../src/modules/reconciliation/cases/schema.ts';
import { ConfigError } from '../../src/platform/config.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { billingOf } from '../harness/billing.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { person } from '../harness/people.ts';
import { until } from '../harness/until.ts';

let app: TestApp;
let folder: string;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { role: 'all', simulator: true });
  folder = await mkdtemp(join(tmpdir(), 'godwit-reconciliation-'));
});
after(() => rm(folder, { recursive: true, force: true }));

const day = 24 * 60 * 60 * 1000;
const context = () => ({ database: app.database, clock: app.clock, log: silentLog });
const tenant = () => ({ accountSid: app.accountSid, livemode: false });
const pass = async (ms: number) => {
  app.clock.advance(ms);
  await app.simulator.control.advance(0); // the provider's clock is ours: it does what has fallen due
};
const settled = <T>(what: string, look: () => Promise<T | undefined>) =>
  until(what, async () => {
    await pass(1_000);
    return look();
  });

let last = 100_000;
const newNumber = () => {
  last += 1;
  return `+33612${last}`;
};
const senderOf = async () => (await app.get(`${app.at}/senders`)).body.data[0];
async function send(to = newNumber()) {
  const template = { name: 'hello_world', language: 'en' };
  const body = { from: (await senderOf()).sid, to, type: 'template', template };
  const sent = await app.post(`${app.at}/messages`, body);
  assert.equal(sent.status, 201, sent.text);
  return sent.body.sid as string;
}
const messageOf = async (sid: string) => (await app.get(`${app.at}/messages/${sid}`)).body;
const become = (sid: string, status: string) =>
  settled(`${sid} is ${status}`, async () => (await messageOf(sid)).status === status || undefined);
/**
 * The provider has it, has done this with it whether or not it tells, and we know the name it gave it. To be `sending` is only to be on
 * the way there: a day that passes then lies between what we count and what the provider does.
 */
const isAtProvider = (sid: string, status?: string) =>
  settled(`${sid} is at the provider, ${status ?? 'accepted'}`, async () => {
    const [found] = app.simulator.control.messagesWithOpaque(sid);
    const isDone = found && (!status || found.events.some((event) => event.status === status));
    return (isDone && (await messageOf(sid)).providerMessageId) || undefined;
  });
/** The price is taken; the clock stands still meanwhile, so that nothing comes that is to come later. */
const priced = (sid: string) =>
  until(`${sid} has its price`, async () => (await messageOf(sid)).price.final !== null || undefined);
/** Sends to somebody for whom the provider behaves so. */
async function sendTo(behaviour: object) {
  const to = newNumber();
  app.simulator.control.addRule({ match: { recipient: to.slice(-6) }, behaviour });
  return send(to);
}
const cases = async (query = ''): Promise<ReconciliationCase[]> =>
  (await app.get(`${app.at}/billing/reconciliation-cases?limit=100${query}`)).body.data;
const caseOf = (sid: string, outcome: string) =>
  settled(`a case of ${sid}`, async () =>
    (await cases(`&outcome=${outcome}`)).find(({ messageSids }) => messageSids.includes(sid)),
  );
const proven = () => billingOf(app, { livemode: false }).balances();

suite('a difference made by the provider', () => {
  test('in the price is credited where it is lower, and where it is higher charged by whoever may and the operator’s word', async () => {
    const free = { type: 'free_entry_point', billable: false, category: 'referral_conversion' };
    const lower = await sendTo({ repricedAs: free });
    await priced(lower);
    await become(lower, 'read');
    const credited = await caseOf(lower, 'amount_mismatch');
    assert.deepEqual([credited.state, credited.resolution!.decision], ['resolved', 'resolved']);
    assert.ok(BigInt(credited.resolution!.adjusted!.amountMinor) < 0n);

    const higher = await sendTo({ repricedAs: { category: 'marketing' } });
    await priced(higher);
    await become(higher, 'read');
    await caseOf(higher, 'amount_mismatch');
    const asked = await settled('the provider is asked', async () => {
      const [found] = (await cases('&state=investigating')).filter(({ messageSids }) =>
        messageSids.includes(higher),
      );
      return found?.findings.some(({ text }) => text.includes('says that it was delivered'))
        ? found
        : undefined;
    });
    const pricing = {
      billable: true,
      category: 'MARKETING',
      customerCurrency: 'USD',
      market: 'FR',
      pricingModel: 'PMP',
      pricingType: 'REGULAR',
      providerEvidence: { said: 'by the callback' },
      transport: 'CLOUD_API',
    };
    const file = join(folder, 'pricing.json');
    await writeFile(file, JSON.stringify(pricing));
    const signature = await signCase(context(), tenant(), { case: asked.sid, pricing: file });
    const owner = await person(app);
    const stepUpToken = await owner.stepUp('PRICING_REMEDIATE');
    const path = `${app.at}/billing/pricing-remediation/${asked.sid}`;
    const done = await app.post(path, { signature, stepUpToken, pricing }, owner.headers);
    assert.equal(done.status, 200, done.text);
    assert.deepEqual(done.body.resolution.adjusted, asked.difference!.amount);
    await proven();
  });

  test('in silence is asked about, and a delivery nobody told of becomes a case of its own', async () => {
    const untold = await sendTo({ unreported: true });
    const lost = await sendTo({ statuses: [] });
    await isAtProvider(untold, 'delivered');
    await isAtProvider(lost);
    await pass(32 * day);
    await app.sql("select graphile_worker.add_job('messages.give-up-silent', '{}'::json)");
    const found = await caseOf(untold, 'missing_platform_event');
    assert.deepEqual([found.source, found.messageSids.includes(lost)], ['message_history', false]);
    const silent = await caseOf(lost, 'missing_provider_status');
    assert.ok(silent.messageSids.includes(untold));
    await settled(
      'the silence is explained',
      async () => (await caseOf(lost, 'missing_provider_status')).state === 'resolved',
    );
    await proven();
  });

  test('in its counts opens cases for that place, and none where it agrees', async () => {
    const from = app.clock.now().toISOString().slice(0, 10);
    const behaving = async (to: string, behaviour: object) => {
      app.simulator.control.addRule({ match: { recipient: to.slice(-6) }, behaviour });
      return send(to);
    };
    const heard = [
      await send('+393123456789'),
      await send(newNumber()),
      await behaving(newNumber(), { countedAs: { volume: 0 } }),
      await behaving('+4915112345678', { countedAs: { volume: 3 } }),
      await behaving('+34612345679', { countedAs: { category: 'marketing' } }),
    ];
    const unheard = await behaving('+31612345670', { unreported: true });
    for (const sid of heard) await become(sid, 'read');
    await isAtProvider(unheard, 'delivered');
    await pass(day);
    const to = app.clock.now().toISOString().slice(0, 10);
    assert.match(await compareDays(context(), tenant(), { from, to }), /^1 business account is compared/);
    // Of that day alone: the service looks at others by itself, once an hour.
    const mine = async () =>
      (await cases()).filter(({ bucket, source }) => bucket?.day === from && source === 'analytics');
    await settled('a case', async () => (await mine()).length >= 4 || undefined);
    const shown = (await mine()).map(({ outcome, messageCount, bucket }) => [
      bucket!.country,
      outcome,
      messageCount,
    ]);
    assert.deepEqual(shown.sort(), [
      ['DE', 'unexpected_provider_charge', 2],
      ['ES', 'amount_mismatch', 1],
      ['FR', 'missing_provider_status', 1],
      ['NL', 'missing_platform_event', 1],
    ]);
    const untold = await caseOf(unheard, 'missing_platform_event');
    assert.deepEqual(untold.messageSids, [unheard]);
    await settled('the provider is asked', async () =>
      (await caseOf(unheard, 'missing_platform_event')).findings.find(({ text }) =>
        text.includes('was delivered'),
      ),
    );
  });

  test('for a message that somebody else sent from the number is an unexpected charge', async () => {
    const number = (await senderOf()).phoneNumber.slice(1);
    const { wabaId, id } = app.simulator.control.phoneNumbers().find((one) => one.number === number)!;
    const token = await tokenOf(wabaId);
    const sent = await fetch(`${app.simulator.url}/v24.0/${id}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        messaging_product: 'whatsapp',
        to: newNumber(),
        type: 'template',
        template: { name: 'hello_world', language: { code: 'en' } },
      }),
    });
    assert.equal(sent.status, 200, await sent.text());
    // All three: one that is set aside later waits a day longer.
    await until('the callbacks are here', async () => (await app.count('parked_statuses')) >= 3 || undefined);
    await pass(day + 60_000);
    await app.sql("select graphile_worker.add_job('messages.join-parked-statuses', '{}'::json)");
    const found = await settled('a case', async () =>
      (await cases('&outcome=unexpected_provider_charge')).find(({ source }) => source === 'callback'),
    );
    assert.equal(found.messageCount, 1);
  });
});

/** As the service itself opens it to call the provider. */
async function tokenOf(providerWabaId: string): Promise<string> {
  const [row] = await app.sql<{ sid: string; token: Buffer }>(
    'select sid, access_token as token from wabas where provider_waba_id = $1',
    [providerWabaId],
  );
  return app.sealer.open(row!.token, `waba token/${app.accountSid}/${row!.sid}`).toString();
}

suite('an itemised file', () => {
  const header = 'message_id,category,type,billable,delivered_at,note';
  const load = async (rows: string[], more: { rejected?: string } = {}) => {
    const file = join(folder, `charges-${rows.length}-${last}.csv`);
    await writeFile(file, [header, ...rows].join('\n'));
    const lines: string[] = [];
    const good = await importCharges(context(), tenant(), { file, ...more }, (line) => lines.push(line));
    return { good, lines };
  };
  const row = async (sid: string, category = 'utility', type = 'regular') =>
    `${(await messageOf(sid)).providerMessageId},${category},${type},,${app.clock.now().toISOString()},x`;

  test('that agrees opens no case, and the same file is not read twice', async () => {
    const sid = await send();
    await become(sid, 'read');
    const before = (await cases()).length;
    const first = await load([await row(sid)]);
    assert.deepEqual(
      [first.good, first.lines],
      [true, ['1 rows: 0 differ from our records, 0 could not be read.']],
    );
    assert.match((await load([await row(sid)])).lines[0]!, /was imported at .*; nothing was done/);
    assert.equal((await cases()).length, before);
  });

  test('finds other prices, unknown messages and deliveries nobody told of, each once', async () => {
    const charged = await send();
    await become(charged, 'read');
    const sentOnly = await sendTo({ statuses: ['sent'] });
    await become(sentOnly, 'sent');
    const rows = [
      await row(charged, 'utility', 'free_entry_point'),
      await row(sentOnly),
      `wamid.nobody,utility,regular,true,${app.clock.now().toISOString()},=1+1`,
    ];
    assert.equal(
      (await load([...rows, rows[0]!])).lines[0],
      '4 rows: 4 differ from our records, 0 could not be read.',
    );
    const credited = await caseOf(charged, 'amount_mismatch');
    assert.deepEqual([credited.source, credited.state], ['itemised_file', 'resolved']);
    assert.equal((await caseOf(sentOnly, 'missing_platform_event')).source, 'itemised_file');
    const unknown = (await cases('&outcome=unexpected_provider_charge')).filter(
      ({ source }) => source === 'itemised_file',
    );
    assert.deepEqual(
      unknown.map(({ messageCount }) => messageCount),
      [1],
    );
    await proven();
  });

  test('with bad rows names each by its line, reads the others, and writes the bad ones where no spreadsheet runs them', async () => {
    const sid = await send();
    await become(sid, 'read');
    const rejected = join(folder, 'rejected.csv');
    const at = app.clock.now().toISOString();
    const { good, lines } = await load(
      [
        await row(sid),
        `"two\nlines",utility,regular,,${at},`,
        `=cmd|x,utility,sometimes,,${at},`,
        'wamid.a,utility,regular,perhaps,yesterday,',
        'wamid.b,utility',
        `wamid.c,utility,regular,,${new Date(app.clock.now().getTime() + 9 * day).toISOString()},`,
      ],
      { rejected },
    );
    assert.equal(good, false);
    assert.deepEqual(lines, [
      'line 4: message_id must be 1 to 512 characters without spaces',
      'line 5: type must be regular or one of the free ones',
      'line 6: delivered_at must be a time such as 2026-10-01T12:00:00Z, or seconds since 1970',
      'line 7: has 2 cells, and the header 6',
      'line 8: delivered_at is in the future',
      '6 rows: 0 differ from our records, 5 could not be read.',
    ]);
    assert.match(await readFile(rejected, 'utf8'), /^"5","'=cmd\|x"/m);
  });

  test('that is empty, without its columns, or not there is refused', async () => {
    const file = join(folder, 'bad.csv');
    const attempt = () => importCharges(context(), tenant(), { file }, () => {});
    await assert.rejects(attempt(), ConfigError);
    for (const content of ['', 'a,b\n1,2', 'message_id,category,type,delivered_at\n"open'])
      await writeFile(file, content).then(() => assert.rejects(attempt(), ConfigError, content));
  });
});

test('days that are not over, turned around or too long ago are not compared', async () => {
  const today = app.clock.now().toISOString().slice(0, 10);
  const bad = [
    { from: today, to: today },
    { from: today, to: '2999-01-01' },
    { from: '2001-01-01', to: '2001-02-01' },
  ];
  for (const days of bad) await assert.rejects(compareDays(context(), tenant(), days), ConfigError);
});

test('a price that is not one, or of a case that is not there, is not signed', async () => {
  const file = join(folder, 'wrong.json');
  const sign = (sid: string) => signCase(context(), tenant(), { case: sid, pricing: file });
  await assert.rejects(sign('CS01K3SAMP1E0000000000000000'), ConfigError);
  await writeFile(file, '{"billable": 1}');
  await assert.rejects(sign('CS01K3SAMP1E0000000000000000'), /billable/);
});
