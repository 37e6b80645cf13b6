import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { createLog } from '../../platform/observability/logging.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { consentsOf } from '../consent/index.ts';
import { addresseesOf, findAddressees } from './addressees.ts';
import { contactsFor } from './resolve-contacts.ts';
import type { Identifier } from './schema.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

let next = 0;
const phone = (): Identifier => {
  next += 1;
  return { identifierType: 'phone_e164', value: `+3361200${String(next).padStart(4, '0')}`, scopeRef: null };
};
const inTransaction = <T>(work: (t: TenantTx) => Promise<T>) =>
  app.database.write(
    { accountSid: app.accountSid, livemode: false },
    {
      principal: systemPrincipal('test', false),
      now: app.clock.now(),
      requestId: 'r',
      log: createLog('silent'),
    },
    work,
  );

suite('contacts for identifiers', () => {
  test('are made once for each unknown one, in the order asked, and announced', async () => {
    const [a, b] = [phone(), phone()];
    const before = (await app.emitted()).filter((type) => type === 'contact.created').length;
    const sids = await inTransaction((t) => contactsFor(t, { consentsOf }, [a, b, a]));
    assert.equal(sids[0], sids[2]);
    assert.notEqual(sids[0], sids[1]);
    const again = await inTransaction((t) => contactsFor(t, { consentsOf }, [b, a]));
    assert.deepEqual(again, [sids[1], sids[0]]);
    assert.equal((await app.emitted()).filter((type) => type === 'contact.created').length, before + 2);
    const { body } = await app.get(`${app.at}/contacts/${sids[0]}`);
    assert.deepEqual(body.identifiers, [a]);
  });

  test('are the same for everybody who meets the same unknown ones at once', async () => {
    const wanted = Array.from({ length: 20 }, phone);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, turn) =>
        inTransaction(async (t) => {
          const order = turn % 2 ? [...wanted].reverse() : wanted;
          const sids = await contactsFor(t, { consentsOf }, order);
          return turn % 2 ? sids.reverse() : sids;
        }),
      ),
    );
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.equal(new Set(answers[0]).size, wanted.length);
  });

  test('leave nothing behind when their transaction fails', async () => {
    const unknown = phone();
    const failed = inTransaction(async (t) => {
      await contactsFor(t, { consentsOf }, [unknown]);
      throw new Error('changed its mind');
    });
    await assert.rejects(failed, /changed its mind/);
    const owners = await inTransaction((t) => findAddressees(t, [unknown]));
    assert.equal(owners(unknown), undefined);
  });
});

test('a merged contact is written to at its survivor, with the identifiers of both', async () => {
  const [kept, merged] = [phone(), phone()];
  const [survivor, gone] = (await inTransaction((t) => contactsFor(t, { consentsOf }, [kept, merged]))) as [
    string,
    string,
  ];
  const reply = await app.post(`${app.at}/contacts/${survivor}/merge`, {
    mergeContactSid: gone,
    reason: 'same person',
  });
  assert.equal(reply.status, 200, reply.text);
  const found = await inTransaction((t) => addresseesOf(t, [gone, survivor, 'CT00000000000000000000000000']));
  assert.equal(found.get(gone)?.contactSid, survivor);
  assert.deepEqual(
    found
      .get(survivor)
      ?.identifiers.map(({ value }) => value)
      .sort(),
    [kept.value, merged.value].sort(),
  );
  assert.equal(found.size, 2);
});
