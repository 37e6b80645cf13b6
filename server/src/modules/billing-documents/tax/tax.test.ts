import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { write } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type Person, person } from '../../../../test/harness/people.ts';
import { money } from '../../../platform/money.ts';
import { invoiceProviders } from '../submission/invoice-provider.ts';
import { taxLinesFor, taxOf } from './tax-lines.ts';
import { setTaxProfile } from './tax-profiles.ts';
import { addTaxRate } from './tax-table.ts';

let app: TestApp;
let staff: Person;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  staff = await person(app, { roles: ['PLATFORM_STAFF'] });
});

const profile = {
  currency: 'USD',
  invoiceProvider: 'godwit',
  taxCode: 'standard',
  taxJurisdiction: 'TEST',
  taxProvider: 'table',
  reason: 'Registered in July',
};

type Account = { accountSid: string; livemode?: boolean };

const put = (body: object, headers: object = staff.headers) =>
  app.put(`${app.at}/billing/tax-profile`, body, headers);
const set = async (change: object = {}) =>
  put({ ...profile, ...change, stepUpToken: await staff.stepUp('TAX_PROFILE_CHANGE') });
const give = (account: Account, change: object = {}) =>
  write({ app, ...account }, (t) => setTaxProfile(t, { ...profile, ...change }));
const linesOf = (account: Account, amountMinor: bigint, at = app.clock.now(), currency = 'USD') =>
  write({ app, ...account }, (t) => taxLinesFor(t, { net: money(amountMinor, currency, 2), at }));

suite('the tax profile', () => {
  test('is set by staff with a second factor, answered as sent with its version, told and written down', async () => {
    const before = await app.count("events where type = 'tax_profile.updated'");
    const first = await set();
    assert.equal(first.status, 200, first.text);
    const { version, createdAt: _, updatedAt: __, ...rest } = first.body;
    const { accountSid } = app;
    assert.deepEqual(rest, { object: 'tax_profile', accountSid, livemode: false, ...profile });
    const second = await set({ taxCode: 'reduced', reason: 'Books' });
    assert.deepEqual([second.body.version, second.body.taxCode], [version + 1, 'reduced']);
    assert.equal(await app.count("events where type = 'tax_profile.updated'"), before + 2);
    const [entry] = await app.sql<{ actor: string; payload: string }>(
      "select actor, payload from audit_entries where action = 'tax_profile.updated' order by sequence desc limit 1",
    );
    const { facts } = JSON.parse(entry!.payload);
    assert.equal(entry!.actor, `user:${staff.userSid}`);
    assert.deepEqual([facts.taxCode, facts.reason, facts.before.taxCode], ['reduced', 'Books', 'standard']);
  });

  test('is not for customers, whatever they hold, and not even when they ask for nonsense', async () => {
    const owner = await person(app);
    const { key } = await app.key(['billing:write']);
    const stepUpToken = await owner.stepUp('TAX_PROFILE_CHANGE');
    const rows = await app.count('tax_profiles');
    for (const [body, headers] of [
      [{ ...profile, stepUpToken }, owner.headers],
      [{ ...profile, stepUpToken }, bearer(key)],
      [{ nonsense: true }, owner.headers],
    ] as const) {
      const reply = await put(body, headers);
      assert.deepEqual([reply.status, reply.body.error.code], [403, 'AUTHORIZATION_ERROR'], reply.text);
      assert.equal(reply.body.error.details[0].issue, 'needs billing:write and platform:staff');
    }
    assert.equal(await app.count('tax_profiles'), rows);
  });

  test('names every member that is wrong at once, before a second factor is asked for', async () => {
    const wrong = { currency: 'CHF', invoiceProvider: 'sap', taxProvider: 'avalara', reason: ' ' };
    const reply = await put({ ...profile, ...wrong, stepUpToken: 'none' });
    assert.deepEqual([reply.status, reply.body.error.code], [400, 'VALIDATION_ERROR']);
    const paths = reply.body.error.details.map(({ path }: { path: string }) => path);
    assert.deepEqual(paths.sort(), ['currency', 'invoiceProvider', 'reason', 'taxProvider']);
    const cases: [object, string[]][] = [
      [{ taxJurisdiction: 'Atlantis' }, ['taxJurisdiction']],
      [{ taxJurisdiction: "TEST' or true --" }, ['taxJurisdiction']],
      [{ taxCode: 'unknown', currency: 'EUR' }, ['currency', 'taxCode']],
      [{ taxCode: '' }, ['taxCode']],
      [{ taxProvider: 'toString', invoiceProvider: '__proto__' }, ['invoiceProvider', 'taxProvider']],
    ];
    for (const [change, expected] of cases) {
      const { body } = await put({ ...profile, ...change, stepUpToken: 'none' });
      const found = body.error.details.map(({ path }: { path: string }) => path);
      assert.deepEqual(found.sort(), expected, JSON.stringify(change));
    }
  });

  test('of the sandbox may name the test jurisdiction and faults, and a live one may not', async () => {
    const session = await staff.signInAgain({ livemode: true });
    for (const change of [{}, { taxCode: 'fault_refused' }]) {
      const live = await put({ ...profile, ...change, stepUpToken: 'none' }, session.headers);
      assert.deepEqual(
        live.body.error.details?.map(({ path }: { path: string }) => path),
        ['taxJurisdiction'],
      );
    }
    assert.equal((await set({ taxCode: 'fault_refused' })).status, 200);
    assert.equal((await set()).status, 200);
  });

  test('set by 20 at once has every version once', async () => {
    const account = await app.newAccount();
    const made = await Promise.all(Array.from({ length: 20 }, () => give(account)));
    assert.deepEqual(
      made.map(({ version }) => version).sort((a, b) => a - b),
      Array.from({ length: 20 }, (_, at) => at + 1),
    );
  });
});

