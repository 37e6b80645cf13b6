import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { subjectsOf } from '../../../modules/identity/passwords/attempts.ts';
import { networkOf } from './client-network.ts';

suite('one caller', () => {
  const same = (a: string, b: string) => assert.equal(networkOf(a), networkOf(b), `${a} and ${b}`);
  const other = (a: string, b: string) => assert.notEqual(networkOf(a), networkOf(b), `${a} and ${b}`);
  test('by IPv6 is a /64, however its addresses are written', () => {
    same('2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff');
    same('2001:db8:1:2::1', '2001:0DB8:0001:0002:0:0:0:9');
    same('fe80::1%eth0', 'fe80::2');
    other('2001:db8:1:2::1', '2001:db8:1:3::1');
    other('2001:db8:1:2::1', '2001:db8:0:2::1');
    other('::1', '1::');
  });
  test('by IPv4 is one address, also where it is mapped into IPv6', () => {
    same('203.0.113.9', '::ffff:203.0.113.9');
    same('203.0.113.9', '::FFFF:cb00:7109');
    other('203.0.113.9', '203.0.113.10');
    other('::ffff:203.0.113.9', '::ffff:203.0.113.10');
  });
  test('of whom a proxy garbled the address is what it said', () => {
    for (const garbled of ['', 'unknown', '203.0.113.9:4711', '[2001:db8::1]:80', '::ffff:999.1.1.1', ':'])
      assert.equal(networkOf(garbled), garbled);
  });
});

suite('limits by address', () => {
  let app: TestApp;
  const lifetime = sharedLifetime();
  before(async () => {
    app = await startTestApp(lifetime, { env: { TRUSTED_PROXIES: '127.0.0.1' } });
  });
  const from = (address: string) => ({ 'x-forwarded-for': address });
  /** Asks from another address of the /64 each time, until it is refused; the status of one from elsewhere follows. */
  const exhaust = async (
    network: string,
    ask: (headers: object) => Promise<{ status: number }>,
    most: number,
  ) => {
    for (let host = 1; host <= most; host += 1) {
      const { status } = await ask(from(`${network}::${host.toString(16)}`));
      assert.notEqual(status, 429, `request ${host}`);
    }
    const spent = await ask(from(`${network}:ffff::1`));
    const elsewhere = await ask(from(`${network.slice(0, -1)}f::1`));
    return [spent.status, elsewhere.status];
  };

  test('of what needs no credentials count the whole of a /64', async () => {
    const ask = (headers: object) => app.get('/v1/errors', headers);
    assert.deepEqual(await exhaust('2001:db8:1:1', ask, 100), [429, 200]);
  });
  test('of guesses at keys count the whole of a /64', async () => {
    const wrong = bearer(app.sandboxKey.replace(/.{4}$/, '0000'));
    const ask = (headers: object) => app.get('/v1/me', { ...wrong, ...headers });
    assert.deepEqual(await exhaust('2001:db8:1:2', ask, 60), [429, 401]);
  });
  test('of guesses at the tokens of directories count the whole of a /64', async () => {
    const ask = (headers: object) => app.get('/scim/v2/Users', { ...bearer('nonsense'), ...headers });
    assert.deepEqual(await exhaust('2001:db8:1:3', ask, 60), [429, 401]);
  });
  test('of guesses at passwords count the whole of a /64', () => {
    const subject = (address: string) => subjectsOf('password', 'a@b.example', address).address;
    assert.equal(subject('2001:db8:1:4::1'), subject('2001:db8:1:4:5::'));
    assert.notEqual(subject('2001:db8:1:4::1'), subject('2001:db8:1:5::1'));
  });
});
