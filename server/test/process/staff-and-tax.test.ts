// What the operator does with its own people, its tax rates and the documents from the command line.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sharedLifetime } from '../harness/lifetime.ts';
import { bootstrapped, freshDatabase, ownerOf } from './fixtures.ts';
import { type Environment, godwit } from './godwit.ts';

let env: Environment & Awaited<ReturnType<typeof freshDatabase>>;
let customer: string;
let operator: string;
const lifetime = sharedLifetime();
before(async () => {
  env = await freshDatabase(lifetime);
  customer = (await bootstrapped(env)).accountSid;
  operator = (await bootstrapped(env)).accountSid;
});

const said = async (...args: string[]) => {
  const { code, stdout, stderr } = await godwit(args, env);
  return [code, stdout.trim() || stderr.trim()] as const;
};

test('staff is granted, listed and revoked, once it is said which organization runs the platform', async () => {
  await said('users', 'add-owner', '--account', operator, '--email', 'ann@operator.test');
  const about = ['--account', customer, '--user', 'ann@operator.test'];
  const grant = () => said('staff', 'grant', ...about, '--hours', '2', '--case', 'CASE-7');
  assert.match(
    (await grant()).join(' '),
    /^2 godwit: ann@operator\.test is not an active person of the operator/,
  );
  assert.deepEqual(await said('organization', 'operator', '--account', operator), [
    0,
    'My organization runs the platform.',
  ]);
  assert.match(
    (await grant()).join(' '),
    /^0 ann@operator\.test may act on AC\w+ until \S+Z, signed in with/,
  );
  assert.match((await said('staff', 'list')).join(' '), /^0 AC\w+ {2}US\w+ {2}until \S+ {2}CASE-7$/);
  assert.deepEqual(await said('staff', 'revoke', ...about), [0, 'Ended 1 grant.']);
  assert.deepEqual(await said('staff', 'list', '--account', customer), [
    0,
    'Nobody of the operator may act on an account of a customer.',
  ]);
  const details = [
    'organization',
    'details',
    '--account',
    operator,
    '--line',
    '1 Main Street',
    '--line',
    'VAT 7',
  ];
  assert.deepEqual(await said(...details), [0, 'My organization\n1 Main Street\nVAT 7']);
});

test('a tax rate is added once for its day, and listed', async () => {
  const set = (rate: string, from: string) =>
    said(
      'tax',
      'rates',
      'set',
      '--jurisdiction',
      'CA-QC',
      '--code',
      'std',
      '--name',
      'QST',
      '--rate',
      rate,
      '--from',
      from,
    );
  assert.deepEqual(await set('9.975', '2026-01-01'), [0, 'CA-QC std QST: 9.975 % from 2026-01-01 on.']);
  assert.deepEqual(await set('10', '2026-01-01'), [
    2,
    'godwit: QST in CA-QC for std has a rate from 2026-01-01 on already: rates are never changed.',
  ]);
  const [, list] = await said('tax', 'rates', 'list');
  assert.ok(list.split('\n').includes('CA-QC  std  QST  9.975 %  from 2026-01-01'), list);
});

test('the proof of the documents says what is wrong, and fails by its exit code', async (context) => {
  assert.deepEqual(await said('documents', 'verify'), [
    0,
    'Every document is as it was issued (0 documents).',
  ]);
  const owner = await ownerOf(context, env);
  await owner.query(
    `insert into billing_documents (account_sid, livemode, sequence, kind, subject, number, issued_at, json, sha256,
       previous_sha256)
     values ($1, true, 1, 'receipt', 'RC', 'GW-1', now(), '{}', sha256('{"changed":true}'), sha256(''))`,
    [customer],
  );
  assert.deepEqual(await said('documents', 'verify', '--account', customer), [
    1,
    `${customer} live: broken at 1: its content was changed\n1 chain is broken.`,
  ]);
});
