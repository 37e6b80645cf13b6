import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cloneDatabase, ownerPool } from '../../../../test/harness/postgres.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { askedBy } from '../../../platform/db/merge.ts';
import { compileQuery, type Sql } from '../../../platform/db/query.ts';
import { addresseesOf } from '../addressees.ts';
import { ownersOf } from './owners.ts';

const accountSid = 'AC00000000000000000000000001';

/** The text of the statement that the work runs. */
async function statementOf(work: (t: TenantTx) => Promise<unknown>): Promise<string> {
  const texts: string[] = [];
  const many = async (query: Sql) => {
    texts.push(compileQuery(query).text);
    return [];
  };
  const t = { accountSid, livemode: false, many } as unknown as TenantTx;
  t.merged = (statement, items) => statement(t, askedBy(accountSid, items));
  await work(t);
  assert.equal(texts.length, 1);
  return texts[0]!;
}

test('identifiers are found by their value or contact in a database without statistics, whatever they were planned for', async (context) => {
  const { url, drop } = await cloneDatabase();
  const pool = ownerPool(url);
  const owner = await pool.connect();
  context.after(async () => {
    owner.release();
    await pool.end();
    await drop();
  });
  const byIndex = {
    contact_identifiers_once: await statementOf((t) =>
      ownersOf(t, [{ identifierType: 'phone_e164', value: '+33612345678', scopeRef: null }]),
    ),
    contact_identifiers_by_contact: await statementOf((t) =>
      addresseesOf(t, ['CT00000000000000000000000001']),
    ),
  };
  const grow = (from: number, to: number) =>
    owner.query(`
      set session_replication_role = replica;
      insert into contact_identifiers (account_sid, livemode, id, contact_sid, identifier_type, value, created_at)
      select '${accountSid}', false, gen_random_uuid(), 'CT' || lpad(n::text, 26, '0'), 'phone_e164',
        '+3399' || lpad(n::text, 8, '0'), now() from generate_series(${from + 1}, ${to}) as n;
      set session_replication_role = origin`);
  const explain = async (statement: string): Promise<string> => {
    await owner.query(`begin; set local role godwit_tenant; set local enable_seqscan = off;
      set local app.accounts = '${accountSid}'; set local app.livemode = 'false'`);
    // A statement with parameters, as it is planned for whatever they will be.
    const { rows } = await owner.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${statement}`);
    await owner.query('rollback');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  let size = 0;
  for (const next of [0, 50, 200, 1_000, 4_000, 10_000]) {
    await grow(size, next);
    size = next;
    for (const [index, statement] of Object.entries(byIndex)) {
      const plan = await explain(statement);
      assert.deepEqual(plan.match(/contact_identifiers_\w+/g), [index], `${size} identifiers:\n${plan}`);
    }
  }
});
