// What the operator does with money from the command line.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sharedLifetime } from '../harness/lifetime.ts';
import { ownerPool } from '../harness/postgres.ts';
import { bootstrapped, freshDatabase, type Given } from './fixtures.ts';
import { godwit } from './godwit.ts';

let env: Given;
let account: string[];
const lifetime = sharedLifetime();
before(async () => {
  env = await freshDatabase(lifetime);
  account = ['--account', (await bootstrapped(env)).accountSid];
});

const said = async (...args: string[]) => {
  const { code, stdout, stderr } = await godwit(args, env);
  return [code, stdout.trim() || stderr.trim()];
};
const credit = (amount: string, ...more: string[]) =>
  said('wallets', 'credit', ...account, '--amount', amount, '--reason', 'Goodwill', ...more);

test('a credit is added exactly, once per reference, and stands in the audit chain', async () => {
  assert.deepEqual(await credit('0.1', '--live'), [0, 'prepaid: 0.100000 USD available']);
  assert.deepEqual(await credit('100.000001', '--live', '--reference', 'case-7'), [
    0,
    'prepaid: 100.100001 USD available',
  ]);
  assert.deepEqual(await credit('100.000001', '--live', '--reference', 'case-7'), [
    2,
    'godwit: There is a credit with the reference case-7 already.',
  ]);
  assert.deepEqual(await credit('1'), [0, 'prepaid: 1001.000000 USD available']);
  const [, audited] = await said('audit', 'verify');
  assert.match(String(audited), /^Every chain holds/);
});

test('an amount the wallet cannot hold is refused', async () => {
  const issue = 'godwit: The wallet is in USD, with at most 6 decimals.';
  assert.deepEqual(await credit('0.0000001'), [2, issue]);
  assert.deepEqual(await credit('0'), [2, 'godwit: The amount must be above zero.']);
  assert.deepEqual(await credit('0.00', '--live'), [2, 'godwit: The amount must be above zero.']);
});

test('terms say how far below zero a wallet may go', async () => {
  const terms = (...args: string[]) => said('wallets', 'terms', ...account, '--live', ...args);
  assert.deepEqual(await terms('--mode', 'prepaid', '--credit-limit', '5'), [
    2,
    'godwit: A prepaid wallet has no credit limit.',
  ]);
  const [code, text] = await terms('--mode', 'credit_line', '--credit-limit', '500');
  assert.equal(code, 0);
  assert.match(String(text), /^credit_line: .* available, credit limit 500\.000000 USD$/);
});

test('the proof of the ledger says what is wrong, and fails by its exit code', async (context) => {
  assert.match(
    (await said('ledger', 'verify')).join(' '),
    /^0 Every balance is the sum of its transfers \(2 wallets, /,
  );
  const owner = ownerPool(env.DATABASE_URL);
  context.after(() => owner.end());
  await owner.query(
    "update ledger_accounts set balance_minor = balance_minor + 1 where livemode and account = 'funding'",
  );
  const [code, text] = await said('ledger', 'verify', ...account);
  assert.equal(code, 1);
  assert.match(
    String(text),
    /^AC\w+ live USD: balance of funding is -\d+, and should be -\d+\n1 wallet is wrong\.$/,
  );
});