suite('tax', () => {
  test('is none without a profile, in another currency, environment or account', async () => {
    const [taxed, other] = [await app.newAccount(), await app.newAccount()];
    await give(taxed);
    const now = app.clock.now();
    assert.equal((await linesOf(taxed, 1000n)).length, 1);
    assert.deepEqual(await linesOf(other, 1000n), []);
    assert.deepEqual(await linesOf({ ...taxed, livemode: true }, 1000n), []);
    assert.deepEqual(await linesOf(taxed, 1000n, now, 'EUR'), []);
  });

  test('is one line a rate over the same net, each rounded once, half to even', async () => {
    const account = await app.newAccount();
    await give(account, { taxCode: 'two_rates' });
    const wire = (amountMinor: string) => ({ amountMinor, currency: 'USD', scale: 2 });
    const place = { jurisdiction: 'TEST', code: 'two_rates', base: wire('1010') };
    const lines = await linesOf(account, 1010n);
    assert.deepEqual(lines, [
      { ...place, name: 'Test GST', ratePpm: 50_000, amount: wire('50') }, // 50.5 → 50
      { ...place, name: 'Test QST', ratePpm: 99_750, amount: wire('101') }, // 100.7475 → 101
    ]);
    assert.equal(taxOf(lines), 151n);
    assert.equal(taxOf(await linesOf(account, 1030n)), 52n + 103n); // 51.5 → 52
    await give(account, { taxCode: 'exempt' });
    assert.deepEqual(
      (await linesOf(account, 1000n)).map(({ amount }) => amount.amountMinor),
      ['0'],
    );
  });

  test('of any amount is within half a unit of the exact product, and of its opposite the opposite', async () => {
    const account = await app.newAccount();
    await give(account, { taxCode: 'reduced' });
    const amounts = fc.sample(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), 30);
    for (const amount of amounts) {
      const tax = taxOf(await linesOf(account, amount));
      const off = 2n * (tax * 1_000_000n - amount * 55_000n);
      assert.ok(off <= 1_000_000n && off >= -1_000_000n, `${amount} gives ${tax}`);
      assert.equal(taxOf(await linesOf(account, -amount)), -tax);
    }
  });

  test('is by the rate of its day in UTC: a new rate counts from its first day, and one that ended gives no line', async () => {
    const rate = { jurisdiction: 'XT', code: 'std', name: 'VAT' };
    const add = (validFrom: string, ratePpm: number | null) =>
      app.database.system((s) => addTaxRate(s, app.clock.now(), { ...rate, validFrom, ratePpm }));
    await add('2026-01-01', 190_000);
    await add('2026-07-01', 160_000);
    await add('2027-01-01', null);
    const account = await app.newAccount();
    await give(account, { taxJurisdiction: 'XT', taxCode: 'std' });
    const at = async (time: string) =>
      (await linesOf(account, 10_000n, new Date(time))).map((line) => line.ratePpm);
    assert.deepEqual(await at('2025-12-31T23:59:59.999Z'), []);
    assert.deepEqual(await at('2026-06-30T23:59:59.999Z'), [190_000]);
    assert.deepEqual(await at('2026-07-01T00:00:00.000Z'), [160_000]);
    assert.deepEqual(await at('2027-01-01T00:00:00.000Z'), []);
    await assert.rejects(add('2026-07-01', 170_000), /rates are never changed/);
    await assert.rejects(app.sql('update tax_rates set rate_ppm = 0'), /append/i);
  });
});

test('the built-in invoice provider accepts every invoice under the name we give it, and fails only in the sandbox, as its tax code says', async () => {
  const submit = async (taxCode: string, livemode = false) => {
    const outcomes: string[] = [];
    for (const attempt of [1, 2, 3]) {
      const submission = { livemode, invoiceSid: 'GW-1', attempt, taxCode, json: '{}' };
      const submitted = await invoiceProviders.godwit!.submit(submission);
      outcomes.push(submitted.outcome === 'accepted' ? submitted.reference : submitted.outcome);
    }
    return outcomes;
  };
  assert.deepEqual(await submit('standard'), ['GW-1', 'GW-1', 'GW-1']);
  assert.deepEqual(await submit('fault_refused'), ['refused', 'refused', 'refused']);
  assert.deepEqual(await submit('fault_refused_once'), ['refused', 'GW-1', 'GW-1']);
  assert.deepEqual(await submit('fault_unavailable_twice'), ['unavailable', 'unavailable', 'GW-1']);
  assert.deepEqual(await submit('fault_refused', true), ['GW-1', 'GW-1', 'GW-1']);
  assert.deepEqual(await submit('constructor'), ['GW-1', 'GW-1', 'GW-1']);
});
