import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp } from '../../../../test/harness/app.ts';
import { inAccount } from '../../../../test/harness/webhooks.ts';
import { sql } from '../../../platform/db/query.ts';
import { apiVersion, apiVersions } from '../../../platform/events.ts';
import { eventBody, type StoredEvent } from './event-body.ts';
import { filterWarnings, matchesFilter } from './filters.ts';
import { shapeData } from './versions.ts';

suite('filters', () => {
  test('mean the same in the database as here', async (context) => {
    const app = await startTestApp(context);
    const word = fc.constantFrom('message', 'message.', 'mess', 'a_b', 'axb', '%', '_', '*', '.', '');
    const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'));
    const filter = fc.oneof(
      name,
      name.map((one) => `${one}.*`),
      fc.constant('*'),
      fc.constant('.*'),
    );
    const pairs = fc.sample(fc.tuple(filter, name), { numRuns: 1_000, seed: 3 });
    const rows = await inAccount(app, (t) =>
      t.many<{ yes: boolean }>(sql`
        select webhook_subscribes(array[filter], type) as yes
          from unnest(${pairs.map(([one]) => one)}::text[], ${pairs.map(([, type]) => type)}::text[])
            with ordinality as pair (filter, type, position) order by position`),
    );
    for (const [i, [one, type]] of pairs.entries())
      assert.equal(rows[i]!.yes, matchesFilter(one, type), `${one} ${type}`);
    const [none] = await app.sql<{ yes: boolean }>(`select webhook_subscribes('{}', 'a.b') as yes`);
    assert.equal(none!.yes, true);
  });
  test('that match something known are not warned of', () => {
    assert.deepEqual(filterWarnings(['*', 'message.*', 'message.sent', 'test.ping']), []);
    assert.equal(filterWarnings(['message', 'message.**', 'Message.sent', '', 'message.sent.*']).length, 5);
  });
});

suite('versions', () => {
  test('the newest is the one events are made in', () => {
    assert.equal(apiVersions.at(-1), apiVersion);
    assert.deepEqual(apiVersions, [...apiVersions].sort());
  });
  test('a message reads as it did before its recipient was an object', () => {
    const to = { identifierType: 'phone_e164', value: '+33612345678', contactSid: 'CT1' };
    const data = { object: 'message', to, text: { body: 'x' } };
    const shaped = shapeData('message.sent', data, '2026-08-21', '2026-05-04');
    assert.deepEqual(shaped, { object: 'message', to: to.value, contactSid: 'CT1', text: { body: 'x' } });
    assert.equal(data.to, to);
    assert.deepEqual(shapeData('contact.created', { to }, '2026-08-21', '2026-05-04'), { to });
    assert.equal(shapeData('message.sent', data, '2026-08-21', '2026-08-21'), data);
  });
  test('data without a recipient passes as it is', () => {
    for (const to of [undefined, null, 'text', 7])
      assert.deepEqual(shapeData('message.sent', { to }, '2026-08-21', '2026-05-04'), { to });
  });
});

test('a body is JSON whatever stands in the data, and its data the very text that was stored', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), fc.string(), (data, type) => {
      const event: StoredEvent = {
        sid: 'EV1',
        type,
        apiVersion,
        occurredAt: '2026-08-21T10:00:00.000Z',
        createdAt: '2026-08-21T10:00:00.000Z',
        sequence: '12',
        livemode: false,
        accountSid: 'AC1',
        subaccountSid: null,
        data,
      };
      const body = eventBody(event, apiVersion);
      const parsed = JSON.parse(body);
      assert.deepEqual([parsed.type, parsed.sequence, parsed.data], [type, 12, JSON.parse(data)]);
      assert.ok(body.endsWith(`"data":${data}}`));
    }),
    { numRuns: 1_000 },
  );
});
