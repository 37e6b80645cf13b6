// What an operator sees of everything billing does behind the requests: each step that is left undone shows, with its age, and no longer
// once it is done.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Registry } from 'prom-client';
import { modules } from '../../src/main/modules.ts';
import { undrawnAt } from '../../src/modules/billing-documents/documents/metrics.ts';
import { billingDocumentsModule } from '../../src/modules/billing-documents/index.ts';
import { fixtures as invoices } from '../../src/modules/invoices/fixtures.ts';
import { fixtures as refunds } from '../../src/modules/refunds/fixtures.ts';
import { sql } from '../../src/platform/db/query.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { issueSampleDocument } from '../harness/documents.ts';
import { runJob, write } from '../harness/jobs.ts';
import { sharedLifetime } from '../harness/lifetime.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const watched = ['billing-documents', 'payments', 'invoices', 'refunds', 'reconciliation'];
/** The value of a metric, by its name and labels. */
async function watch(): Promise<(name: string) => number> {
  const registry = new Registry();
  const now = () => app.clock.now();
  for (const { name, observe } of modules)
    if (watched.includes(name)) observe!({ registry, database: app.database, now, site: app.site });
  const lines = (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#'));
  const values = new Map(lines.map((line) => line.split(/ (?=\S+$)/) as [string, string]));
  return (name) => {
    assert.ok(values.has(name), `${name} is not told`);
    return Number(values.get(name));
  };
}
const owner = () => ({ accountSid: app.accountSid, livemode: false, key: '' });

test('a document that is not drawn is counted with its age until it is', async () => {
  const none = await watch();
  assert.deepEqual(
    [none('godwit_documents_undrawn'), none('godwit_documents_undrawn_oldest_seconds')],
    [0, 0],
  );
  await write({ app }, (t) => issueSampleDocument(t));
  app.clock.advance(60_000);
  await write({ app }, (t) => issueSampleDocument(t));
  app.clock.advance(30_000);
  const two = await watch();
  assert.deepEqual(
    [two('godwit_documents_undrawn'), two('godwit_documents_undrawn_oldest_seconds')],
    [2, 90],
  );
  const [render] = billingDocumentsModule.jobs;
  await runJob({ app }, render!, { sequence: 1 });
  const one = await watch();
  assert.deepEqual(
    [one('godwit_documents_undrawn'), one('godwit_documents_undrawn_oldest_seconds')],
    [1, 30],
  );
  await runJob({ app }, render!, { sequence: 2 });
  assert.equal((await watch())('godwit_documents_undrawn'), 0);
});

test('counting them reads none of the documents that are drawn', async () => {
  const plan = await app.database.system((s) =>
    s.many<{ 'QUERY PLAN': string }>(sql`explain ${undrawnAt(app.clock.now())}`),
  );
  const read = plan.flatMap((line) => / on (billing_\w+)/.exec(line['QUERY PLAN'])?.[1] ?? []);
  assert.deepEqual(read, ['billing_documents_undrawn']);
});

test('a refund on its way is counted by state with its age', async () => {
  const id = await refunds.refundId!({ app, owner: owner() });
  app.clock.advance(120_000);
  const under = await watch();
  assert.deepEqual(
    [
      under('godwit_refunds_undecided{state="submitted"}'),
      under('godwit_refunds_undecided{state="unknown"}'),
      under('godwit_refunds_undecided_oldest_seconds{state="submitted"}'),
    ],
    [1, 0, 120],
  );
  await app.sql("update refunds set state = 'succeeded' where id = $1", [id]);
  assert.equal((await watch())('godwit_refunds_undecided{state="submitted"}'), 0);
});

test('a charge nobody decided is told with its age; a page somebody may still pay on is no alarm', async () => {
  const [intent] = await app.sql<{ id: string }>(
    `insert into payment_intents (account_sid, livemode, id, purpose, provider, state, wallet_id, currency, scale, net_minor,
       tax_minor, tax_lines, save_card, created_by, created_at, updated_at)
     select account_sid, livemode, $2, 'top_up', 'stripe', 'processing', id, currency, 2, 5000, 0, '[]', false, 'system:test', $3, $3
       from wallets where account_sid = $1 and not livemode returning id`,
    [app.accountSid, newUuid(app.clock.now()), app.clock.now()],
  );
  const attempt = (step: string) =>
    app.sql(
      `insert into payment_attempts (account_sid, livemode, id, intent_id, step, attempt, idempotency_key, created_at)
       values ($1, false, $2, $3, $4, 1, $4, $5)`,
      [app.accountSid, newUuid(app.clock.now()), intent!.id, step, app.clock.now()],
    );
  await attempt('session');
  app.clock.advance(60_000);
  assert.equal((await watch())('godwit_payment_attempts_oldest_seconds'), 0);
  await attempt('charge');
  app.clock.advance(15_000);
  const undecided = await watch();
  assert.deepEqual(
    [undecided('godwit_payment_attempts_unresolved'), undecided('godwit_payment_attempts_oldest_seconds')],
    [2, 15],
  );
  await app.sql('update payment_attempts set resolved_at = $1', [app.clock.now()]);
  assert.equal((await watch())('godwit_payment_attempts_oldest_seconds'), 0);
});

test('an invoice that is not issued is told by state with its age, and every state always', async () => {
  const sid = await invoices.invoiceSid!({ app, owner: owner() });
  app.clock.advance(45_000);
  const drafted = await watch();
  const states = ['draft', 'pending_provider', 'failed'];
  const [{ state }] = (await app.sql('select state from invoices where sid = $1', [sid])) as [
    { state: string },
  ];
  assert.ok(states.includes(state));
  for (const one of states) {
    assert.equal(drafted(`godwit_invoices{state="${one}"}`), one === state ? 1 : 0);
    assert.equal(drafted(`godwit_invoices_unissued_oldest_seconds{state="${one}"}`), one === state ? 45 : 0);
  }
});

test('a month that is over and not closed is late, with an automation or without', async () => {
  await app.sql('update wallets set closed_until = $1', [app.clock.now()]);
  const name = 'godwit_billing_closing_late_seconds';
  assert.equal((await watch())(name), 0);
  const month = new Date(app.clock.now());
  const end = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));
  app.clock.set(new Date(end.getTime() + 600_000));
  assert.equal((await watch())(name), 600);
  // An automation says otherwise, and is then the only one that counts for its wallet.
  await app.sql('update wallets set closed_until = $1 where livemode', [end]);
  await app.sql(
    `insert into billing_automations (account_sid, livemode, wallet_id, next_starts_at, next_ends_at, step, payment_intent_id,
       retry_delays_hours, version, created_at, updated_at)
     select account_sid, livemode, id, $1, $2, '{"unit":"month","count":1,"day":1}', id, '{}', 1, $1, $1 from wallets where not livemode`,
    [end, new Date(end.getTime() + 300_000)],
  );
  assert.equal((await watch())(name), 300);
});

test('a difference with the provider is counted, and the operator’s own bills are watched', async () => {
  const told = await watch();
  assert.equal(told('godwit_reconciliation_cases_open{outcome="amount_mismatch",environment="sandbox"}'), 0);
  assert.equal(told('godwit_partner_totals_off{environment="live"}'), 0);
});
